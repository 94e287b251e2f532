//===- NpuRecords.cpp - plans of memory and synchronization as records ----===//

#include "tally/driver/NpuRecords.h"
#include "tally/plan/sync/Text.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <set>

using namespace tally;
namespace memory = tally::plan::memory;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static std::string nameOf(int64_t space) {
  return space == isa::kSram           ? "SRAM"
         : space == isa::kAccumulators ? "accumulators"
                                       : "arena";
}

static std::optional<int64_t> limited(int64_t bytes) {
  return bytes == memory::kUnlimited ? std::nullopt : std::optional(bytes);
}

static report::StorageAccount storageOf(const schedule::SpacePlan &plan,
                                        size_t i) {
  const schedule::StorageFacts &facts = plan.facts[i];
  report::StorageAccount storage;
  storage.name = facts.name;
  storage.node = facts.node;
  storage.writers = facts.writers;
  storage.bytes = plan.problem.storages[i].bytes;
  storage.offset = plan.solution.plan.offsets[i];
  storage.views = facts.views;
  storage.first = facts.first;
  storage.last = facts.last;
  storage.lastReader = facts.lastReader;
  storage.lastQueue = facts.lastQueue;
  storage.lastNode = facts.lastNode;
  return storage;
}

static report::MemoryAccount memoryOf(const schedule::SpacePlan &plan) {
  const memory::MemoryReport &report = plan.solution.report;
  report::MemoryAccount account;
  account.name = nameOf(plan.space);
  account.window = limited(plan.problem.limits.encodable);
  account.memory = limited(plan.problem.limits.capacity);
  account.granted = limited(plan.problem.limits.budget);
  account.extent = report.extent;
  account.lowerBound = report.lowerBound;
  account.livePeak = report.livePeak;
  account.padding = report.padding;
  account.holeBegin = report.hole.begin;
  account.holeEnd = report.hole.end;
  account.fragmentation = report.fragmentation();
  for (size_t i = 0; i < plan.solution.plan.offsets.size(); ++i)
    account.storages.push_back(storageOf(plan, i));
  for (memory::StorageId id : report.peakSet)
    account.storages[id].isAtPeak = true;
  return account;
}

std::vector<report::MemoryAccount>
tally::memoriesOf(const schedule::MemoryPlans &plans) {
  std::vector<report::MemoryAccount> memories;
  for (const schedule::SpacePlan *plan :
       {&plans.accumulators, &plans.sram, &plans.arena})
    if (!plan->solution.plan.offsets.empty())
      memories.push_back(memoryOf(*plan));
  return memories;
}

report::GlobalAccount tally::globalOf(const schedule::MemoryPlans &plans,
                                      const machine::Machine &machine,
                                      int64_t budget) {
  report::GlobalAccount account;
  for (const schedule::RegionUse &region : plans.global.regions)
    account.regions.push_back({region.name, region.region, region.bytes});
  account.total = plans.global.total();
  account.window = schedule::allWindows(machine);
  account.widest = schedule::widestWindow(machine);
  account.budget = limited(budget);
  return account;
}

std::vector<report::TryAccount>
tally::triesOf(const std::vector<schedule::Try> &tries) {
  std::vector<report::TryAccount> accounts;
  for (const schedule::Try &one : tries) {
    report::TryAccount account;
    account.choices = schedule::choicesText(one.choices);
    if (one.estimate)
      account.cycles = one.estimate->cycles;
    account.globalBytes = one.globalBytes;
    account.outcome = one.fits() ? "fits"
                      : one.refusal.rule.empty()
                          ? one.refusal.message
                          : "refused [" + one.refusal.rule + "]";
    accounts.push_back(std::move(account));
  }
  return accounts;
}

report::Shortage tally::shortageOf(const schedule::Refusal &refusal,
                                   const machine::Machine &machine,
                                   int64_t budget) {
  const schedule::Shortage &shortage = *refusal.shortage;
  report::Shortage record;
  record.rule = shortage.diagnostic.rule;
  record.message = shortage.diagnostic.message;
  record.hint = shortage.diagnostic.hint;
  record.limit = schedule::limitName(shortage.limit);
  record.memory =
      isa::isRegion(shortage.space) ? "global memory" : nameOf(shortage.space);
  record.needed = shortage.needed;
  record.allowed = shortage.allowed;
  record.memories = memoriesOf(shortage.plans);
  record.global = globalOf(shortage.plans, machine, budget);
  record.tries = triesOf(refusal.tries);
  for (const schedule::Remedy &remedy : refusal.remedies)
    record.remedies.push_back(schedule::remedyText(remedy));
  return record;
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

report::SyncAccount tally::syncOf(const schedule::SyncPlan &plan) {
  const plan::sync::SyncReport &from = plan.solution.report;
  report::SyncAccount account;
  account.kind = plan::sync::kindName(plan.problem.file.kind);
  account.dependencies = int64_t(from.dependencies);
  account.edges = int64_t(from.edges);
  account.usable = from.usable;
  account.needed = from.needed;
  account.lowerBound = from.lowerBound;
  account.proof = plan::sync::proofName(from.proof);
  account.method = plan::sync::methodName(from.method);
  account.addedOrder = int64_t(from.addedOrder);
  account.drains = int64_t(plan.solution.plan.drains.size());
  account.waits = int64_t(plan.solution.plan.waits.size());
  account.cycles = from.makespan;
  account.unlimited = from.unlimited;
  account.serial = from.serial;
  for (const plan::sync::Holder &holder : from.pressure) {
    const plan::sync::Operation &op = plan.problem.operations[holder.op];
    account.pressure.push_back(
        {op.name, plan.problem.queues[op.queue].name,
         int64_t(holder.waiters.size()),
         holder.waiters.empty() ? holder.op : holder.waiters.back(),
         holder.slack});
  }
  for (const plan::sync::PricePoint &point : from.curve)
    account.prices.push_back({point.registers, point.makespan,
                              plan::sync::methodName(point.method)});
  return account;
}
