//===- Tables.cpp - what all searches of one instance share ---------------===//

#include "tally/plan/memory/Meets.h"
#include "tally/plan/memory/Search.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

using namespace tally;
using namespace tally::plan::memory;

/// Items are twins when they are alike and meet the same others and each other.
static void findTwins(SearchTables &tables) {
  const Instance &instance = tables.instance;
  auto keyOf = [&](ItemId id) {
    const Item &item = instance.items[id];
    std::vector<int64_t> key = {item.size, item.alignment, item.residue,
                                item.low, item.high};
    for (const Interval &range : instance.taken[id])
      key.insert(key.end(), {range.begin, range.end});
    key.push_back(kNone);
    auto meets = tables.meets[id];
    key.insert(key.end(), meets.begin(), meets.end());
    key.push_back(id);
    std::sort(key.end() - static_cast<int64_t>(meets.size()) - 1, key.end());
    return key;
  };
  std::map<std::vector<int64_t>, ItemId> last;
  for (ItemId id = 0; id < instance.items.size(); ++id) {
    auto [found, isNew] = last.try_emplace(keyOf(id), id);
    tables.kind.push_back(isNew ? id : tables.kind[found->second]);
    tables.nextTwin.push_back(kNone);
    if (!isNew)
      tables.nextTwin[found->second] = id;
    found->second = id;
  }
}

static void listCliques(SearchTables &tables,
                        const std::vector<std::vector<ItemId>> &meets) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const auto &clique : findCliques(tables.instance, meets)) {
    for (ItemId item : clique)
      pairs.emplace_back(item, tables.members.rows());
    tables.members.push(clique);
  }
  tables.cliquesOf = {tables.instance.items.size(), pairs};
}

SearchTables::SearchTables(const Instance &instance) : instance(instance) {
  std::vector<std::vector<ItemId>> lists = findMeets(instance);
  for (const auto &list : lists)
    meets.push(list);
  listCliques(*this, lists);
  for (ItemId item = 0; item < instance.items.size(); ++item) {
    auto life = instance.lives[item];
    hull.push_back(life.empty()
                       ? Interval{}
                       : Interval{life.front().begin, life.back().end});
  }
  findTwins(*this);
  hasTaken = instance.sectionTaken.total() != 0;
  canSplit = !instance.hasExtra() && instance.sections > 0 &&
             std::none_of(hull.begin(), hull.end(),
                          [](auto &one) { return one.begin == one.end; });
}

std::vector<uint32_t> plan::memory::ranksOf(const SearchTables &tables,
                                            SearchOrder order) {
  const Instance &instance = tables.instance;
  size_t count = instance.items.size();
  std::vector<int64_t> sums;
  for (uint32_t clique = 0; clique < tables.members.rows(); ++clique) {
    sums.push_back(0);
    for (ItemId item : tables.members[clique])
      sums.back() += instance.items[item].room;
  }
  std::vector<std::array<double, 3>> keys(count);
  for (ItemId item = 0; item < count; ++item) {
    double fullest = 0, width = 0;
    for (uint32_t clique : tables.cliquesOf[item])
      fullest = std::max(fullest, double(sums[clique]));
    for (const Sections &life : instance.lives[item])
      width += life.end - life.begin;
    width += double(instance.extra[item].size());
    double area = width * double(instance.items[item].size);
    if (order == SearchOrder::TWA)
      keys[item] = {fullest, width, area};
    else if (order == SearchOrder::TAW)
      keys[item] = {fullest, area, width};
    else
      keys[item] = {width, area, fullest};
  }
  std::vector<ItemId> items(count);
  std::iota(items.begin(), items.end(), 0);
  std::stable_sort(items.begin(), items.end(),
                   [&](ItemId a, ItemId b) { return keys[a] > keys[b]; });
  std::vector<uint32_t> ranks(count);
  for (uint32_t rank = 0; rank < count; ++rank)
    ranks[items[rank]] = rank;
  return ranks;
}
