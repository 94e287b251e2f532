//===- Validator.cpp - the laws of a plan ---------------------------------===//
//
// Form, keys and waits are counted first. Evidence.cpp then proves what order
// the commands enforce, and the other laws are read off it.
//
// REACH is the argument against deadlock: if the operations issued before a
// waiter suffice to let it pass, then by induction over the issue order every
// operation runs, whatever the depths.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Evidence.h"
#include "tally/plan/sync/Execution.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace tally::plan::sync;

namespace {
class Judge {
public:
  Judge(const SyncProblem &problem, const SyncPlan &plan)
      : problem(problem), plan(plan), most(problem.file.maxValue()) {}

  Violation judge();

private:
  template <typename Command>
  Violation checkList(const std::vector<Command> &commands,
                      const char *what) const;
  Violation checkForm() const;
  Violation checkProblemForm() const;
  Violation checkWaitForm() const;
  Violation checkFile() const;
  Violation checkKeys() const;
  Violation checkWaits() const;
  Violation checkReach(const Evidence &evidence) const;
  Violation checkTokens(const Evidence &evidence, const Wait &wait) const;
  Violation checkFlag(const Evidence &evidence, const Wait &wait) const;
  Violation checkOrder(const Evidence &evidence) const;
  Violation checkWidth(const Evidence &evidence) const;
  Violation checkResidue(const Evidence &evidence) const;

  std::string name(Op op) const { return problem.operations[op].name; }
  std::string registerName(uint32_t reg) const {
    return "register " + std::to_string(plan.registers[reg].number);
  }

  const SyncProblem &problem;
  const SyncPlan &plan;
  int64_t most;
};
} // namespace

template <typename Command>
Violation Judge::checkList(const std::vector<Command> &commands,
                           const char *what) const {
  Op last = 0;
  for (const Command &command : commands) {
    if (command.op >= problem.operations.size() ||
        command.reg >= plan.registers.size())
      return {"FORM", std::string(what) + " of operation " +
                          std::to_string(command.op) + " on register " +
                          std::to_string(command.reg) +
                          " of the plan: there is none"};
    if (command.op < last)
      return {"FORM", std::string(what) + " of " + name(command.op) +
                          " stands after one of " + name(last)};
    last = command.op;
  }
  return {};
}

Violation Judge::checkProblemForm() const {
  for (const Operation &operation : problem.operations)
    if (operation.queue >= problem.queues.size())
      return {"FORM", operation.name + " is in no queue"};
  for (const Dependency &dependency : problem.dependencies)
    if (std::max(dependency.from, dependency.to) >= problem.operations.size())
      return {"FORM", "a dependency of no operation"};
  if (problem.file.bits < 1 || problem.file.bits > 62)
    return {"FORM",
            "registers of " + std::to_string(problem.file.bits) + " bits"};
  return {};
}

Violation Judge::checkWaitForm() const {
  for (const Wait &wait : plan.waits) {
    bool isOne = problem.file.kind != FileKind::Counter;
    if (wait.value < 1 || (isOne && wait.value != 1))
      return {"FORM", name(wait.op) + " waits for " +
                          std::to_string(wait.value) + " on " +
                          registerName(wait.reg)};
  }
  if (problem.file.kind != FileKind::Flag && !plan.clears.empty())
    return {"FORM", name(plan.clears[0].op) + " clears what is no flag"};
  return {};
}

Violation Judge::checkForm() const {
  if (Violation found = checkProblemForm())
    return found;
  if (Violation found = checkList(plan.signals, "a signal"))
    return found;
  if (Violation found = checkList(plan.waits, "a wait"))
    return found;
  if (Violation found = checkList(plan.clears, "a clear"))
    return found;
  Op least = 0;
  for (Op drain : plan.drains) {
    if (drain < least || drain >= problem.operations.size())
      return {"FORM", "a drain before operation " + std::to_string(drain)};
    least = drain + 1;
  }
  for (uint32_t reg : plan.finalClears)
    if (reg >= plan.registers.size())
      return {"FORM", "a final clear of no register"};
  if (!plan.drains.empty() && !problem.file.drains)
    return {"FORM", "the command processor cannot drain"};
  return checkWaitForm();
}

