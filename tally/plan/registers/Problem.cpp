//===- Problem.cpp - whether a register problem makes sense ---------------===//

#include "tally/plan/registers/Problem.h"

#include <algorithm>
#include <set>

using namespace tally;
using namespace tally::plan::registers;

static constexpr int64_t kMost = 65536;
/// The judge runs the body of a loop twice at least: 2^16 times in 16 loops.
static constexpr size_t kMostDepth = 16;

static Diagnostic fail(const char *rule, std::string message,
                       std::string hint = "") {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = rule;
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static std::string quote(const std::string &name) { return "'" + name + "'"; }

std::string tally::plan::registers::describe(const Value &value) {
  return value.role.empty() ? quote(value.name)
                            : quote(value.name) + " (" + value.role + ")";
}

//===----------------------------------------------------------------------===//
// REG-2: the machine
//===----------------------------------------------------------------------===//

static Status checkRegister(const RegisterFile &file, int64_t reg,
                            const std::string &whose) {
  if (reg >= 0 && reg < file.count)
    return Status::success();
  return fail("REG-2", whose + " r" + std::to_string(reg) + " is not one of " +
                           std::to_string(file.count) + " registers");
}

static Status checkFile(const RegisterFile &file) {
  if (file.count < 1 || file.count > kMost)
    return fail("REG-2", std::to_string(file.count) +
                             " registers; 1 to 65536 can be planned");
  if (file.slots < 0 || file.slots > kMost || file.transferCost < 0 ||
      file.transferCost > kMost)
    return fail("REG-2", "a save area of " + std::to_string(file.slots) +
                             " slots at cost " +
                             std::to_string(file.transferCost) +
                             "; both are from 0 to 65536");
  for (uint32_t reg : file.reserved)
    if (Status status = checkRegister(file, reg, "the reserved"); !status)
      return status;
  return Status::success();
}

static Status checkFixed(const RegisterFile &file, const Value &value) {
  if (value.fixed == kNone)
    return Status::success();
  if (Status status =
          checkRegister(file, value.fixed, quote(value.name) + "'s fixed");
      !status)
    return status;
  if (std::ranges::count(file.reserved, value.fixed))
    return fail("REG-2", quote(value.name) + " is fixed to r" +
                             std::to_string(value.fixed) +
                             ", which is reserved");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// REG-3: a tree of distinct names
//===----------------------------------------------------------------------===//

template <typename Named>
static Status checkNames(const std::vector<Named> &all, const char *what) {
  std::set<std::string> names;
  for (const Named &one : all)
    if (!names.insert(one.name).second)
      return fail("REG-3",
                  std::string(what) + quote(one.name) + " is there twice",
                  "give each a name of its own");
  return Status::success();
}

/// Marks what lies in `body`, `depth` bodies deep.
static Status markBody(const RegisterProblem &problem,
                       const std::vector<StatementId> &body, size_t depth,
                       std::vector<bool> &seen) {
  for (StatementId id : body) {
    if (id >= seen.size())
      return fail("REG-3", "there is no statement " + std::to_string(id));
    const Statement &statement = problem.statements[id];
    if (seen[id])
      return fail("REG-3", quote(statement.name) + " is part of two bodies");
    if (depth > kMostDepth)
      return fail("REG-3", quote(statement.name) + " lies in more than " +
                               std::to_string(kMostDepth) + " loops and ifs");
    seen[id] = true;
    for (const auto *inner : {&statement.body, &statement.otherwise})
      if (Status status = markBody(problem, *inner, depth + 1, seen); !status)
        return status;
  }
  return Status::success();
}

static Status checkTree(const RegisterProblem &problem) {
  std::vector<bool> seen(problem.statements.size());
  if (Status status = markBody(problem, problem.body, 0, seen); !status)
    return status;
  for (size_t id = 0; id < seen.size(); ++id)
    if (!seen[id])
      return fail("REG-3",
                  quote(problem.statements[id].name) + " is part of no body");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// REG-4 and REG-5: one statement
//===----------------------------------------------------------------------===//

static Status checkOperands(const RegisterProblem &problem,
                            const Statement &statement) {
  std::string name = quote(statement.name);
  for (const Use &use : statement.uses) {
    if (use.value >= problem.values.size())
      return fail("REG-4", name + " reads a value that does not exist");
    if (use.late && (statement.kind != StatementKind::Operation ||
                     statement.queue == kNone))
      return fail("REG-4",
                  name + " reads " + quote(problem.values[use.value].name) +
                      " late, but runs in no queue",
                  "name its queue, or latch the value");
  }
  std::set<ValueId> written;
  for (ValueId value : statement.defs) {
    if (value >= problem.values.size())
      return fail("REG-4", name + " writes a value that does not exist");
    if (!written.insert(value).second)
      return fail("REG-4", name + " writes " +
                               quote(problem.values[value].name) + " twice");
  }
  bool needsQueue = statement.kind == StatementKind::Wait;
  if (statement.queue < (needsQueue ? 0 : kNone) ||
      statement.queue >= static_cast<int64_t>(problem.queues.size()))
    return fail("REG-4", name + " names a queue that does not exist");
  if (statement.pending < 0)
    return fail("REG-4", name + " waits for less than nothing pending");
  return Status::success();
}

static Status checkLoop(const RegisterProblem &problem,
                        const Statement &statement) {
  if (statement.kind != StatementKind::Loop)
    return Status::success();
  if (statement.trips < kUnknownTrips)
    return fail("REG-5", quote(statement.name) + " makes " +
                             std::to_string(statement.trips) + " trips");
  if (statement.counter < kNone ||
      statement.counter >= static_cast<int64_t>(problem.values.size()))
    return fail("REG-4", quote(statement.name) +
                             " counts in a value that does not exist");
  return Status::success();
}

/// Each writer of a counter, other than its loop, anywhere in the program.
static Status checkCounters(const RegisterProblem &problem) {
  std::vector<int64_t> loopOf(problem.values.size(), kNone);
  auto claimed = [&](int64_t value, const Statement &by) -> Status {
    if (loopOf[value] == kNone)
      return Status::success();
    return fail("REG-5",
                quote(by.name) + " writes " +
                    quote(problem.values[value].name) + ", the counter of " +
                    quote(problem.statements[loopOf[value]].name),
                "use another value");
  };
  for (StatementId id = 0; id < problem.statements.size(); ++id) {
    const Statement &statement = problem.statements[id];
    if (statement.kind != StatementKind::Loop || statement.counter == kNone)
      continue;
    if (Status status = claimed(statement.counter, statement); !status)
      return status;
    loopOf[statement.counter] = id;
  }
  for (const Statement &statement : problem.statements)
    for (ValueId value : statement.defs)
      if (Status status = claimed(value, statement); !status)
        return status;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// REG-6: written before it is read
//===----------------------------------------------------------------------===//

namespace {
/// Walks the program once with the set of values that every path has written.
/// Once is enough for loops: a back edge brings more, and only what the entry
/// brings counts at the head.
class Definedness {
public:
  using Set = std::vector<bool>;
  explicit Definedness(const RegisterProblem &problem) : problem(problem) {}
  Status walk(const std::vector<StatementId> &body, Set &written) const;

private:
  Status visit(const Statement &statement, Set &written) const;
  Status branch(const Statement &statement, Set &written) const;
  Status loop(const Statement &statement, Set &written) const;

  const RegisterProblem &problem;
};
} // namespace

Status Definedness::walk(const std::vector<StatementId> &body,
                         Set &written) const {
  for (StatementId id : body)
    if (Status status = visit(problem.statements[id], written); !status)
      return status;
  return Status::success();
}

Status Definedness::visit(const Statement &statement, Set &written) const {
  for (const Use &use : statement.uses)
    if (!written[use.value])
      return fail("REG-6",
                  quote(statement.name) + " reads " +
                      describe(problem.values[use.value]) +
                      ", which is not written on every path to it",
                  "write it before, on each path");
  for (ValueId value : statement.defs)
    written[value] = true;
  if (statement.kind == StatementKind::If)
    return branch(statement, written);
  if (statement.kind == StatementKind::Loop)
    return loop(statement, written);
  return Status::success();
}

Status Definedness::branch(const Statement &statement, Set &written) const {
  Set other = written;
  if (Status status = walk(statement.body, written); !status)
    return status;
  if (Status status = walk(statement.otherwise, other); !status)
    return status;
  for (size_t value = 0; value < written.size(); ++value)
    written[value] = written[value] && other[value];
  return Status::success();
}

Status Definedness::loop(const Statement &statement, Set &written) const {
  if (statement.counter != kNone)
    written[statement.counter] = true;
  Set entry = written;
  if (Status status = walk(statement.body, written); !status)
    return status;
  if (statement.maySkip())
    written = entry;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Fields that a kind of statement has no use for are empty.
static Status checkShape(const Statement &statement) {
  bool operation = statement.kind == StatementKind::Operation;
  if (!operation && !(statement.defs.empty() && statement.clobbers.empty()))
    return fail("REG-4", quote(statement.name) +
                             " writes registers and is no operation");
  bool branch = statement.kind == StatementKind::If;
  bool nests = branch || statement.kind == StatementKind::Loop;
  if ((!nests && !statement.body.empty()) ||
      (!branch && !statement.otherwise.empty()))
    return fail("REG-3", quote(statement.name) + " cannot have that body");
  return Status::success();
}

static Status checkStatement(const RegisterProblem &problem,
                             const Statement &statement) {
  if (Status status = checkShape(statement); !status)
    return status;
  for (uint32_t reg : statement.clobbers)
    if (Status status = checkRegister(problem.file, reg,
                                      quote(statement.name) + "'s clobbered");
        !status)
      return status;
  if (Status status = checkOperands(problem, statement); !status)
    return status;
  return checkLoop(problem, statement);
}

Status tally::plan::registers::checkProblem(const RegisterProblem &problem) {
  if (Status status = checkFile(problem.file); !status)
    return status;
  for (const Value &value : problem.values)
    if (Status status = checkFixed(problem.file, value); !status)
      return status;
  if (Status status = checkNames(problem.values, "value "); !status)
    return status;
  if (Status status = checkNames(problem.statements, "statement "); !status)
    return status;
  if (Status status = checkTree(problem); !status)
    return status;
  for (const Statement &statement : problem.statements)
    if (Status status = checkStatement(problem, statement); !status)
      return status;
  if (Status status = checkCounters(problem); !status)
    return status;
  Definedness::Set written(problem.values.size());
  return Definedness(problem).walk(problem.body, written);
}
