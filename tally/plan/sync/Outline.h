//===- Outline.h - a problem in the order of its text -----------*- C++ -*-===//

#ifndef TALLY_PLAN_SYNC_OUTLINE_H
#define TALLY_PLAN_SYNC_OUTLINE_H

#include "tally/plan/sync/Problem.h"

namespace tally::plan::sync {

/// One line of a program's text.
struct OutlineStep {
  enum Kind : uint8_t { Operation, Begin, Else, End };
  Kind kind = Operation;
  uint32_t index = 0; ///< of the operation or region
  uint32_t depth = 0; ///< regions around it
};

/// All operations, and where regions begin, change branch and end. An else
/// without operations is left out.
std::vector<OutlineStep> outlineOf(const SyncProblem &problem);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_OUTLINE_H
