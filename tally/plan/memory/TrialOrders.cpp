//===- TrialOrders.cpp - which item is tried first ------------------------===//
//
// Numbers of an item tell how urgent it is: the fullest of its cliques (T), how
// many cliques it is in (W), how long it is needed (D), how many items it meets
// (N), its size, and size times W (A) or times D (M). The first orders sort by
// some of them in turn. The others draw exponents of the numbers from a
// generator with a fixed seed: hard instances yield to one order and not to a
// similar one, and nobody can tell to which. W and D differ: a storage may be
// needed for long while little else begins or ends.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

using namespace tally;
using namespace tally::plan::memory;

static constexpr size_t kDrawn = 40;

namespace {
struct Urgency {
  double fullest = 0, cliques = 0, met = 0, size = 0, area = 0, duration = 0,
         mass = 0;
};
using Keys = std::vector<std::array<double, 3>>;
} // namespace

static std::vector<Urgency> urgenciesOf(const SearchTables &tables) {
  const Instance &instance = tables.instance;
  std::vector<double> sums;
  for (uint32_t clique = 0; clique < tables.members.rows(); ++clique) {
    sums.push_back(0);
    for (ItemId item : tables.members[clique])
      sums.back() += double(instance.items[item].room);
  }
  std::vector<Urgency> urgencies(instance.items.size());
  for (ItemId item = 0; item < urgencies.size(); ++item) {
    Urgency &one = urgencies[item];
    for (uint32_t clique : tables.cliquesOf[item])
      one.fullest = std::max(one.fullest, sums[clique]);
    one.cliques = double(tables.cliquesOf[item].size());
    one.met = double(tables.meets[item].size());
    one.size = double(instance.items[item].size);
    one.area = one.cliques * one.size;
    one.duration = instance.items[item].duration;
    one.mass = one.duration * one.size;
  }
  return urgencies;
}

static std::vector<uint32_t> ranksBy(const Keys &keys) {
  std::vector<ItemId> items(keys.size());
  std::iota(items.begin(), items.end(), 0);
  std::sort(items.begin(), items.end(), [&](ItemId a, ItemId b) {
    return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
  });
  std::vector<uint32_t> ranks(keys.size());
  for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    ranks[items[rank]] = rank;
  return ranks;
}

static std::vector<uint32_t> sorted(const std::vector<Urgency> &urgencies,
                                    double Urgency::*first,
                                    double Urgency::*second,
                                    double Urgency::*third) {
  Keys keys;
  for (const Urgency &one : urgencies)
    keys.push_back({one.*first, one.*second, one.*third});
  return ranksBy(keys);
}

namespace {
/// The standard distributions differ between libraries; this does not.
class Draw {
public:
  double upTo(double most) { return most * double(random()) / 4294967296.0; }

  TrialOrder order(const std::vector<Urgency> &urgencies) {
    double cliques = upTo(2), size = upTo(2), met = upTo(1), fullest = upTo(20),
           noise = upTo(0.5);
    auto kind = static_cast<int>(upTo(4));
    Keys keys;
    for (const Urgency &one : urgencies) {
      double key = cliques * std::log(one.cliques + 1) +
                   size * std::log(one.size + 1) + met * std::log(one.met + 1) +
                   upTo(noise);
      double major = kind == 0 ? one.fullest : kind == 1 ? one.met : 0;
      if (kind == 2)
        key += fullest * std::log(one.fullest + 1);
      // Rounded: libraries differ in the last bits of a logarithm.
      keys.push_back({major, std::floor(key * 1e6), 0});
    }
    bool isDynamic = upTo(1) < 0.5;
    return {ranksBy(keys), isDynamic   ? Fullest::AtEachStep
                           : kind == 0 ? Fullest::AtSplit
                                       : Fullest::Never};
  }

private:
  std::mt19937 random{5};
};
} // namespace

Ranks plan::memory::trialOrders(const SearchTables &tables) {
  std::vector<Urgency> all = urgenciesOf(tables);
  auto t = &Urgency::fullest, w = &Urgency::cliques, n = &Urgency::met,
       a = &Urgency::area, d = &Urgency::duration, m = &Urgency::mass;
  auto part = Fullest::AtSplit, step = Fullest::AtEachStep,
       never = Fullest::Never;
  Ranks orders = {{sorted(all, t, d, m), part}, {sorted(all, t, n, w), step},
                  {sorted(all, t, a, w), part}, {sorted(all, w, a, t), never},
                  {sorted(all, t, w, a), step}, {sorted(all, n, a, t), never},
                  {sorted(all, n, t, w), step}, {sorted(all, a, t, w), never},
                  {sorted(all, t, w, a), part}};
  Draw draw;
  for (size_t i = 0; i < kDrawn; ++i)
    orders.push_back(draw.order(all));
  return orders;
}
