//===- Refusal.cpp - why there is no register -----------------------------===//

#include "tally/plan/registers/Refusal.h"

#include "tally/plan/registers/Spill.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::registers;

static std::string quote(const std::string &name) { return "'" + name + "'"; }

namespace {
/// Words for points of one problem.
class Places {
public:
  Places(const RegisterProblem &problem, const Liveness &liveness)
      : problem(problem), liveness(liveness) {}

  const std::string &statement(Point point) const;
  std::string place(Point point) const;
  Holder holder(ValueId value, Point point, int64_t reg = kNone) const;
  Holder clobber(uint32_t reg, Point point) const;

private:
  const Step &step(Point point) const {
    return liveness.steps[point / kPointsPerStep];
  }
  std::string writer(ValueId value, Point point) const;
  std::string flightQueue(ValueId value, Point point) const;

  const RegisterProblem &problem;
  const Liveness &liveness;
};
} // namespace

const std::string &Places::statement(Point point) const {
  return problem.statements[step(point).statement].name;
}

std::string Places::place(Point point) const {
  if (point >= liveness.pressure.size())
    return "the end";
  const char *part = "";
  if (step(point).part == StepPart::Enter)
    part = "the entry of ";
  else if (step(point).part == StepPart::Latch)
    part = "the next trip of ";
  return part + quote(statement(point));
}

/// The newest writer in the order of the text; around a loop, the last one.
std::string Places::writer(ValueId value, Point point) const {
  auto writesIt = [&](const Step &at) {
    return std::ranges::count(writesOf(problem, at), value) != 0;
  };
  size_t here = (point + 1) / kPointsPerStep; // a write is a step's last point
  for (size_t at = here; at-- > 0;)
    if (writesIt(liveness.steps[at]))
      return problem.statements[liveness.steps[at].statement].name;
  for (size_t at = liveness.steps.size(); at-- > here;)
    if (writesIt(liveness.steps[at]))
      return problem.statements[liveness.steps[at].statement].name;
  return "";
}

std::string Places::flightQueue(ValueId value, Point point) const {
  if (!covers(liveness.onlyInFlight[value], point))
    return "";
  std::string queue;
  for (size_t at = 0; at <= point / kPointsPerStep; ++at) {
    const Statement &reader = problem.statements[liveness.steps[at].statement];
    for (const Use &use : reader.uses)
      if (use.late && use.value == value)
        queue = problem.queues[reader.queue];
  }
  return queue;
}

Holder Places::holder(ValueId value, Point point, int64_t reg) const {
  Holder result;
  result.reg = reg;
  result.value = problem.values[value].name;
  result.role = problem.values[value].role;
  result.since = writer(value, point);
  Point end = rangeAt(liveness.values[value], point).end;
  // In flight up to the last point: to the end; else the last step has it.
  bool drains = end == liveness.pressure.size() &&
                covers(liveness.onlyInFlight[value], end - 1);
  result.until = place(drains ? end : end - 1);
  result.inFlightOn = flightQueue(value, point);
  return result;
}

