//===- ScheduleCache.h - measured schedules in a file -----------*- C++ -*-===//
//
// A JSON file (docs/formats/schedules.md) of schedules that were measured. Each
// entry belongs to a processor, by LLVM's name, a number of threads, what made
// the code (version and generation of the kernels) and a product
// (cpu::ProductTask, with its tier). Entries that another version made are not
// looked at, and are gone when the file is written again.
//
// Rules:
//   TUNE-2  the file is a cache of schedules, and the schedules of this version
//           are some that code can be made for (Model)
// and FILE- of reading and writing.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_TUNE_SCHEDULECACHE_H
#define TALLY_DRIVER_TUNE_SCHEDULECACHE_H

#include "tally/cpu/ProductSchedule.h"
#include "tally/support/Result.h"

namespace tally::tune {

/// Where schedules were measured.
struct Place {
  std::string cpu;
  int64_t threads = 1;
  auto operator<=>(const Place &) const = default;
};

class ScheduleCache {
public:
  /// What a file holds. One that does not exist is empty, if it may be.
  static Result<ScheduleCache> read(const std::string &path, bool mayBeAbsent);
  /// The same of its text; failures name `path`.
  static Result<ScheduleCache> parse(const std::string &text,
                                     const std::string &path);

  /// All of one place, their source being the cache.
  cpu::ProductSchedules at(const Place &place) const;
  /// Adds schedules, or replaces them.
  void put(const Place &place, const cpu::ProductSchedules &schedules);

  /// Equal contents give equal text.
  std::string text() const;

private:
  std::map<Place, cpu::ProductSchedules> entries;
};

/// Makes the file's folder, if need be, and fails when the file could not be
/// written. FILE-OUT.
Status prepareFile(const std::string &path);

/// Adds schedules to a file, which is read again just before: what others wrote
/// meanwhile stays.
Status addToFile(const std::string &path, const Place &place,
                 const cpu::ProductSchedules &schedules);

} // namespace tally::tune

#endif // TALLY_DRIVER_TUNE_SCHEDULECACHE_H
