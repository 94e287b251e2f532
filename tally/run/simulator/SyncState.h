//===- SyncState.h - the synchronization file while it runs -----*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_SYNCSTATE_H
#define TALLY_RUN_SIMULATOR_SYNCSTATE_H

#include "tally/emit/isa/Instruction.h"
#include "tally/machine/Machine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tally::simulator {

/// The registers' values. Every function but
/// `admit` takes a register below Machine::syncRegisters(). What the file's
/// rules forbid is returned as text; nothing means that it happened.
class SyncState {
public:
  explicit SyncState(const machine::Machine &machine);

  int64_t value(int64_t reg) const { return states[size_t(reg)].value; }
  int64_t registers() const { return int64_t(states.size()); }

  /// Adds 1, or sets. A counter or token that has its largest value faults,
  /// unless counters compare modulo their width.
  std::optional<std::string> signal(int64_t reg);
  void take(int64_t reg) { --states[size_t(reg)].value; }
  void clear(int64_t reg) { states[size_t(reg)].value = 0; }
  void reset(int64_t reg) { states[size_t(reg)] = {}; }
  /// Whether a counter has reached `threshold` (machine::SyncCompare).
  bool hasReached(int64_t reg, int64_t threshold) const;
  /// Whether `queue` may issue the instruction on that register: it exists, is
  /// not reserved, belongs to the queue (machine::SyncKey), is of the right
  /// kind, and is not waited on by another queue where the machine forbids
  /// that.
  std::optional<std::string> admit(isa::Opcode opcode, int64_t reg,
                                   uint32_t queue);

  /// A signal was issued; it is not yet performed.
  void countIssued(int64_t reg) { ++states[size_t(reg)].issued; }
  int64_t issued(int64_t reg) const { return states[size_t(reg)].issued; }

private:
  std::optional<std::string> checkKind(isa::Opcode opcode) const;
  std::optional<std::string> checkOwner(isa::Opcode opcode, int64_t reg,
                                        uint32_t queue) const;

  struct State {
    int64_t value = 0;
    int64_t issued = 0; ///< signals since the reset
    std::optional<uint32_t> waiter;
  };
  const machine::SyncFile &file;
  const int64_t queues;
  std::vector<State> states;
};

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_SYNCSTATE_H
