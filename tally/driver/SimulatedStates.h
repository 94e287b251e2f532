//===- SimulatedStates.h - states of a program in the simulator -*- C++ -*-===//

#ifndef TALLY_DRIVER_SIMULATEDSTATES_H
#define TALLY_DRIVER_SIMULATEDSTATES_H

#include "tally/emit/program/Program.h"
#include "tally/run/simulator/Simulator.h"
#include "tally/runtime/SavedStates.h"
#include "tally/runtime/StateLayout.h"

#include <memory>
#include <span>

namespace tally {

/// A context: what a program keeps from call to call, in a block with the
/// layout that libraries use too.
class SimulatedStates {
public:
  /// As before the first call. `program` keeps its rules (isa::checkProgram).
  explicit SimulatedStates(const isa::Program &program);

  /// States that have no value before the first call.
  std::vector<runtime::TensorInterface> given() const;
  /// All values, by name. RUN-15.
  Result<runtime::NamedTensors> values() const;
  /// States of these names get these values, which have their bytes; all others
  /// are as before the first call.
  void setValues(const runtime::NamedTensors &values);

  /// Binds the regions of states to where their values are, and are to be.
  /// `program` has the states of the one that this was made for. RUN-15.
  Status bind(const isa::Program &program,
              std::span<simulator::Binding> bindings) const;
  /// Before a call: states that it overwrites have no value until it commits.
  void begin() { block().begin(); }
  /// After a call without a fault: new values become the states'.
  void commit() { block().commit(); }

private:
  struct alignas(runtime::kStateAlignment) Line {
    std::byte bytes[runtime::kStateAlignment];
  };
  runtime::StateBlock block() const { return {*about, lines->data()}; }

  std::unique_ptr<runtime::Interface> about;
  std::unique_ptr<std::vector<Line>> lines;
};

/// The element that holds one of the machine's.
eval::Element elementOf(machine::ElementType type);

} // namespace tally

#endif // TALLY_DRIVER_SIMULATEDSTATES_H
