//===- Text.cpp - a memory problem from lines of text ---------------------===//

#include "tally/plan/memory/Text.h"

#include "tally/plan/memory/Csv.h"

#include <charconv>
#include <unordered_map>

using namespace tally;
using namespace tally::plan::memory;

namespace {
using Words = std::vector<std::string_view>;
using Names = std::unordered_map<std::string, uint32_t>;

class Parser {
public:
  explicit Parser(const std::string &name) : name(name) {}
  Status line(std::string_view text);
  Result<MemoryProblem> finish() { return std::move(problem); }

private:
  Status limits();
  Status region(std::vector<Region> &regions, Names *names);
  Status queue();
  Status operation();
  Status storage();
  Status part();
  Status conflict();
  Status inPlace();

  Status clause(Storage &storage);
  Status kind(StorageClass &kind);
  Status lives(std::vector<Interval> &lives);
  Status operations(std::vector<OpId> &list);
  Status addStorage(Storage storage);

  Status named(std::string &result, const char *what);
  Status number(int64_t &result);
  Status find(const Names &names, const char *what, int64_t &result);
  Status lookUp(const Names &names, const char *what, std::string_view word,
                int64_t &result) const;
  Status define(Names &names, const std::string &word, size_t index,
                const char *what) const;
  Status atEnd() const;
  Diagnostic fail(std::string message, std::string hint = "") const;

  bool more() const { return at < words.size(); }
  std::string word() const { return "'" + std::string(words[at]) + "'"; }

  std::string name;
  size_t lineNumber = 0;
  Words words; ///< of this line
  size_t at = 0;
  MemoryProblem problem;
  Names banks, queues, ops, storages;
};
} // namespace

