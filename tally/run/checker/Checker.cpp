//===- Checker.cpp - the independent judge of programs --------------------===//
//
// For each combination of run-time scalars: expand the scalar code (CHK-1 to
// CHK-5), run the stream once (CHK-11), rebuild happens-before, check the laws
// of registers (CHK-12 to CHK-15), compare all accesses (CHK-8 to CHK-10,
// CHK-16, CHK-18, CHK-19), and decode the parameter blocks that are then known
// (CHK-17).
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Checker.h"
#include "tally/run/checker/Laws.h"
#include "tally/run/checker/ParameterRules.h"
#include "tally/run/checker/Wording.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

namespace {
class Check {
public:
  Check(const Subject &subject, const CheckOptions &options)
      : subject(subject), options(options), parameters(subject) {}
  Result<Verdict> run();

private:
  Status checkDeclarations() const;
  Result<uint64_t> combinations() const;
  std::vector<int64_t> valuesOf(uint64_t combination) const;
  bool reject(const Stream &stream, const std::optional<Finding> &finding);
  bool isSound(const std::vector<int64_t> &values);
  void count(const Stream &stream);

  const Subject &subject;
  const CheckOptions &options;
  ParameterJudge parameters;
  Verdict verdict;
};
} // namespace

static Diagnostic cannotJudge(FailureKind kind, std::string rule,
                              std::string message, std::string hint = "") {
  Diagnostic failure;
  failure.kind = kind;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

Status Check::checkDeclarations() const {
  auto fail = [](std::string message) {
    return cannotJudge(FailureKind::Model, "CHECK-2", std::move(message));
  };
  if (subject.regions.size() > size_t(isa::kSram))
    return fail("there are " + std::to_string(subject.regions.size()) +
                " regions; a program has at most " +
                std::to_string(isa::kSram));
  int64_t contextBytes = subject.regions.size() > isa::kContextRegion
                             ? subject.regions[isa::kContextRegion].bytes
                             : 0;
  for (const Scalar &scalar : subject.scalars) {
    bool isWord = scalar.offset >= 0 && scalar.offset % 4 == 0 &&
                  scalar.offset + 4 <= contextBytes;
    if (!isWord)
      return fail("run-time scalar '" + scalar.name + "' at " +
                  std::to_string(scalar.offset) + " is no word of the context");
    if (scalar.least > scalar.greatest || scalar.least < INT32_MIN ||
        scalar.greatest > INT32_MAX)
      return fail("run-time scalar '" + scalar.name + "' from " +
                  std::to_string(scalar.least) + " to " +
                  std::to_string(scalar.greatest) + " has no value of 32 bits");
  }
  return Status::success();
}

Result<uint64_t> Check::combinations() const {
  uint64_t product = 1;
  for (const Scalar &scalar : subject.scalars) {
    product *= static_cast<uint64_t>(scalar.greatest - scalar.least + 1);
    if (product > options.limits.combinations)
      return cannotJudge(FailureKind::Unsupported, "CHECK-1",
                         "the run-time scalars have more than " +
                             std::to_string(options.limits.combinations) +
                             " combinations of values",
                         "declare smaller ranges");
  }
  return product;
}

std::vector<int64_t> Check::valuesOf(uint64_t combination) const {
  std::vector<int64_t> values;
  for (const Scalar &scalar : subject.scalars) {
    auto count = static_cast<uint64_t>(scalar.greatest - scalar.least + 1);
    values.push_back(scalar.least + static_cast<int64_t>(combination % count));
    combination /= count;
  }
  return values;
}

bool Check::reject(const Stream &stream,
                   const std::optional<Finding> &finding) {
  if (finding)
    explain(subject, stream, *finding, verdict);
  return finding.has_value();
}

void Check::count(const Stream &stream) {
  Statistics &statistics = verdict.statistics;
  ++statistics.executions;
  statistics.instructions += stream.instructions;
  statistics.accesses += stream.touched.size();
  for (uint32_t queue = 0; queue < stream.queues; ++queue)
    statistics.entries += stream.actors[queue].size();
  statistics.commands += std::count_if(
      stream.events.begin(), stream.events.end(),
      [](const Event &event) { return event.kind == EventKind::Command; });
}

/// Whether the program keeps all rules for these values.
bool Check::isSound(const std::vector<int64_t> &values) {
  MemoryRoles roles = memoryRoles(subject, values);
  Expansion expansion = expand(subject, roles, values, options.limits);
  const Stream &stream = expansion.stream;
  const machine::Machine &machine = subject.machine;
  count(stream);
  if (reject(stream, expansion.finding))
    return false;
  Progress progress = advance(stream, machine);
  if (reject(stream, goesBeyondWidth(stream, machine, progress)))
    return false;
  if (!progress.isComplete(stream)) {
    explainDeadlock(subject, stream, progress, verdict);
    return false;
  }
  Order order(stream, machine, progress);
  verdict.statistics.rounds =
      std::max(verdict.statistics.rounds, order.rounds());
  return !reject(stream, findConflict(stream, progress, order, roles)) &&
         !reject(stream, breaksLaw(stream, machine, progress, order)) &&
         !reject(stream, parameters.judge(stream, progress));
}

Result<Verdict> Check::run() {
  if (Status status = checkDeclarations(); !status)
    return status.takeError();
  Result<uint64_t> count = combinations();
  if (!count)
    return count.takeError();
  if (reject({}, breaksRegionRule(subject, options.budget)) ||
      reject({}, breaksInstructionRule(subject)))
    return verdict;
  for (uint64_t i = 0; i < *count; ++i) {
    std::vector<int64_t> values = valuesOf(i);
    if (isSound(values)) {
      if (verdict.statistics.entries / (i + 1) * *count > options.limits.work)
        return cannotJudge(FailureKind::Unsupported, "CHECK-1",
                           "the run-time scalars have " +
                               std::to_string(*count) +
                               " combinations of values, and all executions "
                               "together too many queue entries",
                           "declare smaller ranges");
      continue;
    }
    for (size_t s = 0; s < values.size(); ++s)
      verdict.scalars.emplace_back(subject.scalars[s].name, values[s]);
    return verdict;
  }
  verdict.isAccepted = true;
  return verdict;
}

Result<Verdict> tally::checker::check(const Subject &subject,
                                      const CheckOptions &options) {
  return Check(subject, options).run();
}
