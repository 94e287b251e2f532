//===- RemarkCollector.cpp - a compilation's remarks as records -----------===//

#include "tally/driver/RemarkCollector.h"
#include "tally/rewrite/Remarks.h"

#include "mlir/Remark/RemarkStreamer.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tally;
using report::Decision;
using report::Explanation;

using Streamer = mlir::remark::detail::MLIRRemarkStreamerBase;

std::vector<std::string> tally::remarkCategories() {
  std::vector<std::string> categories;
  for (const rewrite::RemarkRow &row : rewrite::remarkRows())
    if (!llvm::is_contained(categories, row.category.str()))
      categories.push_back(row.category.str());
  return categories;
}

static report::Outcome outcomeOf(mlir::remark::RemarkKind kind) {
  switch (kind) {
  case mlir::remark::RemarkKind::RemarkPassed:
    return report::Outcome::Done;
  case mlir::remark::RemarkKind::RemarkMissed:
    return report::Outcome::Refused;
  case mlir::remark::RemarkKind::RemarkFailure:
    return report::Outcome::Failed;
  default:
    return report::Outcome::Fact;
  }
}

static std::vector<report::DecisionKind> allKinds() {
  std::vector<report::DecisionKind> kinds;
  for (const rewrite::RemarkRow &row : rewrite::remarkRows())
    kinds.push_back({row.code.str(), row.category.str(), outcomeOf(row.kind),
                     row.meaning.str()});
  return kinds;
}

/// Repeated arguments of one key are all kept.
static void addArgument(Decision &decision,
                        const mlir::remark::detail::Remark::Arg &argument) {
  std::string *place = llvm::StringSwitch<std::string *>(argument.key)
                           .Case("Node", &decision.node)
                           .Case("Edge", &decision.edge)
                           .Case("Other", &decision.other)
                           .Case("Reason", &decision.reason)
                           .Case("Suggestion", &decision.suggestion)
                           .Default(nullptr);
  if (!place)
    decision.facts.emplace_back(argument.key, argument.val);
  else
    *place += (place->empty() ? "" : ", ") + argument.val;
}

namespace {
/// What the engine calls. Writes the records of a collector, and hands on to
/// LLVM's own streamer.
class RecordingStreamer : public Streamer {
public:
  RecordingStreamer(Explanation &explanation, std::unique_ptr<Streamer> next)
      : explanation(explanation), next(std::move(next)) {}

  void streamOptimizationRemark(
      const mlir::remark::detail::Remark &remark) override {
    auto kind = llvm::find_if(explanation.kinds, [&](const auto &row) {
      return row.code == remark.getRemarkName();
    });
    if (kind == explanation.kinds.end())
      return; // another project's pass
    Decision decision;
    decision.kind = kind - explanation.kinds.begin();
    for (const auto &argument : remark.getArgs())
      addArgument(decision, argument);
    explanation.decisions.push_back(std::move(decision));
    if (next)
      next->streamOptimizationRemark(remark);
  }

  void finalize() override {
    if (next)
      next->finalize();
  }

private:
  Explanation &explanation;
  std::unique_ptr<Streamer> next;
};
} // namespace

static tally::Diagnostic engineFailure(const std::string &message) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Internal;
  failure.message = "the remark engine does not start: " + message;
  return failure;
}

Result<std::unique_ptr<RemarkCollector>>
RemarkCollector::start(MLIRContext &context,
                       std::vector<std::string> categories,
                       const std::string &yamlFile) {
  std::unique_ptr<RemarkCollector> collector(new RemarkCollector(context));
  std::unique_ptr<Streamer> yamlStreamer;
  if (!yamlFile.empty()) {
    auto file = AtomicFile::create(yamlFile);
    if (!file)
      return file.takeError();
    collector->yaml.emplace(std::move(*file));
    auto streamer = mlir::remark::detail::LLVMRemarkStreamer::createToFile(
        collector->yaml->temporaryPath(), llvm::remarks::Format::YAML);
    if (failed(streamer))
      return engineFailure("no YAML streamer");
    yamlStreamer = std::move(*streamer);
  }
  mlir::remark::RemarkCategories filter; // `all` by itself enables no kind
  filter.passed = filter.missed = filter.analysis = filter.failed =
      "^(" + llvm::join(categories, "|") + ")$";
  collector->explanation.categories = std::move(categories);
  collector->explanation.kinds = allKinds();
  if (failed(mlir::remark::enableOptimizationRemarks(
          context,
          std::make_unique<RecordingStreamer>(collector->explanation,
                                              std::move(yamlStreamer)),
          std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), filter)))
    return engineFailure("no listener");
  return collector;
}

RemarkCollector::~RemarkCollector() { context.setRemarkEngine(nullptr); }

Result<Explanation> RemarkCollector::finish() {
  context.setRemarkEngine(nullptr); // writes what the streamer still holds
  if (yaml)
    if (Status status = yaml->commit(); !status)
      return status.takeError();
  return std::move(explanation);
}
