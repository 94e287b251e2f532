//===- Linearize.cpp - a structured program as steps with predecessors ----===//

#include "tally/plan/registers/Liveness.h"

using namespace tally::plan::registers;

namespace {
/// Emits steps; `open` are the steps from which control reaches the next one.
class Linearizer {
public:
  explicit Linearizer(const RegisterProblem &problem) : problem(problem) {}
  void emit(const std::vector<StatementId> &body);
  std::vector<Step> steps;

private:
  uint32_t add(StatementId id, StepPart part);
  void emitIf(StatementId id);
  void emitLoop(StatementId id);

  const RegisterProblem &problem;
  std::vector<uint32_t> open;
};
} // namespace

uint32_t Linearizer::add(StatementId id, StepPart part) {
  uint32_t at = static_cast<uint32_t>(steps.size());
  steps.push_back({id, part, open});
  open = {at};
  return at;
}

void Linearizer::emit(const std::vector<StatementId> &body) {
  for (StatementId id : body) {
    StatementKind kind = problem.statements[id].kind;
    if (kind == StatementKind::If)
      emitIf(id);
    else if (kind == StatementKind::Loop)
      emitLoop(id);
    else
      add(id, StepPart::Whole);
  }
}

void Linearizer::emitIf(StatementId id) {
  uint32_t branch = add(id, StepPart::Whole);
  emit(problem.statements[id].body);
  std::vector<uint32_t> taken = open;
  open = {branch};
  emit(problem.statements[id].otherwise);
  // Of two empty bodies, the branch itself is left once.
  if (taken != open)
    open.insert(open.end(), taken.begin(), taken.end());
}

void Linearizer::emitLoop(StatementId id) {
  const Statement &loop = problem.statements[id];
  uint32_t enter = add(id, StepPart::Enter);
  emit(loop.body);
  uint32_t latch = add(id, StepPart::Latch);
  // The step after the entry is the body's first, or the latch itself.
  if (loop.mayRepeat())
    steps[enter + 1].predecessors.push_back(latch);
  if (loop.maySkip())
    open.push_back(enter);
}

std::vector<Step>
tally::plan::registers::linearize(const RegisterProblem &problem) {
  Linearizer linearizer(problem);
  linearizer.emit(problem.body);
  return std::move(linearizer.steps);
}

std::vector<Use> tally::plan::registers::readsOf(const RegisterProblem &problem,
                                                 const Step &step) {
  const Statement &statement = problem.statements[step.statement];
  std::vector<Use> reads = statement.uses;
  if (step.part == StepPart::Latch && statement.counter != kNone)
    reads.push_back({static_cast<ValueId>(statement.counter), false});
  return reads;
}

std::vector<ValueId>
tally::plan::registers::writesOf(const RegisterProblem &problem,
                                 const Step &step) {
  const Statement &statement = problem.statements[step.statement];
  if (step.part != StepPart::Whole && statement.counter != kNone)
    return {static_cast<ValueId>(statement.counter)};
  return statement.defs;
}