Violation Judge::checkFile() const {
  const SyncFile &file = problem.file;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> seen;
  for (const Register &reg : plan.registers) {
    if (reg.number >= file.count ||
        std::count(file.reserved.begin(), file.reserved.end(), reg.number))
      return {"KEY", "register " + std::to_string(reg.number) +
                         " is reserved or not in the file"};
    if ((file.key != FileKey::Global) != (reg.source != kAnyQueue) ||
        (file.key == FileKey::SourceDestination) !=
            (reg.destination != kAnyQueue))
      return {"KEY", "register " + std::to_string(reg.number) +
                         " names other queues than the file's key"};
    if (!seen.insert({reg.number, reg.source, reg.destination}).second)
      return {"KEY",
              "register " + std::to_string(reg.number) + " is listed twice"};
  }
  return {};
}

Violation Judge::checkKeys() const {
  if (Violation found = checkFile())
    return found;
  auto isOf = [&](Op op, uint32_t queue) {
    return queue == kAnyQueue || problem.operations[op].queue == queue;
  };
  for (const Signal &signal : plan.signals)
    if (!isOf(signal.op, plan.registers[signal.reg].source))
      return {"KEY", name(signal.op) + " signals " + registerName(signal.reg) +
                         " of another queue"};
  for (const Wait &wait : plan.waits)
    if (!isOf(wait.op, plan.registers[wait.reg].destination))
      return {"KEY", name(wait.op) + " waits on " + registerName(wait.reg) +
                         " of another queue"};
  return {};
}

Violation Judge::checkWaits() const {
  int64_t inCommand = 0;
  const Wait *last = nullptr;
  for (const Wait &wait : plan.waits) {
    bool isSame = last && last->op == wait.op && last->command == wait.command;
    if (last && last->op == wait.op && wait.command < last->command)
      return {"FORM", "wait commands of " + name(wait.op) + " out of order"};
    inCommand = isSame ? inCommand + 1 : 1;
    last = &wait;
    if (problem.file.waitsPerCommand &&
        inCommand > problem.file.waitsPerCommand)
      return {"WAITS", "a command of " + name(wait.op) + " has more than " +
                           std::to_string(problem.file.waitsPerCommand) +
                           " waits"};
  }
  return {};
}

/// Signals of a register by operations before `op`, since the last drain.
static int64_t countBefore(const Lines &lines, Op op) {
  int64_t count = 0;
  for (const std::vector<Op> &line : lines)
    count += static_cast<int64_t>(
        leading(line, [&](Op other) { return other < op; }));
  return count;
}

/// The takes of one register have to follow each other, or one may get what
/// was meant for another.
Violation Judge::checkTokens(const Evidence &evidence, const Wait &wait) const {
  const RegisterUse &use = evidence.use(wait.reg, evidence.segmentOf(wait.op));
  for (const std::vector<Op> &line : use.takes) {
    size_t earlier = leading(line, [&](Op other) { return other < wait.op; });
    if (earlier && !evidence.startedAtArrival(line[earlier - 1], wait.op))
      return {"REACH", name(wait.op) + " and " + name(line[earlier - 1]) +
                           " may take each other's tokens of " +
                           registerName(wait.reg)};
  }
  if (countBefore(use.signals, wait.op) < countBefore(use.takes, wait.op + 1))
    return {"REACH", "no token of " + registerName(wait.reg) + " is left for " +
                         name(wait.op)};
  return {};
}

Violation Judge::checkFlag(const Evidence &evidence, const Wait &wait) const {
  const RegisterUse &use = evidence.use(wait.reg, evidence.segmentOf(wait.op));
  Op setter = UINT32_MAX;
  for (const std::vector<Op> &line : use.signals) {
    size_t count = leading(line, [&](Op other) {
      return other < wait.op && evidence.completed(other, wait.op);
    });
    if (count && (setter == UINT32_MAX || line[count - 1] > setter))
      setter = line[count - 1];
  }
  if (setter == UINT32_MAX)
    return {"REACH", "nothing surely sets " + registerName(wait.reg) + " for " +
                         name(wait.op)};
  for (const std::vector<Op> &line : use.clears) {
    size_t early = leading(line, [&](Op clear) {
      return evidence.startedBeforeEnd(clear, setter);
    });
    if (early < line.size() && line[early] != wait.op &&
        !evidence.started(wait.op, line[early]))
      return {"CLEAR", name(line[early]) + " may clear " +
                           registerName(wait.reg) + " before " + name(wait.op) +
                           " has seen it"};
  }
  return {};
}

