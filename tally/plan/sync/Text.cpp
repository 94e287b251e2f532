//===- Text.cpp - a problem as lines of text ------------------------------===//

#include "tally/plan/sync/Text.h"
#include "tally/plan/sync/Outline.h"

#include <charconv>
#include <unordered_map>

using namespace tally;
using namespace tally::plan::sync;

static constexpr const char *kKinds[] = {"counter", "token", "flag"};
static constexpr const char *kKeys[] = {"global", "source",
                                        "source-destination"};

const char *tally::plan::sync::kindName(FileKind kind) {
  return kKinds[static_cast<int>(kind)];
}
const char *tally::plan::sync::keyName(FileKey key) {
  return kKeys[static_cast<int>(key)];
}

namespace {
using Words = std::vector<std::string_view>;
using Names = std::unordered_map<std::string, uint32_t>;

class Parser {
public:
  explicit Parser(const std::string &name) : name(name) {}

  Status line(std::string_view text);
  Result<SyncProblem> finish();

private:
  Status file(const Words &words);
  Status fileWord(const Words &words, size_t &at);
  Status queue(const Words &words);
  Status operation(const Words &words);
  Status after(const Words &words);
  Status begin(const Words &words, Region::Kind kind);
  Status turn(const Words &words);
  Status end(const Words &words);
  Result<int64_t> number(const Words &words, size_t at) const;
  Status reserved(std::string_view list);
  Status define(Names &names, std::string_view word, size_t index,
                const char *what);
  Result<uint32_t> find(const Names &names, std::string_view word,
                        const char *what) const;
  Diagnostic fail(std::string message, std::string hint = "") const;

  std::string name;
  size_t lineNumber = 0;
  bool hasFile = false;
  SyncProblem problem;
  Names queues, operations, regions;
  std::vector<uint32_t> open; ///< regions around the line
  std::vector<bool> hasElse;  ///< of each region
};
} // namespace

