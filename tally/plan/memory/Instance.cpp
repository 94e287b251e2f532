//===- Instance.cpp - the problem as solvers see it -----------------------===//
//
// Storages with fixed addresses are no items: they, reserved ranges and what
// lies outside of a bank are bytes that certain items may not have. Numbers are
// divided by their greatest common divisor.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Instance.h"

#include "tally/plan/memory/Times.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace tally;
using namespace tally::plan::memory;

static int64_t roundUp(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

int64_t Instance::settle(ItemId id, int64_t from) const {
  const Item &item = items[id];
  auto aligned = [&](int64_t address) {
    return roundUp(std::max(address, item.low) - item.residue, item.alignment) +
           item.residue;
  };
  int64_t address = aligned(from);
  for (const Interval &range : taken[id]) {
    if (range.end <= address)
      continue;
    if (address + item.size <= range.begin)
      break;
    address = aligned(range.end);
  }
  return address;
}

namespace {
class Builder {
public:
  explicit Builder(const MemoryProblem &problem, const InPlaceChoice &choice)
      : problem(problem) {
    result.groups = findGroups(problem, choice);
    times = findTimes(problem, result.groups);
  }

  Result<Grouped> run() {
    chooseItems();
    if (Status status = checkFixed(); !status)
      return status.takeError();
    chooseUnit();
    makeItems();
    makeTaken();
    makeExtra();
    return std::move(result);
  }

private:
  const Group &group(uint32_t id) const { return result.groups.groups[id]; }
  bool isEarlier(uint32_t a, uint32_t b) const;
  bool meet(uint32_t a, uint32_t b) const;
  void chooseItems();
  Status checkFixed() const;
  void chooseUnit();
  double durationOf(uint32_t id) const;
  void makeItems();
  void makeTaken();
  void makeExtra();
  int64_t scaled(int64_t bytes) const { return bytes / result.instance.unit; }

  const MemoryProblem &problem;
  Grouped result;
  Times times;
  std::vector<uint32_t> movable, fixed; ///< groups
};
} // namespace

/// The order of items: by life, then by all else that matters, then by name.
bool Builder::isEarlier(uint32_t a, uint32_t b) const {
  auto lifeA = times.lives[a], lifeB = times.lives[b];
  auto keyOf = [](const Sections &one) {
    return std::pair(one.begin, one.end);
  };
  for (size_t i = 0; i < std::min(lifeA.size(), lifeB.size()); ++i)
    if (keyOf(lifeA[i]) != keyOf(lifeB[i]))
      return keyOf(lifeA[i]) < keyOf(lifeB[i]);
  const Group &first = group(a), &second = group(b);
  auto rest = [](const Group &one, size_t lives) {
    return std::tuple(lives, one.bytes, one.alignment.alignment,
                      one.alignment.residue, one.bank);
  };
  auto restA = rest(first, lifeA.size()), restB = rest(second, lifeB.size());
  if (restA != restB)
    return restA < restB;
  return problem.storages[first.first].name <
         problem.storages[second.first].name;
}

void Builder::chooseItems() {
  result.instance.itemOf.assign(result.groups.groups.size(), kNone);
  for (uint32_t id = 0; id < result.groups.groups.size(); ++id) {
    if (group(id).bytes == 0)
      continue;
    (group(id).at == kNone ? movable : fixed).push_back(id);
  }
  std::sort(movable.begin(), movable.end(),
            [&](uint32_t a, uint32_t b) { return isEarlier(a, b); });
  for (uint32_t item = 0; item < movable.size(); ++item)
    result.instance.itemOf[movable[item]] = item;
}

bool Builder::meet(uint32_t a, uint32_t b) const {
  auto lifeA = times.lives[a], lifeB = times.lives[b];
  for (size_t i = 0, j = 0; i < lifeA.size() && j < lifeB.size();) {
    if (std::max(lifeA[i].begin, lifeB[j].begin) <
        std::min(lifeA[i].end, lifeB[j].end))
      return true;
    if (lifeA[i].end < lifeB[j].end)
      ++i;
    else
      ++j;
  }
  return std::binary_search(times.extra.begin(), times.extra.end(),
                            std::pair(std::min(a, b), std::max(a, b)));
}

Status Builder::checkFixed() const {
  for (size_t i = 0; i < fixed.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Group &a = group(fixed[j]), &b = group(fixed[i]);
      if (a.at >= b.at + b.bytes || b.at >= a.at + a.bytes ||
          !meet(fixed[i], fixed[j]))
        continue;
      Diagnostic failure;
      failure.kind = FailureKind::Model;
      failure.rule = "MEM-6";
      failure.message = "'" + problem.storages[a.first].name + "' and '" +
                        problem.storages[b.first].name +
                        "' are needed at one time and fixed at shared bytes, " +
                        std::to_string(a.at) + " and " + std::to_string(b.at);
      failure.hint = "fix one of them elsewhere";
      return failure;
    }
  return Status::success();
}

void Builder::chooseUnit() {
  int64_t unit = 0, step = 0;
  auto include = [&](int64_t number) { unit = std::gcd(unit, number); };
  for (uint32_t id : movable) {
    include(group(id).bytes);
    if (group(id).alignment.alignment > 1) {
      include(group(id).alignment.alignment);
      include(group(id).alignment.residue);
    }
    step = std::gcd(step, group(id).alignment.alignment);
    step = std::gcd(step, group(id).alignment.residue);
  }
  for (uint32_t id : fixed) {
    include(group(id).at);
    include(group(id).bytes);
    result.instance.fixedTop =
        std::max(result.instance.fixedTop, group(id).at + group(id).bytes);
  }
  for (const auto &regions : {problem.reserved, problem.banks})
    for (const Region &region : regions) {
      include(region.begin);
      include(region.end);
    }
  Instance &instance = result.instance;
  instance.unit = std::max<int64_t>(unit, 1);
  // Beside bytes that are taken at any address, nothing is lost by rounding.
  bool isFree = fixed.empty() && problem.reserved.empty();
  if (isFree)
    instance.step = std::max<int64_t>(step / instance.unit, 1);
  instance.fixedTop = scaled(instance.fixedTop);
}

double Builder::durationOf(uint32_t id) const {
  double duration = 0;
  if (result.groups.hasAccesses || group(id).isAlways)
    for (const Sections &life : times.lives[id])
      duration += life.end - life.begin;
  else
    for (const Interval &life : result.groups.lives[id])
      duration += double(life.end) - double(life.begin);
  return duration;
}

void Builder::makeItems() {
  Instance &instance = result.instance;
  instance.sections = times.sections;
  instance.isExact = times.isExact;
  instance.items.reserve(movable.size());
  for (uint32_t id : movable) {
    Item item;
    item.size = scaled(group(id).bytes);
    item.room = roundUp(item.size, instance.step);
    item.alignment =
        std::max<int64_t>(group(id).alignment.alignment / instance.unit, 1);
    item.residue = scaled(group(id).alignment.residue);
    if (group(id).bank != kNone) {
      const Region &bank = problem.banks[group(id).bank];
      item.low = scaled(bank.begin);
      item.high = scaled(bank.end);
    }
    item.duration = durationOf(id);
    instance.items.push_back(item);
    instance.lives.push(times.lives[id]);
  }
}

void Builder::makeTaken() {
  Instance &instance = result.instance;
  for (const Region &region : problem.reserved)
    instance.reserved.push_back({scaled(region.begin), scaled(region.end)});
  normalize(instance.reserved);
  auto bytesOf = [&](uint32_t id) {
    return Interval{scaled(group(id).at),
                    scaled(group(id).at + group(id).bytes)};
  };
  std::vector<Interval> ranges;
  for (uint32_t id : movable) {
    ranges = instance.reserved;
    for (uint32_t other : fixed)
      if (meet(id, other))
        ranges.push_back(bytesOf(other));
    normalize(ranges);
    instance.taken.push(ranges);
  }
  std::vector<std::pair<uint32_t, Interval>> bySection;
  for (uint32_t id : fixed)
    for (const Sections &life : times.lives[id])
      for (uint32_t section = life.begin; section < life.end; ++section)
        bySection.emplace_back(section, bytesOf(id));
  Rows<Interval> rows(instance.sections, bySection);
  for (uint32_t section = 0; section < instance.sections; ++section) {
    ranges.assign(rows[section].begin(), rows[section].end());
    ranges.insert(ranges.end(), instance.reserved.begin(),
                  instance.reserved.end());
    normalize(ranges);
    instance.sectionTaken.push(ranges);
  }
}

void Builder::makeExtra() {
  Instance &instance = result.instance;
  std::vector<std::pair<uint32_t, ItemId>> pairs;
  for (auto [a, b] : times.extra) {
    int64_t first = instance.itemOf[a], second = instance.itemOf[b];
    if (first == kNone || second == kNone)
      continue;
    pairs.emplace_back(first, second);
    pairs.emplace_back(second, first);
  }
  std::sort(pairs.begin(), pairs.end());
  instance.extra = {instance.items.size(), pairs};
}

Result<Grouped> plan::memory::makeInstance(const MemoryProblem &problem,
                                           const InPlaceChoice &choice) {
  return Builder(problem, choice).run();
}

/// Storages without bytes go where their bank and alignment let them.
static int64_t emptyAddress(const MemoryProblem &problem, const Group &group) {
  if (group.at != kNone)
    return group.at;
  int64_t low = group.bank == kNone ? 0 : problem.banks[group.bank].begin;
  return roundUp(low - group.alignment.residue, group.alignment.alignment) +
         group.alignment.residue;
}

MemoryPlan plan::memory::makePlan(const MemoryProblem &problem,
                                  const Grouped &grouped,
                                  const InPlaceChoice &choice,
                                  const std::vector<int64_t> &addresses) {
  const auto &[groups, instance] = grouped;
  MemoryPlan plan;
  plan.inPlace = choice.merged;
  plan.offsets.reserve(problem.storages.size());
  for (StorageId id = 0; id < problem.storages.size(); ++id) {
    int64_t offset = groups.places[id].offset;
    if (int64_t owner = groups.groupOf[id]; owner != kNone) {
      const Group &group = groups.groups[owner];
      int64_t item = instance.itemOf[owner];
      int64_t address = item == kNone ? emptyAddress(problem, group)
                                      : addresses[item] * instance.unit;
      if (group.bytes > 0)
        plan.extent = std::max(plan.extent, address + group.bytes);
      offset += address;
    }
    plan.offsets.push_back(offset);
  }
  return plan;
}
