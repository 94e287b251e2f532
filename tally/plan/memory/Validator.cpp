//===- Validator.cpp - judges a memory plan -------------------------------===//
//
// Storages that say their steps are put into a map of addresses at their begin
// and taken out at their end, in the order of time: whoever finds bytes taken
// breaks the law. For accesses there is no one order of time; two storages
// whose bytes meet are looked up in a table of which operation comes before
// which, filled by walking the operations backward from each.
//
// An in-place result is looked after by its operand during the step they share:
// the result counts from the next step on. It has no more bytes than the
// operand, so whoever met it at that step would meet the operand.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Problem.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace tally;
using namespace tally::plan::memory;

namespace {
/// All that is needed of a root and its parts.
struct Tenant {
  StorageId id = 0;
  int64_t begin = 0, end = 0; ///< bytes
  bool isAlways = false;
  std::vector<Interval> life; ///< sorted, disjoint
  std::vector<OpId> accesses; ///< sorted
};

class Judge {
public:
  Judge(const MemoryProblem &problem, const MemoryPlan &plan)
      : problem(problem), plan(plan) {}
  Violation judge();

private:
  const Storage &storage(StorageId id) const { return problem.storages[id]; }
  std::string name(StorageId id) const { return "'" + storage(id).name + "'"; }
  int64_t granules(int64_t bytes) const;

  Violation judgeShape() const;
  Violation judgeAddress(StorageId id) const;
  Violation judgeRegions(StorageId id) const;
  Violation judgePart(StorageId id) const;
  Violation judgeExtent() const;

  void collectTenants();
  void collectOrder();
  bool isBefore(OpId a, OpId b) const { return before[b][a]; }
  bool precedes(const Tenant &a, const Tenant &b) const;

  Violation judgeInPlace();
  std::string pairFault(const InPlace &pair) const;
  std::string stepFault(const Tenant &result, const Tenant &operand) const;
  std::string operationFault(const Tenant &result, const Tenant &operand,
                             int64_t operation) const;

  Violation judgeSteps() const;
  Violation judgeAccesses() const;
  Violation judgeConflicts() const;
  Violation overlap(StorageId a, StorageId b, const std::string &why) const;

  const MemoryProblem &problem;
  const MemoryPlan &plan;
  std::vector<StorageId> rootOf;
  std::vector<Tenant> tenants; ///< by storage; parts have none
  bool hasAccesses = false;
  std::vector<std::vector<bool>> before;
  std::set<std::pair<StorageId, StorageId>> pairs; ///< taken: result, operand
};
} // namespace

int64_t Judge::granules(int64_t bytes) const {
  int64_t over = bytes % problem.limits.granule;
  return over ? bytes - over + problem.limits.granule : bytes;
}

//===----------------------------------------------------------------------===//
// One storage
//===----------------------------------------------------------------------===//

Violation Judge::judgeShape() const {
  if (plan.offsets.size() != problem.storages.size())
    return {"shape", std::to_string(plan.offsets.size()) + " offsets for " +
                         std::to_string(problem.storages.size()) + " storages"};
  for (uint32_t taken : plan.inPlace)
    if (taken >= problem.inPlace.size())
      return {"shape", "in-place pair " + std::to_string(taken) + " of " +
                           std::to_string(problem.inPlace.size())};
  return {};
}

Violation Judge::judgeAddress(StorageId id) const {
  const Storage &one = storage(id);
  int64_t offset = plan.offsets[id];
  std::string place = "offset " + std::to_string(offset) + " of " + name(id);
  if (offset < 0)
    return {"address", place + " is negative"};
  if (one.bytes > INT64_MAX / 2 || offset > INT64_MAX / 2)
    return {"address", place + " is beyond all memory"};
  if (offset % one.alignment != 0)
    return {"alignment",
            place + " is not a multiple of " + std::to_string(one.alignment)};
  if (one.root == kNone && offset % problem.limits.granule != 0)
    return {"alignment", place + " is not a multiple of the granule " +
                             std::to_string(problem.limits.granule)};
  if (one.kind == StorageClass::Caller && offset != 0)
    return {"address", place + " should be 0: it is the caller's"};
  if (one.at != kNone && offset != one.at)
    return {"fixed", place + " should be " + std::to_string(one.at)};
  return {};
}

Violation Judge::judgeRegions(StorageId id) const {
  const Storage &one = storage(id);
  if (one.root != kNone || one.kind == StorageClass::Caller || one.bytes == 0)
    return {};
  int64_t begin = plan.offsets[id], end = begin + granules(one.bytes);
  if (one.bank != kNone) {
    const Region &bank = problem.banks[one.bank];
    if (begin < bank.begin || end > bank.end)
      return {"bank", name(id) + " is not inside of bank '" + bank.name + "'"};
  }
  for (const Region &region : problem.reserved)
    if (std::max(begin, region.begin) < std::min(end, region.end))
      return {"reserved",
              name(id) + " takes bytes of reserved '" + region.name + "'"};
  return {};
}

