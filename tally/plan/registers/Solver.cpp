//===- Solver.cpp - a register for every value ----------------------------===//
//
// Rounds of: where does each value need a register, does every point have
// enough, assign. When a round fails, the machine's save area takes the value
// whose transfers cost least for the room it leaves, and the next round plans
// what is left. Without a save area, or if it cannot help, values may change
// their register (Split.h). A program whose first round fits has neither
// transfers nor moves.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Solver.h"

#include "tally/plan/registers/Assign.h"
#include "tally/plan/registers/Refusal.h"
#include "tally/plan/registers/Spill.h"
#include "tally/plan/registers/Split.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::registers;

namespace {
class Solver {
public:
  Solver(const RegisterProblem &original, Seed seed)
      : original(original), seed(seed), current(original) {}
  Result<RegisterSolution> run(Refusal &refusal);

private:
  Result<RegisterSolution> finish(const Assignment &assignment,
                                  Refusal &refusal);
  bool canSpill() const { return original.file.slots > 0; }

  const RegisterProblem &original;
  Seed seed;
  SpilledProblem current;
};
} // namespace

static Diagnostic because(Refusal &refusal, Refusal reason) {
  refusal = std::move(reason);
  return refusal.diagnostic;
}

Result<RegisterSolution> Solver::finish(const Assignment &assignment,
                                        Refusal &refusal) {
  if (current.spilled().empty())
    return current.solution(assignment.registers, {});
  Result<Liveness> liveness = computeLiveness(original);
  if (!liveness)
    return liveness.takeError();
  std::vector<int64_t> slots =
      assignSlots(*liveness, current.spilled(), original.file.slots);
  if (slots.empty())
    return because(refusal,
                   refuseSlots(original, *liveness, current.spilled()));
  return current.solution(assignment.registers, slots);
}

Result<RegisterSolution> Solver::run(Refusal &refusal) {
  size_t usable = usableRegisters(original.file).size();
  for (;;) {
    const RegisterProblem &problem = current.problem();
    Result<Liveness> liveness = computeLiveness(problem);
    if (!liveness)
      return liveness.takeError();
    if (auto conflict = findFixedConflict(problem, *liveness))
      return because(refusal, std::move(*conflict));
    auto peak = std::ranges::max_element(liveness->pressure);
    bool crowded = peak != liveness->pressure.end() && *peak > usable;
    Point point = static_cast<Point>(peak - liveness->pressure.begin());
    Assignment assignment;
    if (!crowded) {
      assignment = assignRegisters(problem, *liveness, seed);
      if (assignment.stuck == kNone)
        return finish(assignment, refusal);
    }
    int64_t victim = kNone;
    if (canSpill())
      victim = crowded ? current.cheapestAt(*liveness, point)
                       : current.cheapestBeside(*liveness, assignment.stuck);
    if (victim != kNone) {
      current.spill(static_cast<ValueId>(victim));
      continue;
    }
    if (crowded)
      return because(refusal, refusePressure(problem, *liveness, point));
    if (current.spilled().empty())
      if (auto solution = planWithParts(original, seed))
        return std::move(*solution);
    return because(refusal, refuseStuck(problem, *liveness, assignment));
  }
}

Result<RegisterSolution>
tally::plan::registers::planRegisters(const RegisterProblem &problem,
                                      Refusal *refusal,
                                      std::optional<uint32_t> seed) {
  Refusal own;
  Refusal &filled = refusal ? *refusal : own;
  filled = {};
  Status status = checkProblem(problem);
  Result<RegisterSolution> result =
      status ? Solver(problem, seed).run(filled)
             : Result<RegisterSolution>(status.takeError());
  if (!result)
    filled.diagnostic = result.error();
  return result;
}
