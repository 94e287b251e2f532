//===- Spill.h - values that live in the save area --------------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_SPILL_H
#define TALLY_PLAN_REGISTERS_SPILL_H

#include "tally/plan/registers/Liveness.h"

namespace tally::plan::registers {

/// How often each statement runs: trips of loops, unknown ones as
/// kGuessedTrips.
std::vector<double> tripsOf(const RegisterProblem &problem);
inline constexpr double kGuessedTrips = 10;

/// A problem in which some values were replaced: each read of one by a fresh
/// value that an operation before the statement reloads, each write by a fresh
/// one that an operation after it saves. Statements and values of the original
/// keep their numbers; the fresh ones follow them.
class SpilledProblem {
public:
  explicit SpilledProblem(const RegisterProblem &original);

  const RegisterProblem &problem() const { return rewritten; }
  const std::vector<ValueId> &spilled() const { return victims; }

  /// The value to give up so that `point` of `liveness` needs fewer registers:
  /// the one with the least cost of transfers for each point at which it lives.
  /// kNone if no value can help.
  int64_t cheapestAt(const Liveness &liveness, Point point) const;
  /// The same among `stuck` and all values that live together with it.
  int64_t cheapestBeside(const Liveness &liveness, ValueId stuck) const;

  bool isSpillable(ValueId value) const { return canSpill[value]; }
  void spill(ValueId value);

  /// Cost of the transfers that `value` would need, as often as they run.
  double costOf(ValueId value) const { return costs[value]; }

  /// The plan for the original: `registers` belong to problem()'s values,
  /// slots[i] to spilled()[i].
  RegisterSolution solution(const std::vector<int64_t> &registers,
                            const std::vector<int64_t> &slots) const;

private:
  struct Placed {
    Transfer transfer;
    ValueId fresh;
    StatementId operation; ///< that stands for the transfer
  };
  bool isBetter(const Liveness &liveness, ValueId value, int64_t than) const;
  Placed place(Transfer::Kind kind, StatementId statement, ValueId value);
  void insertOperations(size_t firstPlaced);
  std::vector<StatementId> withOperations(const std::vector<StatementId> &body,
                                          size_t firstPlaced) const;

  RegisterProblem rewritten;
  size_t originalValues, originalStatements;
  std::vector<double> costs;  ///< of each original value
  std::vector<bool> canSpill; ///< each original value
  std::vector<ValueId> victims;
  std::vector<Placed> placed;
};

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_SPILL_H
