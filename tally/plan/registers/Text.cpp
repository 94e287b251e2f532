//===- Text.cpp - a register problem as lines of text ---------------------===//

#include "tally/plan/registers/Text.h"

#include <charconv>
#include <map>

using namespace tally;
using namespace tally::plan::registers;

namespace {
using Words = std::vector<std::string_view>;
using Names = std::map<std::string, uint32_t, std::less<>>;

/// A loop or an if whose "end" has not come.
struct Open {
  StatementId statement;
  bool otherwise = false;
};

class Parser {
public:
  explicit Parser(const std::string &name) : name(name) {}
  Status line(std::string_view text);
  Result<RegisterProblem> finish();

private:
  Status registers();
  Status queue();
  Status value();
  Status statement(StatementKind kind);
  Status clause(Statement &statement);
  Status otherwise();
  Status end();

  Status operand(Statement &statement, std::string_view clause);
  Status number(int64_t &result);
  Status registerList(std::vector<uint32_t> &list);
  Status find(const Names &names, const char *what, int64_t &result);
  Status named(std::string &result, const char *what);
  void append(StatementId id);
  Diagnostic fail(std::string message, std::string hint = "") const;

  bool more() const { return at < words.size(); }
  std::string word() const { return "'" + std::string(words[at]) + "'"; }

  std::string name;
  size_t lineNumber = 0;
  Words words; ///< of this line
  size_t at = 0;
  bool hasFile = false;
  RegisterProblem problem;
  Names queues, values;
  std::vector<Open> open;
};
} // namespace

