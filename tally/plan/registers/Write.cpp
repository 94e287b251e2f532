//===- Write.cpp - writes the text form of a register problem -------------===//

#include "tally/plan/registers/Text.h"

using namespace tally::plan::registers;

namespace {
class Writer {
public:
  explicit Writer(const RegisterProblem &problem) : problem(problem) {}
  std::string run();

private:
  void head();
  void body(const std::vector<StatementId> &body, size_t depth);
  void statement(const Statement &statement);
  void values(const char *key, const std::vector<ValueId> &values);
  void uses(const Statement &statement);
  void registers(const char *key, const std::vector<uint32_t> &registers);
  void number(const char *key, int64_t value, int64_t usual);

  const RegisterProblem &problem;
  std::string text;
};
} // namespace

void Writer::number(const char *key, int64_t value, int64_t usual) {
  if (value != usual)
    text += std::string(" ") + key + " " + std::to_string(value);
}

void Writer::registers(const char *key, const std::vector<uint32_t> &list) {
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? "," : std::string(" ") + key + " ") + std::to_string(list[i]);
}

void Writer::values(const char *key, const std::vector<ValueId> &list) {
  for (size_t i = 0; i < list.size(); ++i)
    text +=
        (i ? " " : std::string(" ") + key + " ") + problem.values[list[i]].name;
}

/// In their order: a new clause wherever latched and late ones take turns.
void Writer::uses(const Statement &statement) {
  const char *last = nullptr;
  for (const Use &use : statement.uses) {
    const char *key = use.late ? "late" : "use";
    if (key != last)
      text += std::string(" ") + key;
    text += " " + problem.values[use.value].name;
    last = key;
  }
}

void Writer::head() {
  const RegisterFile &file = problem.file;
  text += "registers " + std::to_string(file.count);
  registers("reserved", file.reserved);
  number("slots", file.slots, 0);
  number("cost", file.transferCost, 1);
  text += "\n";
  for (const std::string &queue : problem.queues)
    text += "queue " + queue + "\n";
  for (const Value &value : problem.values) {
    text += "value " + value.name;
    number("fixed", value.fixed, kNone);
    text += (value.role.empty() ? "" : " role " + value.role) + "\n";
  }
}

void Writer::statement(const Statement &statement) {
  constexpr const char *kinds[] = {"op ", "wait ", "loop ", "if "};
  text += kinds[static_cast<int>(statement.kind)] + statement.name;
  if (statement.queue != kNone)
    text += (statement.kind == StatementKind::Wait ? " " : " on ") +
            problem.queues[statement.queue];
  number("pending", statement.pending, 0);
  number("trips", statement.trips, kUnknownTrips);
  if (statement.counter != kNone)
    text += " counter " + problem.values[statement.counter].name;
  uses(statement);
  values("def", statement.defs);
  registers("clobber", statement.clobbers);
  text += "\n";
}

void Writer::body(const std::vector<StatementId> &body, size_t depth) {
  std::string indent(2 * depth, ' ');
  for (StatementId id : body) {
    const Statement &one = problem.statements[id];
    text += indent;
    statement(one);
    if (one.kind != StatementKind::Loop && one.kind != StatementKind::If)
      continue;
    this->body(one.body, depth + 1);
    if (!one.otherwise.empty()) {
      text += indent + "else\n";
      this->body(one.otherwise, depth + 1);
    }
    text += indent + "end\n";
  }
}

std::string Writer::run() {
  head();
  body(problem.body, 0);
  return std::move(text);
}

std::string
tally::plan::registers::writeProblem(const RegisterProblem &problem) {
  return Writer(problem).run();
}
