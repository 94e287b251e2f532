//===- TestOracle.cpp - the best plan by trying all -----------------------===//

#include "tally/plan/memory/TestOracle.h"

#include <algorithm>
#include <functional>
#include <set>

using namespace tally;
using namespace tally::plan::memory;

namespace {
/// Storages at one address: one, or a chain of in-place pairs.
struct Block {
  std::vector<StorageId> members;
  int64_t bytes = 0, alignment = 1, at = kNone, bank = kNone;
};

class Oracle {
public:
  explicit Oracle(const MemoryProblem &problem) : problem(problem) {
    findOrder();
  }
  int64_t run();

private:
  int64_t granules(int64_t bytes) const {
    int64_t granule = problem.limits.granule;
    return (bytes + granule - 1) / granule * granule;
  }
  void findOrder();
  bool isFirst(const Storage &a, const Storage &b) const;
  bool meet(StorageId a, StorageId b) const;
  bool isLegal(const InPlace &pair) const;
  bool formBlocks(uint32_t chosen);
  bool meet(const Block &a, const Block &b) const;
  bool fits(const Block &block, int64_t address) const;
  int64_t lowestAddress(size_t block) const;
  void place(size_t placed, int64_t top);

  const MemoryProblem &problem;
  std::vector<std::set<OpId>> earlier;
  std::vector<Block> blocks;
  std::vector<int64_t> address; ///< of blocks; kNone: not yet
  int64_t best = kUnlimited;
};
} // namespace

void Oracle::findOrder() {
  for (OpId op = 0; op < problem.operations.size(); ++op) {
    std::set<OpId> all;
    auto add = [&](OpId before) {
      all.insert(before);
      all.insert(earlier[before].begin(), earlier[before].end());
    };
    for (OpId before : problem.operations[op].after)
      add(before);
    for (OpId before = 0; before < op; ++before)
      if (problem.operations[before].queue == problem.operations[op].queue)
        add(before);
    earlier.push_back(all);
  }
}

bool Oracle::isFirst(const Storage &a, const Storage &b) const {
  for (OpId later : b.accesses)
    for (OpId sooner : a.accesses)
      if (!earlier[later].count(sooner))
        return false;
  return true;
}

bool Oracle::meet(StorageId first, StorageId second) const {
  const Storage &a = problem.storages[first], &b = problem.storages[second];
  for (auto [one, other] : problem.conflicts)
    if (std::minmax(one, other) == std::minmax(first, second))
      return true;
  auto isAlways = [](const Storage &one) {
    return one.kind == StorageClass::Constant ||
           one.kind == StorageClass::State;
  };
  auto isEver = [&](const Storage &one) {
    return isAlways(one) || !one.accesses.empty() ||
           std::any_of(one.life.begin(), one.life.end(),
                       [](auto &life) { return life.begin < life.end; });
  };
  if (isAlways(a) || isAlways(b))
    return isEver(a) && isEver(b);
  for (const Interval &one : a.life)
    for (const Interval &other : b.life)
      if (std::max(one.begin, other.begin) < std::min(one.end, other.end))
        return true;
  return !isFirst(a, b) && !isFirst(b, a);
}

/// They meet at one step, the operand's last and the result's first.
bool Oracle::isLegal(const InPlace &pair) const {
  const Storage &result = problem.storages[pair.result],
                &operand = problem.storages[pair.operand];
  if (result.kind != StorageClass::Transient ||
      operand.kind != StorageClass::Transient ||
      granules(result.bytes) > granules(operand.bytes))
    return false;
  for (auto [one, other] : problem.conflicts)
    if (std::minmax(one, other) == std::minmax(pair.result, pair.operand))
      return false;
  if (pair.operation != kNone) {
    auto op = static_cast<OpId>(pair.operation);
    auto has = [&](const Storage &storage) {
      return std::count(storage.accesses.begin(), storage.accesses.end(), op);
    };
    return has(result) && has(operand) &&
           std::all_of(
               operand.accesses.begin(), operand.accesses.end(),
               [&](OpId one) { return one == op || earlier[op].count(one); }) &&
           std::all_of(
               result.accesses.begin(), result.accesses.end(),
               [&](OpId one) { return one == op || earlier[one].count(op); });
  }
  std::set<int64_t> shared, all;
  auto stepsOf = [](const Storage &storage) {
    std::set<int64_t> steps;
    for (const Interval &life : storage.life)
      for (int64_t step = life.begin; step < life.end; ++step)
        steps.insert(step);
    return steps;
  };
  std::set<int64_t> late = stepsOf(result), early = stepsOf(operand);
  return !late.empty() && !early.empty() && *late.begin() == *early.rbegin();
}

