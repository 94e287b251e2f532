//===- InPlace.cpp - results that may take their operand's place ----------===//
//
// A pair is legal when the two are needed together at one step or operation and
// nowhere else. Taken pairs form chains, since each result has one operand and
// each operand one result. In a chain a, b, c nothing of a is left when c
// begins, unless b lives for a single step.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/InPlace.h"

#include "tally/plan/memory/Order.h"

#include <algorithm>
#include <set>

using namespace tally;
using namespace tally::plan::memory;

namespace {
class PairCheck {
public:
  explicit PairCheck(const MemoryProblem &problem)
      : problem(problem), groups(findGroups(problem, {})), order(problem) {}

  std::string fault(const InPlace &pair) const {
    for (StorageId id : {pair.result, pair.operand}) {
      const Storage &storage = problem.storages[id];
      if (storage.isPart())
        return "'" + storage.name + "' is a part";
      if (storage.kind != StorageClass::Transient)
        return "'" + storage.name + "' is " + className(storage.kind);
    }
    auto result = static_cast<uint32_t>(groups.groupOf[pair.result]),
         operand = static_cast<uint32_t>(groups.groupOf[pair.operand]);
    if (groups.groups[result].bytes > groups.groups[operand].bytes)
      return "the result is larger";
    if (std::binary_search(
            groups.conflicts.begin(), groups.conflicts.end(),
            std::pair(std::min(result, operand), std::max(result, operand))))
      return "they conflict";
    return groups.hasAccesses ? accessFault(result, operand, pair.operation)
                              : stepFault(result, operand);
  }

private:
  std::string stepFault(uint32_t result, uint32_t operand) const {
    auto later = groups.lives[result], earlier = groups.lives[operand];
    if (later.empty() || earlier.empty())
      return "one of them is never needed";
    if (earlier.back().end <= later.front().begin)
      return "they do not meet";
    if (earlier.back().end != later.front().begin + 1)
      return "the operand is needed after the step that begins the result";
    return "";
  }

  std::string accessFault(uint32_t result, uint32_t operand,
                          int64_t operation) const {
    auto has = [&](uint32_t group) {
      auto row = groups.accesses[group];
      return std::find(row.begin(), row.end(), operation) != row.end();
    };
    if (operation == kNone || !has(result) || !has(operand))
      return "no operation is named that has both";
    auto at = static_cast<OpId>(operation);
    for (OpId op : groups.accesses[operand])
      if (op != at && !order.isBefore(op, at))
        return "'" + problem.operations[op].name + "' may access '" +
               problem.storages[groups.groups[operand].first].name +
               "' later than '" + problem.operations[at].name + "'";
    for (OpId op : groups.accesses[result])
      if (op != at && !order.isBefore(at, op))
        return "'" + problem.operations[op].name + "' may access '" +
               problem.storages[groups.groups[result].first].name +
               "' earlier than '" + problem.operations[at].name + "'";
    return "";
  }

  const MemoryProblem &problem;
  Groups groups;
  Order order;
};
} // namespace

std::vector<std::string>
plan::memory::pairFaults(const MemoryProblem &problem) {
  std::vector<std::string> faults;
  if (problem.inPlace.empty())
    return faults;
  PairCheck check(problem);
  for (const InPlace &pair : problem.inPlace)
    faults.push_back(check.fault(pair));
  return faults;
}

/// Both ends of a storage's life in the chain are one step or operation.
static bool isMomentary(const MemoryProblem &problem, const InPlace &asResult,
                        const InPlace &asOperand) {
  if (asResult.operation != kNone)
    return asResult.operation == asOperand.operation;
  const std::vector<Interval> &life = problem.storages[asResult.result].life;
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Interval &one : life)
    if (one.begin < one.end) {
      first = std::min(first, one.begin);
      last = std::max(last, one.end);
    }
  return last == first + 1;
}

/// Whether a fixed address, if there is one, suits all that is merged.
static bool isAddress(const MemoryProblem &problem, const Group &group) {
  if (group.at == kNone)
    return true;
  int64_t end = group.at + group.bytes;
  if (group.at % group.alignment.alignment != group.alignment.residue)
    return false;
  for (const Region &region : problem.reserved)
    if (group.at < region.end && region.begin < end)
      return false;
  return group.bank == kNone || (group.at >= problem.banks[group.bank].begin &&
                                 end <= problem.banks[group.bank].end);
}

bool plan::memory::canMerge(const MemoryProblem &problem,
                            const std::vector<uint32_t> &pairs) {
  std::set<StorageId> results, operands;
  for (uint32_t pair : pairs)
    if (!results.insert(problem.inPlace[pair].result).second ||
        !operands.insert(problem.inPlace[pair].operand).second)
      return false;
  for (uint32_t first : pairs)
    for (uint32_t second : pairs)
      if (problem.inPlace[first].result == problem.inPlace[second].operand &&
          isMomentary(problem, problem.inPlace[first], problem.inPlace[second]))
        return false;
  Groups apart = findGroups(problem, {});
  std::vector<uint32_t> chain(apart.groups.size());
  for (uint32_t group = 0; group < chain.size(); ++group)
    chain[group] = group;
  for (uint32_t pair : pairs) {
    uint32_t to = chain[apart.groupOf[problem.inPlace[pair].operand]],
             from = chain[apart.groupOf[problem.inPlace[pair].result]];
    std::replace(chain.begin(), chain.end(), from, to);
  }
  for (auto [a, b] : apart.conflicts)
    if (chain[a] == chain[b])
      return false;
  std::vector<Group> merged(chain.size());
  for (uint32_t group = 0; group < chain.size(); ++group) {
    const Group &one = apart.groups[group];
    Group &into = merged[chain[group]];
    auto both = intersect(into.alignment, one.alignment);
    if (!both || (into.at != kNone && one.at != kNone && into.at != one.at) ||
        (into.bank != kNone && one.bank != kNone && into.bank != one.bank))
      return false;
    into.alignment = *both;
    into.at = std::max(into.at, one.at);
    into.bank = std::max(into.bank, one.bank);
    into.bytes = std::max(into.bytes, one.bytes);
    if (!isAddress(problem, into))
      return false;
  }
  return true;
}