Diagnostic Parser::fail(std::string message, std::string hint) const {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "MEM-1";
  failure.file = name + ":" + std::to_string(lineNumber);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static Words split(std::string_view text, std::string_view separators) {
  Words words;
  for (size_t at = 0;
       (at = text.find_first_not_of(separators, at)) != text.npos;) {
    size_t end = std::min(text.find_first_of(separators, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

static bool readNumber(std::string_view word, int64_t &result) {
  const char *last = word.data() + word.size();
  auto [end, error] = std::from_chars(word.data(), last, result);
  return error == std::errc() && end == last;
}

Status Parser::named(std::string &result, const char *what) {
  if (!more())
    return fail(std::string(what) + " has no name");
  result = words[at++];
  return Status::success();
}

Status Parser::number(int64_t &result) {
  if (!more())
    return fail("a number is missing at the end of the line");
  if (!readNumber(words[at], result))
    return fail(word() + " is no whole number");
  ++at;
  return Status::success();
}

Status Parser::lookUp(const Names &names, const char *what,
                      std::string_view word, int64_t &result) const {
  auto found = names.find(std::string(word));
  if (found == names.end())
    return fail(std::string("there is no ") + what + " '" + std::string(word) +
                    "' yet",
                "list it before this line");
  result = found->second;
  return Status::success();
}

Status Parser::find(const Names &names, const char *what, int64_t &result) {
  if (!more())
    return fail(std::string("the name of a ") + what +
                " is missing at the end of the line");
  return lookUp(names, what, words[at++], result);
}

Status Parser::define(Names &names, const std::string &word, size_t index,
                      const char *what) const {
  if (names.emplace(word, static_cast<uint32_t>(index)).second)
    return Status::success();
  return fail(std::string(what) + " '" + word + "' is listed twice",
              "give each a name of its own");
}

Status Parser::atEnd() const {
  if (more())
    return fail(word() + " stands behind the end of the statement");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Status Parser::limits() {
  while (more()) {
    std::string_view key = words[at];
    Limits &limits = problem.limits;
    int64_t *field = key == "encodable"  ? &limits.encodable
                     : key == "capacity" ? &limits.capacity
                     : key == "budget"   ? &limits.budget
                     : key == "granule"  ? &limits.granule
                                         : nullptr;
    if (!field)
      return fail(word() + " is no limit",
                  "limits: encodable, capacity, budget, granule");
    ++at;
    if (Status status = number(*field); !status)
      return status;
  }
  return Status::success();
}

Status Parser::region(std::vector<Region> &regions, Names *names) {
  Region region;
  if (Status status = named(region.name, "a range of bytes"); !status)
    return status;
  for (int64_t *end : {&region.begin, &region.end})
    if (Status status = number(*end); !status)
      return status;
  if (names)
    if (Status status = define(*names, region.name, regions.size(), "bank");
        !status)
      return status;
  regions.push_back(std::move(region));
  return atEnd();
}

Status Parser::queue() {
  std::string queue;
  if (Status status = named(queue, "a queue"); !status)
    return status;
  if (Status status = define(queues, queue, problem.queues.size(), "queue");
      !status)
    return status;
  problem.queues.push_back(std::move(queue));
  return atEnd();
}

Status Parser::operation() {
  Operation operation;
  int64_t queue = 0;
  if (Status status = named(operation.name, "an operation"); !status)
    return status;
  if (Status status = find(queues, "queue", queue); !status)
    return status;
  operation.queue = static_cast<uint32_t>(queue);
  if (more() && words[at] == "after") {
    ++at;
    if (Status status = operations(operation.after); !status)
      return status;
  }
  if (Status status =
          define(ops, operation.name, problem.operations.size(), "operation");
      !status)
    return status;
  problem.operations.push_back(std::move(operation));
  return atEnd();
}

Status Parser::operations(std::vector<OpId> &list) {
  if (!more())
    return fail("operations are missing at the end of the line");
  for (std::string_view one : split(words[at], ",")) {
    int64_t op = 0;
    if (Status status = lookUp(ops, "operation", one, op); !status)
      return status;
    list.push_back(static_cast<OpId>(op));
  }
  ++at;
  return Status::success();
}

Status Parser::lives(std::vector<Interval> &lives) {
  if (!more())
    return fail("a life is missing at the end of the line");
  for (std::string_view one : split(words[at], ",")) {
    Interval life;
    size_t dash = one.find('-', 1);
    if (dash == one.npos || !readNumber(one.substr(0, dash), life.begin) ||
        !readNumber(one.substr(dash + 1), life.end))
      return fail("'" + std::string(one) + "' is no life",
                  "write FIRST-END, as in 3-5");
    lives.push_back(life);
  }
  ++at;
  return Status::success();
}

Status Parser::kind(StorageClass &kind) {
  for (StorageClass one : {StorageClass::Transient, StorageClass::Constant,
                           StorageClass::State, StorageClass::Caller})
    if (more() && words[at] == className(one)) {
      kind = one;
      ++at;
      return Status::success();
    }
  return fail("a class that there is not",
              "classes: transient, constant, state, caller");
}

Status Parser::clause(Storage &storage) {
  std::string_view key = words[at++];
  if (key == "align")
    return number(storage.alignment);
  if (key == "life")
    return lives(storage.life);
  if (key == "ops")
    return operations(storage.accesses);
  if (!storage.isPart()) {
    if (key == "class")
      return kind(storage.kind);
    if (key == "at")
      return number(storage.at);
    if (key == "in")
      return find(banks, "bank", storage.bank);
  }
  return fail("'" + std::string(key) + "' says nothing about a " +
                  (storage.isPart() ? "part" : "storage"),
              storage.isPart() ? "align, life and ops do"
                               : "align, life, ops, class, at and in do");
}

Status Parser::addStorage(Storage storage) {
  while (more())
    if (Status status = clause(storage); !status)
      return status;
  if (Status status =
          define(storages, storage.name, problem.storages.size(), "storage");
      !status)
    return status;
  problem.storages.push_back(std::move(storage));
  return Status::success();
}

Status Parser::storage() {
  Storage storage;
  if (Status status = named(storage.name, "a storage"); !status)
    return status;
  if (Status status = number(storage.bytes); !status)
    return status;
  return addStorage(std::move(storage));
}

Status Parser::part() {
  Storage part;
  if (Status status = named(part.name, "a part"); !status)
    return status;
  if (Status status = find(storages, "storage", part.root); !status)
    return status;
  for (int64_t *field : {&part.rootOffset, &part.bytes})
    if (Status status = number(*field); !status)
      return status;
  return addStorage(std::move(part));
}

Status Parser::conflict() {
  int64_t a = 0, b = 0;
  for (int64_t *one : {&a, &b})
    if (Status status = find(storages, "storage", *one); !status)
      return status;
  problem.conflicts.emplace_back(a, b);
  return atEnd();
}

Status Parser::inPlace() {
  int64_t result = 0, operand = 0;
  InPlace pair;
  for (int64_t *one : {&result, &operand})
    if (Status status = find(storages, "storage", *one); !status)
      return status;
  if (more() && words[at] == "op") {
    ++at;
    if (Status status = find(ops, "operation", pair.operation); !status)
      return status;
  }
  pair.result = static_cast<StorageId>(result);
  pair.operand = static_cast<StorageId>(operand);
  problem.inPlace.push_back(pair);
  return atEnd();
}

Status Parser::line(std::string_view text) {
  ++lineNumber;
  words = split(text.substr(0, text.find('#')), " \t\r");
  if (words.empty())
    return Status::success();
  std::string_view key = words[0];
  at = 1;
  if (key == "limits")
    return limits();
  if (key == "bank")
    return region(problem.banks, &banks);
  if (key == "reserve")
    return region(problem.reserved, nullptr);
  if (key == "queue")
    return queue();
  if (key == "op")
    return operation();
  if (key == "storage")
    return storage();
  if (key == "part")
    return part();
  if (key == "conflict")
    return conflict();
  if (key == "inplace")
    return inPlace();
  return fail("'" + std::string(key) + "' starts no statement",
              "statements: limits, bank, reserve, queue, op, storage, part, "
              "conflict, inplace");
}

Result<MemoryProblem> plan::memory::parseProblem(std::string_view text,
                                                 const std::string &name) {
  if (isTable(text))
    return parseTable(text, name);
  Parser parser(name);
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    if (Status status = parser.line(text.substr(0, end)); !status)
      return status.takeError();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.finish();
}
