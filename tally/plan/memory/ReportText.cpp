//===- ReportText.cpp - a memory plan for people --------------------------===//

#include "tally/plan/memory/Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <numeric>

using namespace tally::plan::memory;

static void printNumbers(llvm::raw_ostream &os, const MemoryProblem &problem,
                         const MemoryReport &report) {
  os << "extent " << report.extent << " bytes";
  if (report.isOptimal())
    os << ", no plan is smaller (proof: " << proofName(report.proof) << ")\n";
  else
    os << ", no plan is smaller than " << report.lowerBound
       << " (proof: " << proofName(report.proof) << "); "
       << llvm::format("%.4f",
                       double(report.extent) /
                           double(std::max<int64_t>(report.lowerBound, 1)))
       << " of that\n";
  os << "live at the peak " << report.livePeak << ", padding " << report.padding
     << ", reserved " << report.reserved << ", largest hole "
     << report.holeBytes();
  if (report.holeBytes() > 0)
    os << " at " << report.hole.begin;
  os << ", fragmentation " << report.fragmentation() << "\n";
  const Limits &limits = problem.limits;
  for (auto [name, bytes] : {std::pair("encodable", limits.encodable),
                             std::pair("capacity", limits.capacity),
                             std::pair("budget", limits.budget)})
    if (bytes != kUnlimited)
      os << name << " " << bytes << ", " << bytes - report.extent << " left\n";
}

static void printPeak(llvm::raw_ostream &os, const MemoryProblem &problem,
                      const MemoryReport &report) {
  if (report.peakSet.empty())
    return;
  os << "needed together";
  if (report.peakStep != kNone)
    os << " at step " << report.peakStep;
  os << ":\n";
  for (StorageId id : report.peakSet)
    os << "  " << problem.storages[id].name << " " << problem.storages[id].bytes
       << "\n";
}

static void printPairs(llvm::raw_ostream &os, const MemoryProblem &problem,
                       const MemoryReport &report) {
  for (size_t i = 0; i < report.pairs.size(); ++i) {
    const InPlace &pair = problem.inPlace[i];
    os << problem.storages[pair.result].name << " in place of "
       << problem.storages[pair.operand].name << ": ";
    if (report.pairs[i].isTaken)
      os << "yes\n";
    else if (report.pairs[i].reason.empty())
      os << "no, it does not help\n";
    else
      os << "no, " << report.pairs[i].reason << "\n";
  }
}

void tally::plan::memory::printSolution(llvm::raw_ostream &os,
                                        const MemoryProblem &problem,
                                        const MemorySolution &solution) {
  printNumbers(os, problem, solution.report);
  printPeak(os, problem, solution.report);
  printPairs(os, problem, solution.report);
  os << "addresses:\n";
  std::vector<StorageId> order(problem.storages.size());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<int64_t> &offsets = solution.plan.offsets;
  std::sort(order.begin(), order.end(), [&](StorageId a, StorageId b) {
    return offsets[a] != offsets[b] ? offsets[a] < offsets[b] : a < b;
  });
  for (StorageId id : order) {
    const Storage &storage = problem.storages[id];
    os << "  " << offsets[id] << " " << storage.name << " " << storage.bytes;
    if (storage.isPart())
      os << " (part of " << problem.storages[storage.root].name << ")";
    else if (storage.kind != StorageClass::Transient)
      os << " (" << className(storage.kind) << ")";
    os << "\n";
  }
}