/// Merges the chosen pairs; false when they cannot be taken together.
bool Oracle::formBlocks(uint32_t chosen) {
  size_t count = problem.storages.size();
  std::vector<int64_t> result(count, kNone), operand(count, kNone);
  for (size_t i = 0; i < problem.inPlace.size(); ++i) {
    const InPlace &pair = problem.inPlace[i];
    if (!(chosen >> i & 1))
      continue;
    if (!isLegal(pair) || result[pair.operand] != kNone ||
        operand[pair.result] != kNone)
      return false;
    result[pair.operand] = pair.result;
    operand[pair.result] = pair.operand;
  }
  blocks.clear();
  size_t members = 0;
  for (StorageId id = 0; id < count; ++id) {
    if (operand[id] != kNone)
      continue;
    Block block;
    for (int64_t one = id; one != kNone; one = result[one]) {
      const Storage &storage = problem.storages[one];
      block.members.push_back(static_cast<StorageId>(one));
      block.bytes = std::max(block.bytes, granules(storage.bytes));
      block.alignment = std::max(
          {block.alignment, storage.alignment, problem.limits.granule});
      if (block.at != kNone && storage.at != kNone && block.at != storage.at)
        return false;
      if (block.bank != kNone && storage.bank != kNone &&
          block.bank != storage.bank)
        return false;
      block.at = std::max(block.at, storage.at);
      block.bank = std::max(block.bank, storage.bank);
    }
    for (size_t i = 0; i < block.members.size(); ++i)
      for (size_t j = i + 2; j < block.members.size(); ++j)
        if (meet(block.members[i], block.members[j]))
          return false;
    if (problem.storages[id].kind != StorageClass::Caller && block.bytes > 0)
      blocks.push_back(block);
    members += block.members.size();
  }
  return members == count; // else pairs go round in a circle
}

bool Oracle::meet(const Block &a, const Block &b) const {
  for (StorageId one : a.members)
    for (StorageId other : b.members)
      if (meet(one, other))
        return true;
  return false;
}

bool Oracle::fits(const Block &block, int64_t from) const {
  int64_t end = from + block.bytes;
  if (block.bank != kNone && (from < problem.banks[block.bank].begin ||
                              end > problem.banks[block.bank].end))
    return false;
  for (const Region &region : problem.reserved)
    if (from < region.end && region.begin < end)
      return false;
  for (size_t other = 0; other < blocks.size(); ++other)
    if (address[other] != kNone && meet(block, blocks[other]) &&
        from < address[other] + blocks[other].bytes && address[other] < end)
      return false;
  return true;
}

/// Lowest addresses are 0, the begin of a bank, or behind something.
int64_t Oracle::lowestAddress(size_t index) const {
  const Block &block = blocks[index];
  std::vector<int64_t> bases = {0};
  for (const Region &region : problem.reserved)
    bases.push_back(region.end);
  if (block.bank != kNone)
    bases.push_back(problem.banks[block.bank].begin);
  for (size_t other = 0; other < blocks.size(); ++other)
    if (address[other] != kNone)
      bases.push_back(address[other] + blocks[other].bytes);
  int64_t lowest = kUnlimited;
  for (int64_t base : bases) {
    int64_t aligned =
        (base + block.alignment - 1) / block.alignment * block.alignment;
    if (aligned < lowest && fits(block, aligned))
      lowest = aligned;
  }
  return lowest;
}

void Oracle::place(size_t placed, int64_t top) {
  if (top >= best)
    return;
  if (placed == blocks.size()) {
    best = top;
    return;
  }
  for (size_t block = 0; block < blocks.size(); ++block) {
    if (address[block] != kNone)
      continue;
    int64_t lowest = lowestAddress(block);
    if (lowest == kUnlimited)
      continue;
    // Any plan can be placed from the bottom to the top.
    bool isAbove = true;
    for (size_t other = 0; other < blocks.size() && isAbove; ++other)
      isAbove = address[other] == kNone || blocks[other].at != kNone ||
                address[other] <= lowest;
    if (!isAbove)
      continue;
    address[block] = lowest;
    place(placed + 1, std::max(top, lowest + blocks[block].bytes));
    address[block] = kNone;
  }
}

int64_t Oracle::run() {
  for (uint32_t chosen = 0; chosen < 1U << problem.inPlace.size(); ++chosen) {
    if (!formBlocks(chosen))
      continue;
    address.assign(blocks.size(), kNone);
    size_t placed = 0;
    int64_t top = 0;
    bool areFixed = true;
    for (size_t block = 0; block < blocks.size(); ++block)
      if (int64_t at = blocks[block].at; at != kNone) {
        areFixed &=
            at % blocks[block].alignment == 0 && fits(blocks[block], at);
        address[block] = at;
        top = std::max(top, at + blocks[block].bytes);
        ++placed;
      }
    if (areFixed)
      place(placed, top);
  }
  return best;
}

int64_t plan::memory::smallestExtent(const MemoryProblem &problem) {
  return Oracle(problem).run();
}
