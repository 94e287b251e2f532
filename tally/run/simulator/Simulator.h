//===- Simulator.h - a machine that runs programs ---------------*- C++ -*-===//
//
// Executes a program file as the machine of a machine file would: the command
// processor, the engines with their queues, the synchronization file, the
// memories. Integers are those of the evaluator; time follows the formulas of
// the instruction table (Timeline.h says how commands share memory).
//
// A command's work happens at one moment between its start and its completion,
// all at once. That is when it reads memory, parameters and the scalar
// registers that are read late. Normally that is when it completes.
//
// Every run is a function of its inputs: equal ones give equal results, times
// and traces.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_SIMULATOR_SIMULATOR_H
#define TALLY_RUN_SIMULATOR_SIMULATOR_H

#include "tally/emit/program/Program.h"
#include "tally/machine/Machine.h"
#include "tally/run/simulator/Code.h"
#include "tally/run/simulator/Counters.h"
#include "tally/run/simulator/Fault.h"
#include "tally/run/simulator/Memory.h"
#include "tally/run/simulator/Trace.h"
#include "tally/support/Result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tally::simulator {

enum class Mode : uint8_t {
  Full,
  /// Commands do their work in the order of issue, in no time; signals and
  /// waits mean nothing.
  Functional,
  /// Commands take their time and do no work: memories keep what they hold, and
  /// nothing that is read counts as unwritten.
  Timing,
};

/// What a region holds; of a state, its value before the call, after it, or
/// both, one over the other.
enum class Role : uint8_t {
  Constants,
  Arena,
  Context,
  Input,
  Output,
  OldState,
  NewState,
  State
};

/// A part of global memory that a program addresses by number.
struct Region {
  int64_t number = 0; ///< tally/emit/isa/Config.h
  std::string name;   ///< "constants", "arena", "context", or titleOf(buffer)
  int64_t bytes = 0, alignment = 1;
  Role role = Role::Arena;
};

/// Where a region lies in one call.
struct Binding {
  int64_t region = 0;
  uint64_t base = 0; ///< address in global memory
  /// The host's memory that stands for it, at least the region's bytes. Empty
  /// for constants and arena, which the simulator keeps.
  std::span<uint8_t> bytes;
};

struct RunOptions {
  Mode mode = Mode::Full;
  /// With a seed, commands take longer by random amounts and work either when
  /// they start or when they complete, and the processor pauses at random: a
  /// correct program gives the same results.
  std::optional<uint64_t> perturbation;
  /// Compare the bytes that each command touches with its declared effects.
  bool audit = false;
  /// The engine fails at that command of the run, from 0 in the order in which
  /// they work: it writes nothing, and the run ends with SIM-INJECTED.
  std::optional<int64_t> failAt;
  TraceSink *trace = nullptr;
  /// Instructions of the processor, after which a run counts as hanging.
  int64_t maxInstructions = 1'000'000'000;
};

/// How a run ended. With a fault, the counters are those up to there.
struct Outcome {
  Counters counters;
  std::optional<Fault> fault;
};

/// A machine with a program loaded. Calls share nothing but the caller's
/// buffers: SRAM, accumulators and arena are undefined, and synchronization
/// registers 0, at the start of each.
///
/// Rules of a call (FailureKind::Usage); the program does not start:
///   BIND-1  every region of the program is bound once, and no other
///   BIND-2  a buffer has the bytes of its region
///   BIND-3  its base is a multiple of the region's and the machine's alignment
///   BIND-4  it lies whole in a window of the global memory
///   BIND-5  no two regions share an address or a byte of the host
///   BIND-6  run-time scalars in the context lie in their ranges
class Simulator {
public:
  /// Fails with the rules of isa::checkProgram and isa::checkMachine.
  static Result<std::unique_ptr<Simulator>> create(machine::Machine machine,
                                                   isa::Program program);

  Simulator(const Simulator &) = delete;
  Simulator &operator=(const Simulator &) = delete;

  const machine::Machine &machine() const { return theMachine; }
  const isa::Program &program() const { return theProgram; }
  /// What a call must bind: regions with bytes, by number.
  const std::vector<Region> &regions() const { return theRegions; }

  /// Bases for all regions, from the first window on; BIND-4 when they do not
  /// fit. Bytes stay empty. `room` has the numbers of regions that need more
  /// bytes than they have, as their bases move from call to call.
  Result<std::vector<Binding>>
  place(const std::map<int64_t, int64_t> &room = {}) const;

  Result<Outcome> run(std::span<const Binding> bindings,
                      const RunOptions &options = {});

private:
  Status checkBinding(const Binding &binding) const;
  Status checkOverlaps(std::span<const Binding> bindings) const;
  Status checkScalars(const Binding &context) const;
  Status bind(std::span<const Binding> bindings);
  const Region *findRegion(int64_t number) const;
  void map(const Binding &binding);
  void prepareOnChip(std::optional<uint64_t> seed);

  Simulator(machine::Machine machine, isa::Program program);

  const machine::Machine theMachine;
  isa::Program theProgram;
  std::vector<Region> theRegions;
  Code code;
  Memory memory;
  std::vector<uint8_t> arena, sram, accumulators;
};

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_SIMULATOR_H
