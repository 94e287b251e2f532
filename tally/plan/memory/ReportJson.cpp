//===- ReportJson.cpp - a memory plan for programs ------------------------===//

#include "tally/plan/memory/Refuse.h"
#include "tally/plan/memory/Report.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally::plan::memory;
namespace json = llvm::json;

static std::string nameOf(const MemoryProblem &problem, StorageId id) {
  return json::fixUTF8(problem.storages[id].name);
}

static void writeNames(json::OStream &os, const char *key,
                       const MemoryProblem &problem,
                       const std::vector<StorageId> &storages) {
  os.attributeArray(key, [&] {
    for (StorageId id : storages)
      os.value(nameOf(problem, id));
  });
}

static void writeReport(json::OStream &os, const MemoryProblem &problem,
                        const MemoryReport &report) {
  os.attribute("extent", report.extent);
  os.attribute("lower_bound", report.lowerBound);
  os.attribute("optimal", report.isOptimal());
  os.attribute("proof", proofName(report.proof));
  writeNames(os, "proof_set", problem, report.proofSet);
  os.attribute("live_peak", report.livePeak);
  writeNames(os, "peak_set", problem, report.peakSet);
  if (report.peakStep != kNone)
    os.attribute("peak_step", report.peakStep);
  os.attributeObject("largest_hole", [&] {
    os.attribute("begin", report.hole.begin);
    os.attribute("end", report.hole.end);
  });
  os.attribute("fragmentation", report.fragmentation());
  os.attribute("padding", report.padding);
  os.attribute("reserved", report.reserved);
  os.attribute("steps", static_cast<int64_t>(report.steps));
}

static void writeLimits(json::OStream &os, const Limits &limits) {
  os.attributeObject("limits", [&] {
    for (auto [name, bytes] : {std::pair("encodable", limits.encodable),
                               std::pair("capacity", limits.capacity),
                               std::pair("budget", limits.budget)})
      if (bytes != kUnlimited)
        os.attribute(name, bytes);
    os.attribute("granule", limits.granule);
  });
}

static void writePairs(json::OStream &os, const MemoryProblem &problem,
                       const MemoryReport &report) {
  os.attributeArray("in_place", [&] {
    for (size_t i = 0; i < report.pairs.size(); ++i)
      os.object([&] {
        os.attribute("result", nameOf(problem, problem.inPlace[i].result));
        os.attribute("operand", nameOf(problem, problem.inPlace[i].operand));
        os.attribute("taken", report.pairs[i].isTaken);
        if (!report.pairs[i].reason.empty())
          os.attribute("reason", json::fixUTF8(report.pairs[i].reason));
      });
  });
}

static void writePlan(json::OStream &os, const MemoryProblem &problem,
                      const MemorySolution &solution) {
  writeReport(os, problem, solution.report);
  writePairs(os, problem, solution.report);
  os.attributeArray("storages", [&] {
    for (StorageId id = 0; id < solution.plan.offsets.size(); ++id)
      os.object([&] {
        const Storage &storage = problem.storages[id];
        os.attribute("name", nameOf(problem, id));
        os.attribute("offset", solution.plan.offsets[id]);
        os.attribute("bytes", storage.bytes);
        os.attribute("class", className(storage.kind));
        if (storage.isPart())
          os.attribute("root", nameOf(problem, StorageId(storage.root)));
      });
  });
}

void tally::plan::memory::writeSolutionJson(llvm::raw_ostream &stream,
                                            const MemoryProblem &problem,
                                            const MemorySolution &solution) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    writeLimits(os, problem.limits);
    writePlan(os, problem, solution);
  });
  stream << "\n";
}

static const char *remedyName(Remedy::Kind kind) {
  constexpr const char *names[] = {"raise-limit", "move-away",  "shrink",
                                   "spill",       "take-place", "unpin"};
  return names[kind];
}

static void writeRemedies(json::OStream &os, const MemoryProblem &problem,
                          const Refusal &refusal) {
  os.attributeArray("remedies", [&] {
    for (const Remedy &remedy : refusal.remedies)
      os.object([&] {
        os.attribute("kind", remedyName(remedy.kind));
        if (remedy.kind != Remedy::RaiseLimit)
          os.attribute("storage", nameOf(problem, remedy.storage));
        if (remedy.kind == Remedy::TakePlace)
          os.attribute("operand", nameOf(problem, remedy.other));
        os.attribute("bytes", remedy.bytes);
        os.attribute("extent", remedy.extent);
        os.attribute("text",
                     json::fixUTF8(remedyText(problem, refusal, remedy)));
      });
  });
}

void tally::plan::memory::writeRefusalJson(llvm::raw_ostream &stream,
                                           const MemoryProblem &problem,
                                           const Refusal &refusal) {
  json::OStream os(stream, 2);
  const Diagnostic &failure = refusal.diagnostic;
  os.object([&] {
    os.attribute("version", 1);
    os.attributeObject("refused", [&] {
      os.attribute("rule", failure.rule);
      os.attribute("message", json::fixUTF8(failure.message));
      os.attribute("hint", json::fixUTF8(failure.hint));
      if (!failure.file.empty())
        os.attribute("file", json::fixUTF8(failure.file));
      if (refusal.limit.empty())
        return;
      os.attribute("limit", refusal.limit);
      os.attribute("allowed", refusal.allowed);
      os.attribute("missing", refusal.missing);
      os.attribute("proven", refusal.isProven);
      writeRemedies(os, problem, refusal);
    });
    if (!refusal.limit.empty()) {
      writeLimits(os, problem.limits);
      writePlan(os, problem, refusal.solution);
    }
  });
  stream << "\n";
}
