//===- ScheduleReport.h - schedules as people and programs see them -------===//

#ifndef TALLY_DRIVER_TUNE_SCHEDULEREPORT_H
#define TALLY_DRIVER_TUNE_SCHEDULEREPORT_H

#include <cstddef>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
}
} // namespace llvm

namespace tally::tune {

/// A product of one kernel, with its schedule (cpu/ProductSchedule.h) as text.
struct ScheduleRow {
  size_t stage = 0; ///< index of runtime::Interface::stages
  std::string node, tier, product, schedule, cheapest;
  std::string source;      ///< "model", "cache" or "measured"
  bool transforms = false; ///< a convolution by squares: a quarter of products
  /// Measured, of all kernels with the same product together; 0 when unknown.
  double seconds = 0, cheapestSeconds = 0;
};

/// One line: how many products were measured or found in the cache, how many
/// have another schedule than the cheapest, and what that saves by those
/// measurements. Equal products of a tier count once.
void printSchedules(llvm::raw_ostream &os,
                    const std::vector<ScheduleRow> &rows);

/// The attribute "schedules", an object for each row.
void writeSchedules(llvm::json::OStream &os,
                    const std::vector<ScheduleRow> &rows);

} // namespace tally::tune

#endif // TALLY_DRIVER_TUNE_SCHEDULEREPORT_H
