//===- SimulatedStates.h - states of a program in the simulator -*- C++ -*-===//

#ifndef TALLY_DRIVER_SIMULATEDSTATES_H
#define TALLY_DRIVER_SIMULATEDSTATES_H

#include "tally/driver/tensors/StateFiles.h"
#include "tally/emit/program/Program.h"
#include "tally/run/simulator/Simulator.h"
#include "tally/runtime/SavedStates.h"
#include "tally/runtime/StateLayout.h"

#include <map>
#include <memory>
#include <span>

namespace tally {

/// A context: what a program keeps from call to call, in a block with the
/// layout that libraries use too.
class SimulatedStates {
public:
  /// As before the first call. `program` keeps its rules (isa::checkProgram).
  explicit SimulatedStates(const isa::Program &program);
  /// The same of what is not one program; only the states of `about` count.
  explicit SimulatedStates(runtime::Interface about);

  /// All states, and the hash by which saved ones are known.
  StatesAbout statesAbout() const;
  /// States that have no value before the first call.
  std::vector<runtime::TensorInterface> given() const;
  /// All values, by name. RUN-15.
  Result<runtime::NamedTensors> values() const;
  /// States of these names get these values, which have their bytes; all others
  /// are as before the first call.
  void setValues(const runtime::NamedTensors &values);

  /// Of regions that move along a slot, by number: all of the slot.
  std::map<int64_t, int64_t> slotBytes(const isa::Program &program) const;
  /// One state gets a value that has its bytes; there is a state of that name.
  void setValue(const std::string &name, const eval::Tensor &value);
  /// Binds the regions of states to where their values are, and are to be.
  /// `program` has the states of the one that this was made for. RUN-15.
  Status bind(const isa::Program &program,
              std::span<simulator::Binding> bindings) const;
  /// Copies of the old values that a call reads, in order. RUN-15.
  Result<std::vector<eval::Tensor>> oldValues() const;
  /// Copies the new values that it has written, in order, to where they belong.
  void setNewValues(std::span<const eval::Tensor> values);
  /// Before a call: states that it overwrites have no value until it commits.
  void begin() { block().begin(); }
  /// After a call without a fault: new values become the states'.
  void commit() { block().commit(); }
  /// The same of a call of `program`, which has these states: counters count.
  void commit(const isa::Program &program);
  /// Whether a call can begin with the numbers that have a largest value.
  /// RUN-15, RUN-24.
  Status checkNumbers() const { return block().checkNumbers(); }
  /// Puts the counters into the words of the context that `program` reads.
  void setScalars(const isa::Program &program,
                  std::span<uint8_t> context) const;

private:
  struct alignas(runtime::kStateAlignment) Line {
    std::byte bytes[runtime::kStateAlignment];
  };
  runtime::StateBlock block() const { return {*about, lines->data()}; }

  void give(size_t state, const eval::Tensor &value);
  int64_t countOf(size_t state) const;

  std::unique_ptr<runtime::Interface> about;
  /// Of rings: how often frames are interrupted in the dense value (isa::Ring).
  /// The block's values have their frames first.
  std::vector<int64_t> runs;
  std::unique_ptr<std::vector<Line>> lines;
};

/// The states of a program, with their slots.
runtime::Interface statesOf(const isa::Program &program);

/// The element that holds one of the machine's.
eval::Element elementOf(machine::ElementType type);

} // namespace tally

#endif // TALLY_DRIVER_SIMULATEDSTATES_H