Violation Judge::checkReach(const Evidence &evidence) const {
  for (const Wait &wait : plan.waits) {
    Violation found;
    const RegisterUse &use =
        evidence.use(wait.reg, evidence.segmentOf(wait.op));
    if (problem.file.kind == FileKind::Token)
      found = checkTokens(evidence, wait);
    else if (problem.file.kind == FileKind::Flag)
      found = checkFlag(evidence, wait);
    else if (int64_t count = countBefore(use.signals, wait.op);
             count < wait.value)
      found = {"REACH", name(wait.op) + " waits for " +
                            std::to_string(wait.value) + " on " +
                            registerName(wait.reg) +
                            ", but operations before it signal " +
                            std::to_string(count) + " times"};
    if (found)
      return found;
  }
  return {};
}

Violation Judge::checkOrder(const Evidence &evidence) const {
  for (const Dependency &dependency : problem.dependencies) {
    Op from = dependency.from, to = dependency.to;
    bool isIssued = dependency.strength == Strength::Issued;
    if (from == to ||
        (isIssued ? evidence.started(from, to) : evidence.completed(from, to)))
      continue;
    return {"ORDER", name(to) + " may start before " + name(from) + " has " +
                         (isIssued ? "started" : "completed")};
  }
  return {};
}

/// The most that a token can hold right after `signal`.
static int64_t mostTokens(const Evidence &evidence, const RegisterUse &use,
                          Op signal) {
  int64_t count = 0;
  for (const std::vector<Op> &line : use.signals)
    count += static_cast<int64_t>(leading(
        line, [&](Op other) { return !evidence.completed(signal, other); }));
  for (const std::vector<Op> &line : use.takes)
    count -= static_cast<int64_t>(leading(line, [&](Op other) {
      return evidence.startedBeforeEnd(other, signal) ||
             evidence.startedByIssue(other, signal);
    }));
  return count;
}

Violation Judge::checkWidth(const Evidence &evidence) const {
  if (problem.file.kind == FileKind::Flag)
    return {};
  for (const Signal &signal : plan.signals) {
    const RegisterUse &use =
        evidence.use(signal.reg, evidence.segmentOf(signal.op));
    int64_t value = problem.file.kind == FileKind::Token
                        ? mostTokens(evidence, use, signal.op)
                        : countBefore(use.signals, signal.op + 1);
    if (value > most)
      return {"WIDTH", registerName(signal.reg) + " may reach " +
                           std::to_string(value) + " when " + name(signal.op) +
                           " signals, it holds " + std::to_string(most)};
  }
  return {};
}

Violation Judge::checkResidue(const Evidence &evidence) const {
  std::set<uint32_t> cleared(plan.finalClears.begin(), plan.finalClears.end());
  for (uint32_t reg = 0; reg < plan.registers.size(); ++reg) {
    if (cleared.count(reg))
      continue;
    const RegisterUse &use = evidence.use(reg, evidence.segments() - 1);
    bool isZero = use.signals.empty();
    if (problem.file.kind == FileKind::Token)
      isZero = countBefore(use.signals, UINT32_MAX) ==
               countBefore(use.takes, UINT32_MAX);
    else if (problem.file.kind == FileKind::Flag)
      isZero = std::all_of(
          use.signals.begin(), use.signals.end(), [&](const auto &line) {
            return std::any_of(
                use.clears.begin(), use.clears.end(), [&](const auto &clears) {
                  return evidence.completed(line.back(), clears.back());
                });
          });
    if (!isZero)
      return {"RESIDUE", registerName(reg) + " is not 0 at the end"};
  }
  return {};
}

Violation Judge::judge() {
  for (auto check : {&Judge::checkForm, &Judge::checkKeys, &Judge::checkWaits})
    if (Violation found = (this->*check)())
      return found;
  Evidence evidence(problem, plan);
  if (evidence.isTooLarge())
    return {"FORM", "too many operations out of order to judge"};
  for (auto check : {&Judge::checkOrder, &Judge::checkReach, &Judge::checkWidth,
                     &Judge::checkResidue})
    if (Violation found = (this->*check)(evidence))
      return found;
  return {};
}

Violation tally::plan::sync::judgeStraightLine(const SyncProblem &problem,
                                               const SyncPlan &plan) {
  return Judge(problem, plan).judge();
}

int64_t tally::plan::sync::mostHeld(const SyncProblem &problem,
                                    const SyncPlan &plan) {
  Evidence evidence(problem, plan);
  int64_t most = 0;
  for (const Signal &signal : plan.signals)
    most = std::max(
        most,
        mostTokens(evidence,
                   evidence.use(signal.reg, evidence.segmentOf(signal.op)),
                   signal.op));
  return most;
}