Diagnostic Parser::fail(std::string message, std::string hint) const {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "SYNC-1";
  failure.file = name + ":" + std::to_string(lineNumber);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static Words split(std::string_view text) {
  Words words;
  constexpr std::string_view blanks = " \t\r";
  text = text.substr(0, text.find('#'));
  for (size_t at = 0; (at = text.find_first_not_of(blanks, at)) != text.npos;) {
    size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

static bool parseNumber(std::string_view word, int64_t &value) {
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

Result<int64_t> Parser::number(const Words &words, size_t at) const {
  int64_t value = 0;
  if (at >= words.size())
    return fail("a number is missing after '" + std::string(words.back()) +
                "'");
  if (!parseNumber(words[at], value))
    return fail("'" + std::string(words[at]) + "' is no whole number");
  return value;
}

Status Parser::define(Names &names, std::string_view word, size_t index,
                      const char *what) {
  if (!names.emplace(word, static_cast<uint32_t>(index)).second)
    return fail(std::string(what) + " '" + std::string(word) +
                    "' is listed twice",
                "give each a name of its own");
  return Status::success();
}

Result<uint32_t> Parser::find(const Names &names, std::string_view word,
                              const char *what) const {
  auto found = names.find(std::string(word));
  if (found == names.end())
    return fail(std::string("there is no ") + what + " '" + std::string(word) +
                    "' yet",
                std::string("list it before this line"));
  return found->second;
}

Status Parser::reserved(std::string_view list) {
  while (!list.empty()) {
    std::string_view word = list.substr(0, list.find(','));
    int64_t value = 0;
    if (!parseNumber(word, value) || value < 0 || value > UINT32_MAX)
      return fail("'" + std::string(word) + "' is no register");
    problem.file.reserved.push_back(static_cast<uint32_t>(value));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
  }
  return Status::success();
}

Status Parser::fileWord(const Words &words, size_t &at) {
  SyncFile &file = problem.file;
  std::string_view word = words[at++];
  if (word == "drains") {
    file.drains = true;
    return Status::success();
  }
  if (word == "relative") {
    file.relative = true;
    return Status::success();
  }
  if (word == "reserved" && at < words.size())
    return reserved(words[at++]);
  if (word == "key" && at < words.size()) {
    for (int key = 0; key < 3; ++key)
      if (words[at] == kKeys[key]) {
        file.key = static_cast<FileKey>(key);
        ++at;
        return Status::success();
      }
    return fail("there is no key '" + std::string(words[at]) + "'",
                "keys: global, source, source-destination");
  }
  int64_t *field = word == "count"   ? &file.count
                   : word == "bits"  ? &file.bits
                   : word == "waits" ? &file.waitsPerCommand
                                     : nullptr;
  if (!field)
    return fail("'" + std::string(word) + "' says nothing about a file",
                "count, bits, key, waits, reserved, relative, drains do");
  Result<int64_t> value = number(words, at++);
  if (!value)
    return value.takeError();
  *field = *value;
  return Status::success();
}

Status Parser::file(const Words &words) {
  if (hasFile)
    return fail("a second file", "one file serves a problem");
  hasFile = true;
  int kind = 0;
  while (kind < 3 && (words.size() < 2 || words[1] != kKinds[kind]))
    ++kind;
  if (kind == 3)
    return fail("a file of no known kind", "kinds: counter, token, flag");
  problem.file.kind = static_cast<FileKind>(kind);
  for (size_t at = 2; at < words.size();)
    if (Status status = fileWord(words, at); !status)
      return status;
  return Status::success();
}

Status Parser::queue(const Words &words) {
  if (words.size() < 2)
    return fail("a queue without a name");
  Queue queue{std::string(words[1]), 1, true};
  for (size_t at = 2; at < words.size(); ++at) {
    if (words[at] == "out-of-order") {
      queue.inOrder = false;
      continue;
    }
    if (words[at] != "depth")
      return fail("'" + std::string(words[at]) + "' says nothing about a queue",
                  "depth N and out-of-order do");
    Result<int64_t> depth = number(words, ++at);
    if (!depth)
      return depth.takeError();
    queue.depth = *depth;
  }
  if (Status status = define(queues, words[1], problem.queues.size(), "queue");
      !status)
    return status;
  problem.queues.push_back(std::move(queue));
  return Status::success();
}

Status Parser::operation(const Words &words) {
  if (words.size() < 3 || words.size() > 4)
    return fail("an operation has a name, a queue and perhaps a duration",
                "write op NAME QUEUE [DURATION]");
  Result<uint32_t> queue = find(queues, words[2], "queue");
  if (!queue)
    return queue.takeError();
  Operation operation{std::string(words[1]), *queue, 1};
  if (words.size() == 4) {
    Result<int64_t> duration = number(words, 3);
    if (!duration)
      return duration.takeError();
    operation.duration = *duration;
  }
  if (Status status =
          define(operations, words[1], problem.operations.size(), "operation");
      !status)
    return status;
  problem.operations.push_back(std::move(operation));
  return Status::success();
}

Status Parser::after(const Words &words) {
  Strength strength = Strength::Completed;
  uint32_t distance = 0;
  if (words.size() < 3)
    return fail("'after' needs an operation and those it depends on",
                "write after NAME EARLIER... [issued EARLIER...] "
                "[back N EARLIER...]");
  Result<uint32_t> to = find(operations, words[1], "operation");
  if (!to)
    return to.takeError();
  for (size_t at = 2; at < words.size(); ++at) {
    if (words[at] == "issued") {
      strength = Strength::Issued;
      continue;
    }
    if (words[at] == "back") {
      Result<int64_t> trips = number(words, ++at);
      if (!trips)
        return trips.takeError();
      if (*trips < 0 || *trips > UINT32_MAX)
        return fail("a dependency cannot go back " + std::to_string(*trips) +
                    " trips");
      distance = static_cast<uint32_t>(*trips);
      continue;
    }
    Result<uint32_t> from = find(operations, words[at], "operation");
    if (!from)
      return from.takeError();
    problem.dependencies.push_back({*from, *to, strength, distance});
  }
  return Status::success();
}

Status Parser::begin(const Words &words, Region::Kind kind) {
  bool isLoop = kind == Region::Loop;
  bool hasTrips = isLoop && words.size() == 4 && words[2] == "trips";
  if (words.size() != 2 && !hasTrips)
    return fail(isLoop ? "a loop has a name and perhaps trips"
                       : "an if has a name",
                isLoop ? "write loop NAME [trips N]" : "write if NAME");
  Region region;
  region.kind = kind;
  region.name = std::string(words[1]);
  region.first = static_cast<Op>(problem.operations.size());
  if (hasTrips) {
    Result<int64_t> trips = number(words, 3);
    if (!trips)
      return trips.takeError();
    if (*trips < 0)
      return fail("a loop of " + std::to_string(*trips) + " trips",
                  "say how many it has at most, or leave it out");
    region.trips = *trips;
  }
  if (Status status =
          define(regions, words[1], problem.regions.size(), "region");
      !status)
    return status;
  open.push_back(static_cast<uint32_t>(problem.regions.size()));
  problem.regions.push_back(std::move(region));
  hasElse.push_back(false);
  return Status::success();
}

Status Parser::turn(const Words &words) {
  if (words.size() != 1 || open.empty() || hasElse[open.back()] ||
      problem.regions[open.back()].kind != Region::If)
    return fail("'else' stands in no if, or a second time",
                "write if NAME ... else ... end");
  hasElse[open.back()] = true;
  problem.regions[open.back()].elseAt =
      static_cast<Op>(problem.operations.size());
  return Status::success();
}

Status Parser::end(const Words &words) {
  if (words.size() != 1 || open.empty())
    return fail("'end' ends no loop or if", "one 'end' for each");
  Region &region = problem.regions[open.back()];
  region.end = static_cast<Op>(problem.operations.size());
  if (region.kind == Region::If && !hasElse[open.back()])
    region.elseAt = region.end;
  open.pop_back();
  return Status::success();
}

Status Parser::line(std::string_view text) {
  ++lineNumber;
  Words words = split(text);
  if (words.empty())
    return Status::success();
  if (words[0] == "file")
    return file(words);
  if (words[0] == "queue")
    return queue(words);
  if (words[0] == "op")
    return operation(words);
  if (words[0] == "after")
    return after(words);
  if (words[0] == "loop")
    return begin(words, Region::Loop);
  if (words[0] == "if")
    return begin(words, Region::If);
  if (words[0] == "else")
    return turn(words);
  if (words[0] == "end")
    return end(words);
  return fail("'" + std::string(words[0]) + "' starts no statement",
              "statements: file, queue, op, after, loop, if, else, end");
}

Result<SyncProblem> Parser::finish() {
  if (!hasFile)
    return fail("no 'file' describes the registers",
                "write for instance file counter count 4");
  if (!open.empty())
    return fail("'" + problem.regions[open.back()].name + "' has no end",
                "write 'end' behind its last operation");
  return std::move(problem);
}

Result<SyncProblem> tally::plan::sync::parseProblem(std::string_view text,
                                                    const std::string &name) {
  Parser parser(name);
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    if (Status status = parser.line(line); !status)
      return status.takeError();
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return parser.finish();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string textOf(const SyncFile &file) {
  std::string text = std::string("file ") + kindName(file.kind) + " count " +
                     std::to_string(file.count) + " bits " +
                     std::to_string(file.bits) + " key " + keyName(file.key) +
                     " waits " + std::to_string(file.waitsPerCommand);
  for (size_t i = 0; i < file.reserved.size(); ++i)
    text += (i ? "," : " reserved ") + std::to_string(file.reserved[i]);
  return text + (file.relative ? " relative" : "") +
         (file.drains ? " drains\n" : "\n");
}

static std::string textOf(const SyncProblem &problem, const OutlineStep &step) {
  std::string indent(size_t(step.depth) * 2, ' ');
  switch (step.kind) {
  case OutlineStep::Else:
    return indent + "else\n";
  case OutlineStep::End:
    return indent + "end\n";
  case OutlineStep::Begin: {
    const Region &region = problem.regions[step.index];
    std::string trips = region.trips == Region::kAnyTrips
                            ? ""
                            : " trips " + std::to_string(region.trips);
    return indent + (region.kind == Region::If ? "if " : "loop ") +
           region.name + (region.kind == Region::If ? "" : trips) + "\n";
  }
  case OutlineStep::Operation:
    break;
  }
  const Operation &operation = problem.operations[step.index];
  return indent + "op " + operation.name + " " +
         problem.queues[operation.queue].name + " " +
         std::to_string(operation.duration) + "\n";
}

std::string tally::plan::sync::writeProblem(const SyncProblem &problem) {
  std::string text = textOf(problem.file);
  for (const Queue &queue : problem.queues)
    text += "queue " + queue.name + " depth " + std::to_string(queue.depth) +
            (queue.inOrder ? "\n" : " out-of-order\n");
  for (const OutlineStep &step : outlineOf(problem))
    text += textOf(problem, step);
  for (const Dependency &dependency : problem.dependencies)
    text += "after " + problem.operations[dependency.to].name +
            (dependency.strength == Strength::Issued ? " issued " : " ") +
            (dependency.distance
                 ? "back " + std::to_string(dependency.distance) + " "
                 : "") +
            problem.operations[dependency.from].name + "\n";
  return text;
}
