//===- ScheduleSearch.h - which schedules are tried -------------*- C++ -*-===//
//
// A search for better schedules of many products at once, apart from how they
// are measured. It goes in rounds. Each has a few trials, programs of which
// each gives every product a schedule: the first trial the best so far, the
// others one that has not been tried, as long as there are any. After a round
// every product takes its fastest schedule, if it is faster than the best so
// far by more than kMargin in the same round.
//
// What is tried differs from the best so far in one choice (tile, block of
// rows, block of steps, copies, prefetches), the cheapest first; nothing that
// is guessed to take half as long again, and of tiles the cheapest few. So a
// search ends: at most when all these are tried and none is better.
//
// Last, the best are measured beside the cheapest once more (`confirm`): what
// was luck is given up.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_TUNE_SCHEDULESEARCH_H
#define TALLY_DRIVER_TUNE_SCHEDULESEARCH_H

#include "tally/cpu/ProductSchedule.h"

#include <set>

namespace tally::tune {

/// By which share a schedule has to be faster to be preferred.
inline constexpr double kMargin = 0.03;

/// The schedule of every product in one program.
using Trial = std::map<cpu::ProductTask, cpu::ProductSchedule>;
/// What each product took in it.
using TrialTimes = std::map<cpu::ProductTask, double>;

class ScheduleSearch {
public:
  explicit ScheduleSearch(const std::vector<cpu::ProductTask> &tasks);

  /// The next round: none when nothing is left to try, else 2 to
  /// `challengers` + 1 trials.
  std::vector<Trial> nextRound(size_t challengers);
  /// Takes the times of that round, one for each trial.
  void take(const std::vector<TrialTimes> &times);

  /// The last round: all with the cheapest schedules, all with the best.
  std::vector<Trial> lastRound() const;
  /// The choices after it, with its times.
  cpu::ProductSchedules confirm(const std::vector<TrialTimes> &times) const;

private:
  struct Product {
    cpu::ProductTask task;
    cpu::ProductSchedule cheapest, best;
    std::set<cpu::ProductSchedule> tried;
    std::vector<cpu::ProductSchedule> untried() const;
  };
  std::vector<Product> products;
  std::vector<Trial> round; ///< whose times are awaited
};

} // namespace tally::tune

#endif // TALLY_DRIVER_TUNE_SCHEDULESEARCH_H
