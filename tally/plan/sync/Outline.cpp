//===- Outline.cpp - a problem in the order of its text -------------------===//

#include "tally/plan/sync/Outline.h"

using namespace tally::plan::sync;

namespace {
class Outliner {
public:
  explicit Outliner(const SyncProblem &problem) : problem(problem) {}

  /// Regions from `next` on that lie within [begin, end), and operations.
  void block(Op begin, Op end, uint32_t depth) {
    while (next < problem.regions.size()) {
      const Region &region = problem.regions[next];
      if (region.first < begin || region.end > end)
        break;
      operations(begin, region.first, depth);
      begin = region.end;
      enter(next++, depth);
    }
    operations(begin, end, depth);
  }

  std::vector<OutlineStep> steps;

private:
  void operations(Op begin, Op end, uint32_t depth) {
    for (; begin < end; ++begin)
      steps.push_back({OutlineStep::Operation, begin, depth});
  }

  void enter(uint32_t index, uint32_t depth) {
    const Region &region = problem.regions[index];
    steps.push_back({OutlineStep::Begin, index, depth});
    if (region.kind == Region::Loop) {
      block(region.first, region.end, depth + 1);
    } else {
      block(region.first, region.elseAt, depth + 1);
      if (region.elseAt < region.end)
        steps.push_back({OutlineStep::Else, index, depth});
      block(region.elseAt, region.end, depth + 1);
    }
    steps.push_back({OutlineStep::End, index, depth});
  }

  const SyncProblem &problem;
  uint32_t next = 0;
};
} // namespace

std::vector<OutlineStep>
tally::plan::sync::outlineOf(const SyncProblem &problem) {
  Outliner outliner(problem);
  outliner.block(0, static_cast<Op>(problem.operations.size()), 0);
  return std::move(outliner.steps);
}
