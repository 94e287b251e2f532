//===- TestDrawing.h - problems and plans as short text ---------*- C++ -*-===//
//
// For tests. "a1 b1 a2" are operations in issue order, those of one letter in
// one queue; "a1>b1" is a dependency on completion, "a1~b1" on the start.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_TESTDRAWING_H
#define TALLY_PLAN_SYNC_TESTDRAWING_H

#include "tally/plan/sync/Solver.h"

#include <algorithm>
#include <sstream>

namespace tally::plan::sync {

inline Op opNamed(const SyncProblem &problem, const std::string &name) {
  for (Op op = 0; op < problem.operations.size(); ++op)
    if (problem.operations[op].name == name)
      return op;
  return UINT32_MAX;
}

inline void drawOperation(SyncProblem &problem, const std::string &name) {
  std::string queue(1, static_cast<char>(std::toupper(name[0])));
  auto at = std::find_if(problem.queues.begin(), problem.queues.end(),
                         [&](const Queue &one) { return one.name == queue; });
  problem.operations.push_back(
      {name, static_cast<uint32_t>(at - problem.queues.begin()), 1});
  if (at == problem.queues.end())
    problem.queues.push_back({queue, 2, true});
}

inline SyncFile fileOf(FileKind kind, int64_t count,
                       FileKey key = FileKey::Global) {
  SyncFile file;
  file.kind = kind;
  file.count = count;
  file.key = key;
  return file;
}

inline SyncProblem draw(const std::string &operations,
                        const std::string &dependencies,
                        SyncFile file = fileOf(FileKind::Counter, 16)) {
  SyncProblem problem;
  problem.file = std::move(file);
  std::istringstream names(operations), pairs(dependencies);
  for (std::string name; names >> name;)
    drawOperation(problem, name);
  for (std::string pair; pairs >> pair;) {
    size_t at = pair.find_first_of(">~");
    problem.dependencies.push_back(
        {opNamed(problem, pair.substr(0, at)),
         opNamed(problem, pair.substr(at + 1)),
         pair[at] == '~' ? Strength::Issued : Strength::Completed});
  }
  return problem;
}

/// A relative wait is "b1 waits 0>=-1": but for 1. A gate is "before tiles/A".
/// "a1 signals 0; b1 waits 0>=1; b1 clears 0; drain before c1; end clears 0",
/// registers by position in the plan.
inline std::string textOf(const SyncProblem &problem, const SyncPlan &plan) {
  std::string text;
  auto add = [&](const std::string &part) {
    text += (text.empty() ? "" : "; ") + part;
  };
  auto name = [&](Op op) {
    size_t count = problem.operations.size();
    if (op < count)
      return problem.operations[op].name;
    const Gate &gate = plan.gates[op - count];
    return (gate.isAfter ? "after " : "before ") +
           problem.regions[gate.region].name + "/" +
           problem.queues[gate.queue].name;
  };
  for (const Signal &signal : plan.signals)
    add(name(signal.op) + " signals " + std::to_string(signal.reg));
  for (const Wait &wait : plan.waits)
    add(name(wait.op) + " waits " + std::to_string(wait.reg) +
        (wait.isRelative ? ">=-" : ">=") + std::to_string(wait.value));
  for (const Clear &clear : plan.clears)
    add(name(clear.op) + " clears " + std::to_string(clear.reg));
  for (Op drain : plan.drains)
    add("drain before " + name(drain));
  return text;
}

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_TESTDRAWING_H
