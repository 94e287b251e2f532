//===- Liveness.h - where each value needs a register -----------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_LIVENESS_H
#define TALLY_PLAN_REGISTERS_LIVENESS_H

#include "tally/plan/registers/Problem.h"

namespace tally::plan::registers {

/// A loop is two steps, Enter and Latch (after each trip), with its body
/// between them; every other statement is one step, Whole.
enum class StepPart { Whole, Enter, Latch };

struct Step {
  StatementId statement = 0;
  StepPart part = StepPart::Whole;
  std::vector<uint32_t> predecessors; ///< positions of steps
};

/// Points of time in the order of the text. A step has three: 3i is its
/// reads, 3i + 1 its clobbers, 3i + 2 its writes.
using Point = uint32_t;
inline constexpr Point kPointsPerStep = 3;

/// Half-open: [begin, end).
struct Range {
  Point begin = 0, end = 0;
};

/// Ascending, disjoint and not adjacent.
using Ranges = std::vector<Range>;

struct Liveness {
  std::vector<Step> steps;
  std::vector<Ranges> values; ///< live, in flight, read or written there
  /// The points of `values` at which nothing but a late read, or its being in
  /// flight, needs the value.
  std::vector<Ranges> onlyInFlight;
  std::vector<Ranges> clobbers; ///< of each register
  /// Values at each point, and registers clobbered there that are not
  /// reserved.
  std::vector<uint32_t> pressure;
};

/// Steps in the order of the text, each with the steps it may follow.
std::vector<Step> linearize(const RegisterProblem &problem);

/// What a step reads at once and late, and writes.
std::vector<Use> readsOf(const RegisterProblem &problem, const Step &step);
std::vector<ValueId> writesOf(const RegisterProblem &problem, const Step &step);

/// The problem keeps REG-2 to REG-6. Fails with REG-7.
Result<Liveness> computeLiveness(const RegisterProblem &problem);

/// Whether `ranges` has `point`.
bool covers(const Ranges &ranges, Point point);

/// The range of `ranges` that has `point`, which it has.
Range rangeAt(const Ranges &ranges, Point point);

/// The first common point, or kNone.
int64_t firstCommon(const Ranges &a, const Ranges &b);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_LIVENESS_H