Holder Places::clobber(uint32_t reg, Point point) const {
  Holder result;
  result.reg = reg;
  result.since = statement(point);
  return result;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string tally::plan::registers::describe(const Holder &holder) {
  std::string reg = "r" + std::to_string(holder.reg);
  if (holder.value.empty())
    return reg + " is clobbered by " + quote(holder.since);
  std::string text = holder.reg == kNone ? "" : reg + " holds ";
  text += quote(holder.value) + " (";
  if (!holder.role.empty())
    text += holder.role + "; ";
  text += "written by " + quote(holder.since) + ", ";
  text += holder.inFlightOn.empty()
              ? "needed until "
              : "in flight on " + quote(holder.inFlightOn) + " until ";
  return text + holder.until + ")";
}

static std::string describeAll(const std::vector<Holder> &holders) {
  std::string text;
  for (const Holder &holder : holders)
    text += (text.empty() ? "" : ", ") + describe(holder);
  return text;
}

static Diagnostic unsupported(const char *rule, std::string message,
                              std::string hint) {
  Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = rule;
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static std::string counted(int64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

//===----------------------------------------------------------------------===//
// REG-8
//===----------------------------------------------------------------------===//

/// Puts `added` right before `place` in its body.
static void insertBefore(RegisterProblem &problem, StatementId place,
                         StatementId added) {
  auto insert = [&](std::vector<StatementId> &body) {
    auto at = std::ranges::find(body, place);
    if (at != body.end())
      body.insert(at, added);
  };
  insert(problem.body);
  for (Statement &statement : problem.statements) {
    insert(statement.body);
    insert(statement.otherwise);
  }
}

/// Whether a wait for `holder`'s queue right before the statement of `point`
/// makes its register free there: another queue may read it, too.
static bool waitFrees(const RegisterProblem &problem, const Liveness &liveness,
                      Point point, const Holder &holder) {
  const Step &step = liveness.steps[point / kPointsPerStep];
  auto value = std::ranges::find(problem.values, holder.value, &Value::name);
  auto queue = std::ranges::find(problem.queues, holder.inFlightOn);
  if (step.part == StepPart::Latch || queue == problem.queues.end())
    return false;
  RegisterProblem other = problem;
  Statement wait;
  wait.kind = StatementKind::Wait;
  wait.queue = queue - problem.queues.begin();
  other.statements.push_back(std::move(wait));
  insertBefore(other, step.statement,
               static_cast<StatementId>(other.statements.size() - 1));
  Result<Liveness> changed = computeLiveness(other);
  // The wait is one step before.
  return changed && !covers(changed->values[value - problem.values.begin()],
                            point + kPointsPerStep);
}

/// Whether there are registers at each point once `value` is made again
/// wherever it is read.
static bool fitsWithout(const RegisterProblem &problem, ValueId value) {
  SpilledProblem other(problem);
  other.spill(value);
  Result<Liveness> liveness = computeLiveness(other.problem());
  return liveness && std::ranges::max(liveness->pressure) <=
                         usableRegisters(problem.file).size();
}

static std::string pressureHint(const RegisterProblem &problem,
                                const Liveness &liveness, Point point,
                                const Refusal &refusal) {
  for (const Holder &holder : refusal.holders)
    if (!holder.inFlightOn.empty() &&
        waitFrees(problem, liveness, point, holder))
      return "a wait for " + quote(holder.inFlightOn) + " before " +
             quote(refusal.at) + " frees " + quote(holder.value);
  SpilledProblem choices(problem);
  for (ValueId value = 0; value < problem.values.size(); ++value)
    if (covers(liveness.values[value], point) && choices.isSpillable(value) &&
        fitsWithout(problem, value))
      return "all fit if " + describe(problem.values[value]) +
             " is made again where it is needed";
  return "shorten a life";
}

std::vector<Holder>
tally::plan::registers::holdersAt(const RegisterProblem &problem,
                                  const Liveness &liveness, Point point) {
  Places places(problem, liveness);
  std::vector<Holder> holders;
  for (ValueId value = 0; value < problem.values.size(); ++value)
    if (covers(liveness.values[value], point))
      holders.push_back(places.holder(value, point));
  for (uint32_t reg : usableRegisters(problem.file))
    if (covers(liveness.clobbers[reg], point))
      holders.push_back(places.clobber(reg, point));
  return holders;
}

Refusal tally::plan::registers::refusePressure(const RegisterProblem &problem,
                                               const Liveness &liveness,
                                               Point point) {
  Places places(problem, liveness);
  std::vector<uint32_t> usable = usableRegisters(problem.file);
  Refusal refusal;
  refusal.at = places.statement(point);
  refusal.needed = liveness.pressure[point];
  refusal.usable = static_cast<int64_t>(usable.size());
  refusal.holders = holdersAt(problem, liveness, point);
  std::string area = problem.file.slots > 0
                         ? " and none of the values can be saved"
                         : " and the machine has no save area";
  refusal.diagnostic = unsupported(
      "REG-8",
      counted(refusal.needed, "register") + " needed at " +
          places.place(point) + ", " + std::to_string(refusal.usable) +
          " usable" + area + ": " + describeAll(refusal.holders),
      pressureHint(problem, liveness, point, refusal));
  return refusal;
}

Refusal
tally::plan::registers::refuseSlots(const RegisterProblem &problem,
                                    const Liveness &liveness,
                                    const std::vector<ValueId> &spilled) {
  Places places(problem, liveness);
  Refusal refusal;
  refusal.usable = static_cast<int64_t>(usableRegisters(problem.file).size());
  for (ValueId value : spilled)
    if (const Ranges &ranges = liveness.values[value]; !ranges.empty())
      refusal.holders.push_back(places.holder(value, ranges.front().begin));
  refusal.needed = static_cast<int64_t>(refusal.holders.size());
  refusal.diagnostic = unsupported(
      "REG-8",
      counted(refusal.needed, "value") + " have no register, " +
          std::to_string(refusal.usable) + " usable, and the save area has " +
          counted(problem.file.slots, "slot") + ": " +
          describeAll(refusal.holders),
      "enlarge the save area or shorten a life");
  return refusal;
}

//===----------------------------------------------------------------------===//
// REG-9
//===----------------------------------------------------------------------===//

static Refusal refuseFixed(const RegisterProblem &problem, const Places &places,
                           ValueId value, Point point, Holder other) {
  Refusal refusal;
  refusal.at = places.statement(point);
  refusal.value = problem.values[value].name;
  refusal.usable = static_cast<int64_t>(usableRegisters(problem.file).size());
  int64_t reg = problem.values[value].fixed;
  refusal.holders = {places.holder(value, point, reg), std::move(other)};
  refusal.diagnostic =
      unsupported("REG-9",
                  quote(refusal.value) + " is fixed to r" +
                      std::to_string(reg) + " and is not alone there at " +
                      places.place(point) + ": " + describeAll(refusal.holders),
                  "copy the value to one without a fixed register");
  return refusal;
}

std::optional<Refusal>
tally::plan::registers::findFixedConflict(const RegisterProblem &problem,
                                          const Liveness &liveness) {
  Places places(problem, liveness);
  std::vector<std::vector<ValueId>> tenants(problem.file.count);
  for (ValueId value = 0; value < problem.values.size(); ++value) {
    int64_t reg = problem.values[value].fixed;
    if (reg == kNone)
      continue;
    const Ranges &ranges = liveness.values[value];
    if (int64_t at = firstCommon(ranges, liveness.clobbers[reg]); at != kNone)
      return refuseFixed(
          problem, places, value, static_cast<Point>(at),
          places.clobber(static_cast<uint32_t>(reg), static_cast<Point>(at)));
    for (ValueId other : tenants[reg])
      if (int64_t at = firstCommon(ranges, liveness.values[other]); at != kNone)
        return refuseFixed(problem, places, value, static_cast<Point>(at),
                           places.holder(other, static_cast<Point>(at), reg));
    tenants[reg].push_back(value);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// REG-10
//===----------------------------------------------------------------------===//

/// What of the values before `stuck` keeps it out of `reg`.
static Holder obstacle(const Liveness &liveness, const Places &places,
                       const Assignment &assignment, uint32_t reg) {
  const Ranges &ranges = liveness.values[assignment.stuck];
  if (int64_t at = firstCommon(ranges, liveness.clobbers[reg]); at != kNone)
    return places.clobber(reg, static_cast<Point>(at));
  for (ValueId value = 0; value < assignment.registers.size(); ++value) {
    if (assignment.registers[value] != reg)
      continue;
    int64_t at = firstCommon(ranges, liveness.values[value]);
    if (at != kNone)
      return places.holder(value, static_cast<Point>(at), reg);
  }
  return {};
}

/// What is in flight cannot move.
static std::string stuckHint(const RegisterProblem &problem,
                             const Liveness &liveness,
                             const std::vector<Holder> &holders,
                             ValueId stuck) {
  Places places(problem, liveness);
  if (const Ranges &flights = liveness.onlyInFlight[stuck]; !flights.empty())
    return "wait for " +
           quote(places.holder(stuck, flights.front().begin).inFlightOn) +
           " earlier: what is in flight cannot move";
  for (const Holder &holder : holders)
    if (!holder.inFlightOn.empty())
      return "wait for " + quote(holder.inFlightOn) +
             " earlier: " + quote(holder.value) +
             " cannot move while it is in flight";
  return "shorten a life";
}

Refusal tally::plan::registers::refuseStuck(const RegisterProblem &problem,
                                            const Liveness &liveness,
                                            const Assignment &assignment) {
  Places places(problem, liveness);
  ValueId stuck = static_cast<ValueId>(assignment.stuck);
  Point first = liveness.values[stuck].front().begin;
  std::vector<uint32_t> usable = usableRegisters(problem.file);
  Refusal refusal;
  refusal.at = places.statement(first);
  refusal.value = problem.values[stuck].name;
  refusal.usable = static_cast<int64_t>(usable.size());
  for (uint32_t reg : usable)
    refusal.holders.push_back(obstacle(liveness, places, assignment, reg));
  const char *tried = assignment.exhaustive
                          ? "no choice of registers gives "
                          : "no choice of registers that was tried gives ";
  refusal.diagnostic =
      unsupported("REG-10",
                  tried + quote(refusal.value) + " of " + quote(refusal.at) +
                      " one for its whole life, and no moves help, though " +
                      counted(refusal.usable, "register") +
                      " suffice at each point: " + describeAll(refusal.holders),
                  stuckHint(problem, liveness, refusal.holders, stuck));
  return refusal;
}
