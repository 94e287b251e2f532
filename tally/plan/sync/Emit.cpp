//===- Emit.cpp - units on registers become commands ----------------------===//
//
// The threshold of a waiter of a: the number of signals on the counter that do
// not come after a. Before a, no more than that less one can have been counted,
// and by the rule of sharing all of them precede the waiter anyway. Producers
// of one waiter on one counter fold into one wait, for the largest value.
//
//   counter with a1, b1, c1 (unordered), all awaited by d1: each has threshold
//   3, so d1 has the one wait "3".
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Attempt.h"

#include <algorithm>
#include <tuple>

using namespace tally::plan::sync;

namespace {
/// The signals on one register, by lane.
class CounterUse {
public:
  void add(uint32_t lane, Op op) {
    for (auto &[known, ops] : lanes)
      if (known == lane)
        return ops.push_back(op);
    lanes.push_back({lane, {op}});
  }

  /// Signals since the last drain that do not come after that of `op`.
  int64_t threshold(const Order &order, Op op) const {
    int64_t count = 0;
    for (const auto &[lane, ops] : lanes) {
      auto first = std::partition_point(ops.begin(), ops.end(), [&](Op other) {
        return order.segment(other) < order.segment(op);
      });
      auto end = std::partition_point(first, ops.end(), [&](Op other) {
        return !order.completed(op, other);
      });
      count += end - first;
    }
    return count;
  }

private:
  std::vector<std::pair<uint32_t, std::vector<Op>>> lanes;
};

class Emitter {
public:
  Emitter(const SyncProblem &problem, const Attempt &attempt)
      : problem(problem), attempt(attempt) {
    std::vector<uint32_t> numbers = problem.file.usable();
    for (uint32_t domain = 0; domain < attempt.used.size(); ++domain) {
      firstRegister.push_back(static_cast<uint32_t>(plan.registers.size()));
      for (uint32_t i = 0; i < attempt.used[domain]; ++i) {
        plan.registers.push_back(attempt.units.domains[domain]);
        plan.registers.back().number = numbers[i];
      }
    }
    plan.drains = attempt.order.drains();
  }

  SyncPlan emit() {
    addSignals();
    addWaits();
    chainWaits();
    addClears();
    return std::move(plan);
  }

private:
  uint32_t registerOf(uint32_t unit) const {
    return firstRegister[attempt.units.units[unit].domain] +
           attempt.registerOf[unit];
  }

  void addSignals() {
    for (uint32_t unit = 0; unit < attempt.units.units.size(); ++unit)
      plan.signals.push_back({attempt.units.units[unit].op, registerOf(unit)});
  }

  std::vector<int64_t> thresholds() const {
    std::vector<int64_t> values(attempt.units.units.size(), 1);
    if (problem.file.kind != FileKind::Counter)
      return values;
    std::vector<CounterUse> uses(plan.registers.size());
    for (const Signal &signal : plan.signals)
      uses[signal.reg].add(attempt.order.laneOf(signal.op), signal.op);
    for (uint32_t unit = 0; unit < values.size(); ++unit)
      values[unit] = uses[registerOf(unit)].threshold(
          attempt.order, attempt.units.units[unit].op);
    return values;
  }

  void addWaits() {
    std::vector<int64_t> values = thresholds();
    for (uint32_t unit = 0; unit < values.size(); ++unit)
      for (Op waiter : attempt.units.waitersOf(attempt.units.units[unit]))
        plan.waits.push_back({waiter, registerOf(unit), values[unit], 0});
    std::sort(plan.waits.begin(), plan.waits.end(),
              [](const Wait &a, const Wait &b) {
                return std::tie(a.op, a.reg, b.value) <
                       std::tie(b.op, b.reg, a.value);
              });
    if (problem.file.kind == FileKind::Token)
      return;
    auto end = std::unique(plan.waits.begin(), plan.waits.end(),
                           [](const Wait &a, const Wait &b) {
                             return a.op == b.op && a.reg == b.reg;
                           });
    plan.waits.erase(end, plan.waits.end());
  }

  /// What an operation cannot hold goes to wait commands before it.
  void chainWaits() {
    auto most = static_cast<size_t>(problem.file.waitsPerCommand);
    if (most == 0)
      return;
    for (size_t begin = 0, end; begin < plan.waits.size(); begin = end) {
      end = begin + 1;
      while (end < plan.waits.size() &&
             plan.waits[end].op == plan.waits[begin].op)
        ++end;
      for (size_t at = begin + most; at < end; ++at)
        plan.waits[at].command = static_cast<uint32_t>((at - begin) / most);
    }
  }

  /// A flag is cleared before it is set again, and at the end; counters, at
  /// the end. Tokens are all taken.
  void addClears() {
    if (problem.file.kind == FileKind::Token)
      return;
    uint32_t last =
        plan.drains.empty() ? 0 : attempt.order.segment(plan.drains.back());
    std::vector<bool> isLeft(plan.registers.size(), false);
    for (uint32_t unit = 0; unit < attempt.units.units.size(); ++unit) {
      const Unit &one = attempt.units.units[unit];
      if (one.clear != Unit::kNoClear)
        plan.clears.push_back({one.clear, registerOf(unit)});
      else if (attempt.order.segment(one.op) == last)
        isLeft[registerOf(unit)] = true;
    }
    std::sort(plan.clears.begin(), plan.clears.end(),
              [](const Clear &a, const Clear &b) {
                return std::tie(a.op, a.reg) < std::tie(b.op, b.reg);
              });
    for (uint32_t reg = 0; reg < isLeft.size(); ++reg)
      if (isLeft[reg])
        plan.finalClears.push_back(reg);
  }

  const SyncProblem &problem;
  const Attempt &attempt;
  std::vector<uint32_t> firstRegister;
  SyncPlan plan;
};
} // namespace

SyncPlan tally::plan::sync::emitPlan(const SyncProblem &problem,
                                     const Attempt &attempt) {
  return Emitter(problem, attempt).emit();
}
