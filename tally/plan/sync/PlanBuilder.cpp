//===- PlanBuilder.cpp - commands into the order of a plan ----------------===//

#include "tally/plan/sync/Program.h"

#include <algorithm>
#include <tuple>

using namespace tally::plan::sync;

uint32_t PlanBuilder::use(const Register &reg) {
  auto [at, isNew] =
      positions.try_emplace({reg.number, reg.source, reg.destination},
                            static_cast<uint32_t>(plan.registers.size()));
  if (isNew)
    plan.registers.push_back(reg);
  return at->second;
}

void PlanBuilder::add(const SyncPlan &part, const std::vector<Op> &ids) {
  std::vector<uint32_t> regs;
  regs.reserve(part.registers.size());
  for (const Register &reg : part.registers)
    regs.push_back(use(reg));
  for (const Signal &one : part.signals)
    signal(ids[one.op], regs[one.reg]);
  for (const Wait &one : part.waits)
    wait(ids[one.op], regs[one.reg], one.value);
  for (const Clear &one : part.clears)
    clear(ids[one.op], regs[one.reg]);
  for (Op op : part.drains)
    drain(ids[op]);
  for (uint32_t reg : part.finalClears)
    plan.finalClears.push_back(regs[reg]);
}

void PlanBuilder::chainWaits() {
  auto most = static_cast<uint32_t>(problem.file.waitsPerCommand);
  if (most == 0)
    return;
  uint32_t index = 0;
  for (size_t i = 0; i < plan.waits.size(); ++i) {
    index = i && plan.waits[i - 1].op == plan.waits[i].op ? index + 1 : 0;
    plan.waits[i].command = index / most;
  }
}

void PlanBuilder::sort() {
  auto byOp = [](const auto &a, const auto &b) {
    return std::tie(a.op, a.reg) < std::tie(b.op, b.reg);
  };
  std::sort(plan.signals.begin(), plan.signals.end(), byOp);
  std::sort(plan.waits.begin(), plan.waits.end(), byOp);
  std::sort(plan.clears.begin(), plan.clears.end(), byOp);
  std::sort(plan.drains.begin(), plan.drains.end());
  plan.drains.erase(std::unique(plan.drains.begin(), plan.drains.end()),
                    plan.drains.end());
  if (problem.file.kind == FileKind::Counter)
    for (const Signal &signal : plan.signals)
      plan.finalClears.push_back(signal.reg);
  std::sort(plan.finalClears.begin(), plan.finalClears.end());
  plan.finalClears.erase(
      std::unique(plan.finalClears.begin(), plan.finalClears.end()),
      plan.finalClears.end());
  chainWaits();
}

std::vector<Op> PlanBuilder::commanded() const {
  std::vector<Op> ops = plan.drains;
  for (const Signal &signal : plan.signals)
    ops.push_back(signal.op);
  for (const Wait &wait : plan.waits)
    ops.push_back(wait.op);
  for (const Clear &clear : plan.clears)
    ops.push_back(clear.op);
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  return ops;
}
