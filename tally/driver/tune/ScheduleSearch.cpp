//===- ScheduleSearch.cpp - which schedules are tried ---------------------===//
//
// Hill climbing, for all products at once. Example, with two challengers, of a
// product whose cheapest schedule is 6x1 and fastest 4x1 with copies:
//
//     round   best so far   challengers              fastest
//     1       6x1           6x1 copied, 5x1          6x1 copied
//     2       6x1 copied    5x1 copied, 4x1 copied   4x1 copied
//     3       4x1 copied    3x1 copied, 4x1          4x1 copied
//     ...                   until none is left
//     last    6x1 beside 4x1 copied
//
// Cost: about 15 to 30 trials of a product, whatever the number of products.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/tune/ScheduleSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace tally;
using namespace tally::tune;
using cpu::ProductSchedule;
using cpu::ProductTask;

/// Of how many tiles the search is, the cheapest ones.
static constexpr size_t kTiles = 8;
/// Schedules that are guessed to take longer, by that of the best, are not
/// tried.
static constexpr double kDearest = 1.5;

static bool haveOneTile(const ProductSchedule &a, const ProductSchedule &b) {
  return a.rows == b.rows && a.vectors == b.vectors &&
         a.transforms == b.transforms;
}

/// 0 when all rows are one block, 1 for a small block, 2 for a larger one.
static int rowBlockSize(const ProductTask &task, const ProductSchedule &s) {
  constexpr int64_t kSmallWords = 8 << 10;
  if (s.rowBlock >= task.rows)
    return 0;
  return s.rowBlock == s.rows || s.rowBlock * task.steps <= kSmallWords ? 1 : 2;
}

/// As many groups of squares, or about as many rows: both are whole tiles.
static bool haveOneRowBlock(const ProductTask &task, const ProductSchedule &a,
                            const ProductSchedule &b) {
  if (!a.transforms)
    return rowBlockSize(task, a) == rowBlockSize(task, b);
  auto groups = [&](int64_t block) {
    return (task.squares + block - 1) / block;
  };
  return groups(a.rowBlock) == groups(b.rowBlock);
}

/// How many choices differ. What is made by squares has other blocks than what
/// is not, so that choice counts alone.
static int distance(const ProductTask &task, const ProductSchedule &a,
                    const ProductSchedule &b) {
  if (a.transforms != b.transforms)
    return 1;
  return !haveOneTile(a, b) + !haveOneRowBlock(task, a, b) +
         (a.stepBlock != b.stepBlock) + (a.copies != b.copies) +
         (a.prefetches != b.prefetches);
}

std::vector<ProductSchedule> ScheduleSearch::Product::untried() const {
  std::vector<std::pair<int64_t, ProductSchedule>> near;
  auto limit = static_cast<int64_t>(
      kDearest * static_cast<double>(cpu::costOf(task, best)));
  for (const ProductSchedule &schedule : cpu::candidatesOf(task))
    if (int64_t cost = cpu::costOf(task, schedule);
        cost <= limit && distance(task, best, schedule) == 1)
      near.push_back({cost, schedule});
  llvm::stable_sort(near, llvm::less_first());
  std::vector<ProductSchedule> untried;
  size_t tiles = 0;
  for (const auto &[cost, schedule] : near) {
    bool isOtherTile = !haveOneTile(schedule, best);
    if (isOtherTile && ++tiles > kTiles)
      continue;
    if (!tried.contains(schedule))
      untried.push_back(schedule);
  }
  return untried;
}

ScheduleSearch::ScheduleSearch(const std::vector<ProductTask> &tasks) {
  for (const ProductTask &task : tasks) {
    ProductSchedule cheapest = cpu::cheapestOf(task);
    products.push_back({task, cheapest, cheapest, {cheapest}});
  }
}

std::vector<Trial> ScheduleSearch::nextRound(size_t challengers) {
  round.assign(challengers + 1, {});
  size_t used = 1;
  for (Product &product : products) {
    std::vector<ProductSchedule> untried = product.untried();
    untried.resize(std::min(untried.size(), challengers));
    product.tried.insert(untried.begin(), untried.end());
    used = std::max(used, untried.size() + 1);
    untried.insert(untried.begin(), product.best);
    for (size_t i = 0; i < round.size(); ++i)
      round[i][product.task] = untried[i < untried.size() ? i : 0];
  }
  round.resize(used == 1 ? 0 : used);
  return round;
}

void ScheduleSearch::take(const std::vector<TrialTimes> &times) {
  assert(times.size() == round.size() && "one for each trial");
  for (Product &product : products) {
    double limit = times.front().at(product.task) * (1 - kMargin);
    for (size_t i = 1; i < round.size(); ++i)
      if (double seconds = times[i].at(product.task); seconds < limit) {
        limit = seconds;
        product.best = round[i].at(product.task);
      }
  }
  round.clear();
}

std::vector<Trial> ScheduleSearch::lastRound() const {
  std::vector<Trial> trials(2);
  for (const Product &product : products) {
    trials[0][product.task] = product.cheapest;
    trials[1][product.task] = product.best;
  }
  return trials;
}

cpu::ProductSchedules
ScheduleSearch::confirm(const std::vector<TrialTimes> &times) const {
  cpu::ProductSchedules chosen;
  for (const Product &product : products) {
    double cheapest = times[0].at(product.task),
           best = times[1].at(product.task);
    bool isBetter =
        product.best != product.cheapest && best < cheapest * (1 - kMargin);
    chosen[product.task] = {isBetter ? product.best : product.cheapest,
                            cpu::ChosenSchedule::Source::Measured,
                            isBetter ? best : cheapest, cheapest};
  }
  return chosen;
}
