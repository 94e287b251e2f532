//===- ScheduleSearchTest.cpp - which schedules are tried -----------------===//
//
// Times are made up: functions of product and schedule.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/tune/ScheduleSearch.h"
#include "tally/cpu/CpuCompiler.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <gtest/gtest.h>

using namespace tally;
using namespace tally::tune;
using cpu::ProductSchedule;
using cpu::ProductTask;

namespace {

using Clock =
    std::function<double(const ProductTask &, const ProductSchedule &)>;

std::vector<TrialTimes> measure(const std::vector<Trial> &trials,
                                const Clock &clock) {
  std::vector<TrialTimes> times;
  for (const Trial &trial : trials) {
    times.emplace_back();
    for (const auto &[task, schedule] : trial)
      times.back()[task] = clock(task, schedule);
  }
  return times;
}

/// A whole search with two challengers, whose rounds are counted.
cpu::ProductSchedules run(const std::vector<ProductTask> &tasks,
                          const Clock &clock, size_t *rounds = nullptr) {
  ScheduleSearch search(tasks);
  for (auto round = search.nextRound(2); !round.empty();
       round = search.nextRound(2)) {
    EXPECT_LE(round.size(), 3u);
    search.take(measure(round, clock));
    if (rounds)
      ++*rounds;
  }
  return search.confirm(measure(search.lastRound(), clock));
}

const ProductTask kTask = {
    cpu::Tier::Avx2, ProductTask::Kind::Dots, 1024, 1024, 256, 1024};
const ProductTask kOther = {
    cpu::Tier::Avx2, ProductTask::Kind::Dots, 49, 512, 1152, 4608};

/// As the cost has it, but `share` of it where copies are as `copies` says.
Clock byCopies(bool copies, double share) {
  return [=](const ProductTask &task, const ProductSchedule &schedule) {
    auto cost = static_cast<double>(costOf(task, schedule));
    return 1e-6 * cost * (schedule.copies == copies ? share : 1);
  };
}

TEST(ScheduleSearch, KeepsTheCheapestWhereCostsAreRight) {
  for (const auto &[task, chosen] : run({kTask, kOther}, byCopies(true, 1))) {
    EXPECT_EQ(chosen.schedule, cheapestOf(task));
    EXPECT_EQ(chosen.source, cpu::ChosenSchedule::Source::Measured);
    EXPECT_EQ(chosen.seconds, chosen.cheapestSeconds);
    EXPECT_GT(chosen.seconds, 0);
  }
}

/// Three choices away: 4 rows instead of more, blocks of 64 steps, prefetches.
TEST(ScheduleSearch, FindsWhatIsFaster) {
  auto clock = [](const ProductTask &, const ProductSchedule &s) {
    double seconds = 10 - (s.stepBlock == 64) - (s.prefetches ? 2 : 0);
    return seconds + std::abs(static_cast<double>(s.rows - 4));
  };
  auto chosen = run({kTask}, clock).at(kTask);
  EXPECT_EQ(chosen.schedule.rows, 4);
  EXPECT_EQ(chosen.schedule.stepBlock, 64);
  EXPECT_TRUE(chosen.schedule.prefetches);
  EXPECT_EQ(chosen.seconds, 7); // 10 - 1 - 2
  EXPECT_EQ(chosen.cheapestSeconds, clock(kTask, cheapestOf(kTask)));
}

/// From squares to the product as it stands, where both cost about as much, and
/// to other squares.
TEST(ScheduleSearch, SquaresAreAChoice) {
  ProductTask task = {
      cpu::Tier::Avx2, ProductTask::Kind::Dots, 1, 128, 288, 128};
  task.squares = 49;
  task.channels = 128;
  while (!cheapestOf(task).transforms)
    ++task.rows;
  auto plain = [](const ProductTask &, const ProductSchedule &s) {
    return s.transforms ? 2.0 : 1.0;
  };
  auto few = [](const ProductTask &, const ProductSchedule &s) {
    return s.transforms ? 1.0 + static_cast<double>(s.rowBlock) : 100.0;
  };
  EXPECT_FALSE(run({task}, plain).at(task).schedule.transforms);
  auto chosen = run({task}, few).at(task).schedule;
  EXPECT_TRUE(chosen.transforms);
  EXPECT_LT(chosen.rowBlock, cheapestOf(task).rowBlock);
}

TEST(ScheduleSearch, EachProductHasItsOwn) {
  auto clock = [](const ProductTask &task, const ProductSchedule &s) {
    return s.prefetches == (task == kTask) ? 1.0 : 2.0;
  };
  auto chosen = run({kTask, kOther}, clock);
  EXPECT_TRUE(chosen.at(kTask).schedule.prefetches);
  EXPECT_FALSE(chosen.at(kOther).schedule.prefetches);
}

/// A choice that the cheapest schedule of kTask has not.
bool hasAnother(const ProductSchedule &schedule) {
  return schedule.prefetches != cheapestOf(kTask).prefetches;
}

/// 3 % are needed, in the round and in the last one.
TEST(ScheduleSearch, AsksForAMargin) {
  auto faster = [](double share) {
    return [=](const ProductTask &, const ProductSchedule &s) {
      return hasAnother(s) ? share : 1;
    };
  };
  EXPECT_FALSE(hasAnother(run({kTask}, faster(0.98)).at(kTask).schedule));
  EXPECT_TRUE(hasAnother(run({kTask}, faster(0.96)).at(kTask).schedule));
}

TEST(ScheduleSearch, GivesUpWhatWasLuck) {
  ScheduleSearch search({kTask});
  auto lucky = [](const ProductTask &, const ProductSchedule &s) {
    return hasAnother(s) ? 0.5 : 1;
  };
  for (auto round = search.nextRound(2); !round.empty();
       round = search.nextRound(2))
    search.take(measure(round, lucky));
  std::vector<Trial> last = search.lastRound();
  EXPECT_EQ(last[0].at(kTask), cheapestOf(kTask));
  EXPECT_TRUE(hasAnother(last[1].at(kTask)));
  auto chosen = search.confirm({{{kTask, 1.0}}, {{kTask, 0.99}}}).at(kTask);
  EXPECT_EQ(chosen.schedule, cheapestOf(kTask));
  EXPECT_EQ(chosen.seconds, 1.0);
}

/// Nothing twice but the best so far, which goes first; and an end.
TEST(ScheduleSearch, TriesEachOnce) {
  ScheduleSearch search({kTask, kOther});
  std::map<ProductTask, std::set<ProductSchedule>> tried;
  size_t rounds = 0;
  for (auto round = search.nextRound(3); !round.empty();
       round = search.nextRound(3), ++rounds) {
    for (const auto &[task, best] : round[0])
      for (size_t i = 1; i < round.size(); ++i) {
        const ProductSchedule &schedule = round[i].at(task);
        EXPECT_TRUE(llvm::is_contained(candidatesOf(task), schedule));
        EXPECT_TRUE(schedule == best || tried[task].insert(schedule).second);
      }
    search.take(measure(round, byCopies(true, 1)));
  }
  EXPECT_GT(rounds, 2u);
  EXPECT_LT(rounds, 20u);
  EXPECT_TRUE(search.nextRound(3).empty());
}

TEST(ScheduleSearch, OfNothingIsOver) {
  ScheduleSearch search({});
  EXPECT_TRUE(search.nextRound(3).empty());
}

} // namespace