Diagnostic Parser::fail(std::string message, std::string hint) const {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "REG-1";
  failure.file = name + ":" + std::to_string(lineNumber);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static Words split(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  Words words;
  text = text.substr(0, text.find('#'));
  for (size_t at = 0; (at = text.find_first_not_of(blanks, at)) != text.npos;) {
    size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

template <typename Number>
static bool readNumber(std::string_view word, Number &result) {
  const char *last = word.data() + word.size();
  auto [end, error] = std::from_chars(word.data(), last, result);
  return error == std::errc() && end == last;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Status Parser::number(int64_t &result) {
  if (!more())
    return fail("a number is missing at the end of the line");
  if (!readNumber(words[at], result))
    return fail(word() + " is no whole number");
  ++at;
  return Status::success();
}

Status Parser::registerList(std::vector<uint32_t> &list) {
  if (!more())
    return fail("registers are missing at the end of the line");
  for (std::string_view rest = words[at]; !rest.empty();) {
    std::string_view one = rest.substr(0, rest.find(','));
    uint32_t reg = 0;
    if (!readNumber(one, reg))
      return fail("'" + std::string(one) + "' is no register");
    list.push_back(reg);
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  ++at;
  return Status::success();
}

Status Parser::find(const Names &names, const char *what, int64_t &result) {
  if (!more())
    return fail(std::string("a ") + what +
                " is missing at the end of the line");
  auto found = names.find(words[at]);
  if (found == names.end())
    return fail(std::string("there is no ") + what + " " + word() + " yet",
                "list it before this line");
  result = found->second;
  ++at;
  return Status::success();
}

Status Parser::named(std::string &result, const char *what) {
  if (!more())
    return fail(std::string("a ") + what + " has no name");
  result = words[at++];
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

Status Parser::registers() {
  if (hasFile)
    return fail("a second line of registers");
  hasFile = true;
  RegisterFile &file = problem.file;
  Status status = number(file.count);
  while (status && more()) {
    std::string_view key = words[at++];
    if (key == "reserved")
      status = registerList(file.reserved);
    else if (key == "slots")
      status = number(file.slots);
    else if (key == "cost")
      status = number(file.transferCost);
    else
      status = fail("'" + std::string(key) + "' says nothing about registers");
  }
  return status;
}

Status Parser::queue() {
  std::string queueName;
  if (Status status = named(queueName, "queue"); !status)
    return status;
  if (!queues.emplace(queueName, problem.queues.size()).second)
    return fail("queue '" + queueName + "' is listed twice");
  problem.queues.push_back(queueName);
  return Status::success();
}

Status Parser::value() {
  Value value;
  if (Status status = named(value.name, "value"); !status)
    return status;
  if (!values.emplace(value.name, problem.values.size()).second)
    return fail("value '" + value.name + "' is listed twice");
  if (more() && words[at] == "fixed") {
    ++at;
    if (Status status = number(value.fixed); !status)
      return status;
    if (value.fixed < 0)
      return fail("'" + std::to_string(value.fixed) + "' is no register");
  }
  if (more() && words[at] != "role")
    return fail(word() + " says nothing about a value");
  for (size_t i = at + 1; i < words.size(); ++i)
    value.role += (value.role.empty() ? "" : " ") + std::string(words[i]);
  at = words.size();
  problem.values.push_back(std::move(value));
  return Status::success();
}

static bool isClause(std::string_view word) {
  for (const char *clause :
       {"on", "use", "late", "def", "clobber", "pending", "trips", "counter"})
    if (word == clause)
      return true;
  return false;
}

/// All values up to the next clause.
Status Parser::operand(Statement &statement, std::string_view clause) {
  while (more() && !isClause(words[at])) {
    int64_t value = 0;
    if (Status status = find(values, "value", value); !status)
      return status;
    if (clause == "def")
      statement.defs.push_back(static_cast<ValueId>(value));
    else
      statement.uses.push_back({static_cast<ValueId>(value), clause == "late"});
  }
  return Status::success();
}

Status Parser::clause(Statement &statement) {
  bool isOp = statement.kind == StatementKind::Operation;
  bool isLoop = statement.kind == StatementKind::Loop;
  bool isWait = statement.kind == StatementKind::Wait;
  std::string_view key = words[at++];
  if ((key == "use" && !isWait) || (isOp && (key == "late" || key == "def")))
    return operand(statement, key);
  if (isOp && key == "on")
    return find(queues, "queue", statement.queue);
  if (isOp && key == "clobber")
    return registerList(statement.clobbers);
  if (isWait && key == "pending")
    return number(statement.pending);
  if (isLoop && key == "trips")
    return number(statement.trips);
  if (isLoop && key == "counter")
    return find(values, "value", statement.counter);
  return fail("'" + std::string(key) + "' has no place in this statement");
}

Status Parser::statement(StatementKind kind) {
  Statement statement;
  statement.kind = kind;
  Status status = named(statement.name, "statement");
  if (status && kind == StatementKind::Wait)
    status = find(queues, "queue", statement.queue);
  while (status && more())
    status = clause(statement);
  if (!status)
    return status;
  StatementId id = static_cast<StatementId>(problem.statements.size());
  problem.statements.push_back(std::move(statement));
  append(id);
  if (kind == StatementKind::Loop || kind == StatementKind::If)
    open.push_back({id});
  return status;
}

void Parser::append(StatementId id) {
  if (open.empty())
    return problem.body.push_back(id);
  Statement &parent = problem.statements[open.back().statement];
  (open.back().otherwise ? parent.otherwise : parent.body).push_back(id);
}

Status Parser::otherwise() {
  if (open.empty() || open.back().otherwise ||
      problem.statements[open.back().statement].kind != StatementKind::If)
    return fail("'else' without an 'if'");
  open.back().otherwise = true;
  return Status::success();
}

Status Parser::end() {
  if (open.empty())
    return fail("'end' without a 'loop' or 'if'");
  open.pop_back();
  return Status::success();
}

Status Parser::line(std::string_view text) {
  ++lineNumber;
  words = split(text);
  at = 0;
  if (words.empty())
    return Status::success();
  static const std::map<std::string_view, StatementKind> kinds = {
      {"op", StatementKind::Operation},
      {"wait", StatementKind::Wait},
      {"loop", StatementKind::Loop},
      {"if", StatementKind::If}};
  static const std::map<std::string_view, Status (Parser::*)()> lines = {
      {"registers", &Parser::registers},
      {"queue", &Parser::queue},
      {"value", &Parser::value},
      {"else", &Parser::otherwise},
      {"end", &Parser::end}};
  std::string_view key = words[at++];
  Status status;
  if (auto found = kinds.find(key); found != kinds.end())
    status = statement(found->second);
  else if (auto other = lines.find(key); other != lines.end())
    status = (this->*other->second)();
  else
    return fail(
        "'" + std::string(key) + "' starts no statement",
        "one of registers, queue, value, op, wait, loop, if, else, end");
  if (status && more())
    return fail(word() + " is too much");
  return status;
}

Result<RegisterProblem> Parser::finish() {
  if (!hasFile)
    return fail("there is no line of registers", "add 'registers N'");
  if (!open.empty())
    return fail("'" + problem.statements[open.back().statement].name +
                "' has no 'end'");
  return std::move(problem);
}

Result<RegisterProblem>
tally::plan::registers::parseProblem(std::string_view text,
                                     const std::string &name) {
  Parser parser(name);
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    if (Status status = parser.line(text.substr(0, end)); !status)
      return status.takeError();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.finish();
}