Violation Judge::judgePart(StorageId id) const {
  const Storage &one = storage(id);
  if (one.root == kNone)
    return {};
  int64_t expected = plan.offsets[one.root] + one.rootOffset;
  if (plan.offsets[id] == expected)
    return {};
  return {"part", name(id) + " should be at " + std::to_string(expected) +
                      ", " + std::to_string(one.rootOffset) + " bytes into " +
                      name(static_cast<StorageId>(one.root))};
}

Violation Judge::judgeExtent() const {
  int64_t top = 0;
  for (StorageId id = 0; id < problem.storages.size(); ++id)
    if (tenants[id].begin < tenants[id].end)
      top = std::max(top, tenants[id].end);
  if (top == plan.extent)
    return {};
  return {"extent", "the extent is said to be " + std::to_string(plan.extent) +
                        " bytes, the highest storage ends at " +
                        std::to_string(top)};
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

static void mergeLife(std::vector<Interval> &life) {
  std::erase_if(life, [](const Interval &one) { return one.begin >= one.end; });
  std::sort(life.begin(), life.end(),
            [](const auto &a, const auto &b) { return a.begin < b.begin; });
  std::vector<Interval> merged;
  for (const Interval &one : life)
    if (!merged.empty() && one.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, one.end);
    else
      merged.push_back(one);
  life = std::move(merged);
}

void Judge::collectTenants() {
  size_t count = problem.storages.size();
  rootOf.resize(count);
  tenants.resize(count);
  for (StorageId id = 0; id < count; ++id) {
    StorageId root = id;
    while (storage(root).root != kNone)
      root = static_cast<StorageId>(storage(root).root);
    rootOf[id] = root;
    Tenant &tenant = tenants[root];
    const Storage &one = storage(id);
    tenant.life.insert(tenant.life.end(), one.life.begin(), one.life.end());
    tenant.accesses.insert(tenant.accesses.end(), one.accesses.begin(),
                           one.accesses.end());
    tenant.isAlways |=
        one.kind == StorageClass::Constant || one.kind == StorageClass::State;
  }
  for (StorageId id = 0; id < count; ++id) {
    Tenant &tenant = tenants[id];
    tenant.id = id;
    hasAccesses |= !storage(id).accesses.empty();
    tenant.begin = tenant.end = plan.offsets[id];
    if (rootOf[id] == id && storage(id).kind != StorageClass::Caller)
      tenant.end += granules(storage(id).bytes);
    mergeLife(tenant.life);
    std::sort(tenant.accesses.begin(), tenant.accesses.end());
    tenant.accesses.erase(
        std::unique(tenant.accesses.begin(), tenant.accesses.end()),
        tenant.accesses.end());
  }
}

/// before[b][a]: a has completed before b starts.
void Judge::collectOrder() {
  size_t count = problem.operations.size();
  std::map<uint32_t, OpId> lastOfQueue;
  before.assign(count, std::vector<bool>(count));
  for (OpId op = 0; op < count; ++op) {
    std::vector<OpId> direct = problem.operations[op].after;
    auto [last, isFirst] =
        lastOfQueue.try_emplace(problem.operations[op].queue, op);
    if (!isFirst)
      direct.push_back(last->second);
    last->second = op;
    for (OpId earlier : direct) {
      before[op][earlier] = true;
      for (OpId other = 0; other < earlier; ++other)
        if (before[earlier][other])
          before[op][other] = true;
    }
  }
}

bool Judge::precedes(const Tenant &a, const Tenant &b) const {
  for (OpId first : a.accesses)
    for (OpId second : b.accesses)
      if (!isBefore(first, second))
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// In place
//===----------------------------------------------------------------------===//

std::string Judge::stepFault(const Tenant &result,
                             const Tenant &operand) const {
  if (result.life.empty() || operand.life.empty())
    return "one of them has no life";
  int64_t step = result.life.front().begin;
  if (operand.life.back().end != step + 1)
    return "they share more than the step at which one begins and the other "
           "ends";
  return "";
}

std::string Judge::operationFault(const Tenant &result, const Tenant &operand,
                                  int64_t operation) const {
  auto has = [&](const Tenant &tenant) {
    return std::binary_search(tenant.accesses.begin(), tenant.accesses.end(),
                              static_cast<OpId>(operation));
  };
  if (operation == kNone || !has(result) || !has(operand))
    return "no operation has both";
  for (OpId op : operand.accesses)
    if (op != operation && !isBefore(op, static_cast<OpId>(operation)))
      return "'" + problem.operations[op].name +
             "' may access the operand later";
  for (OpId op : result.accesses)
    if (op != operation && !isBefore(static_cast<OpId>(operation), op))
      return "'" + problem.operations[op].name +
             "' may access the result earlier";
  return "";
}

std::string Judge::pairFault(const InPlace &pair) const {
  const Tenant &result = tenants[pair.result], &operand = tenants[pair.operand];
  for (StorageId id : {pair.result, pair.operand})
    if (rootOf[id] != id || storage(id).kind != StorageClass::Transient)
      return name(id) + " is no transient root";
  if (result.begin != operand.begin)
    return "they have different addresses";
  if (result.end > operand.end)
    return "the result has more bytes";
  for (auto [a, b] : problem.conflicts)
    if (std::minmax(rootOf[a], rootOf[b]) ==
        std::minmax(pair.result, pair.operand))
      return "they conflict";
  if (!hasAccesses)
    return stepFault(result, operand);
  return operationFault(result, operand, pair.operation);
}

Violation Judge::judgeInPlace() {
  std::set<StorageId> results, operands;
  for (uint32_t taken : plan.inPlace) {
    const InPlace &pair = problem.inPlace[taken];
    std::string fault = pairFault(pair);
    if (!results.insert(pair.result).second)
      fault = "the result takes the place of two";
    if (!operands.insert(pair.operand).second)
      fault = "two take the place of the operand";
    if (!fault.empty())
      return {"in place", name(pair.result) + " in place of " +
                              name(pair.operand) + ": " + fault};
    pairs.insert({pair.result, pair.operand});
  }
  for (auto [result, operand] : pairs) {
    std::vector<Interval> &life = tenants[result].life;
    if (life.empty())
      continue;
    if (operands.count(result) && life.back().end == life.front().begin + 1)
      return {"in place", name(result) + " lives for one step, in which it is "
                                         "both result and operand"};
    ++life.front().begin;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Shared bytes
//===----------------------------------------------------------------------===//

Violation Judge::overlap(StorageId a, StorageId b,
                         const std::string &why) const {
  if (a > b)
    std::swap(a, b);
  return {"overlap", name(a) + " and " + name(b) + " share bytes, but " + why};
}

namespace {
struct Event {
  int64_t time;
  bool isBegin; ///< ends come first
  StorageId id;
  bool operator<(const Event &other) const {
    return std::tie(time, isBegin, id) <
           std::tie(other.time, other.isBegin, other.id);
  }
};
} // namespace

Violation Judge::judgeSteps() const {
  std::vector<Event> events;
  for (const Tenant &tenant : tenants) {
    if (tenant.begin == tenant.end)
      continue;
    if (tenant.isAlways)
      events.push_back({INT64_MIN, true, tenant.id});
    else
      for (const Interval &life : tenant.life)
        if (life.begin < life.end)
          events.insert(events.end(), {{life.begin, true, tenant.id},
                                       {life.end, false, tenant.id}});
  }
  std::sort(events.begin(), events.end());
  std::map<int64_t, StorageId> byAddress;
  for (const Event &event : events) {
    const Tenant &tenant = tenants[event.id];
    if (!event.isBegin) {
      byAddress.erase(tenant.begin);
      continue;
    }
    auto next = byAddress.lower_bound(tenant.begin);
    if (next != byAddress.end() && next->first < tenant.end)
      return overlap(event.id, next->second, "live at one time");
    if (next != byAddress.begin())
      if (StorageId below = std::prev(next)->second;
          tenants[below].end > tenant.begin)
        return overlap(event.id, below, "live at one time");
    byAddress[tenant.begin] = event.id;
  }
  return {};
}

Violation Judge::judgeAccesses() const {
  std::vector<const Tenant *> byAddress;
  for (const Tenant &tenant : tenants)
    if (tenant.begin < tenant.end &&
        (tenant.isAlways || !tenant.accesses.empty()))
      byAddress.push_back(&tenant);
  std::sort(byAddress.begin(), byAddress.end(), [](auto *a, auto *b) {
    return std::tie(a->begin, a->id) < std::tie(b->begin, b->id);
  });
  for (size_t i = 0; i < byAddress.size(); ++i)
    for (size_t j = i + 1; j < byAddress.size(); ++j) {
      const Tenant &a = *byAddress[i], &b = *byAddress[j];
      if (b.begin >= a.end)
        break;
      if (pairs.count({a.id, b.id}) || pairs.count({b.id, a.id}))
        continue;
      if (a.isAlways || b.isAlways || (!precedes(a, b) && !precedes(b, a)))
        return overlap(a.id, b.id, "may be needed at one time");
    }
  return {};
}

Violation Judge::judgeConflicts() const {
  for (auto [first, second] : problem.conflicts) {
    const Tenant &a = tenants[rootOf[first]], &b = tenants[rootOf[second]];
    if (std::max(a.begin, b.begin) < std::min(a.end, b.end))
      return overlap(a.id, b.id, "conflict");
  }
  return {};
}

Violation Judge::judge() {
  if (Violation broken = judgeShape())
    return broken;
  for (StorageId id = 0; id < problem.storages.size(); ++id)
    for (auto judgeOne :
         {&Judge::judgeAddress, &Judge::judgeRegions, &Judge::judgePart})
      if (Violation broken = (this->*judgeOne)(id))
        return broken;
  collectTenants();
  collectOrder();
  if (Violation broken = judgeInPlace())
    return broken;
  if (Violation broken = hasAccesses ? judgeAccesses() : judgeSteps())
    return broken;
  if (Violation broken = judgeConflicts())
    return broken;
  return judgeExtent();
}

Violation plan::memory::findViolation(const MemoryProblem &problem,
                                      const MemoryPlan &plan) {
  return Judge(problem, plan).judge();
}
