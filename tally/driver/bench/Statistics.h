//===- Statistics.h - what a list of times says -----------------*- C++ -*-===//

#ifndef TALLY_DRIVER_BENCH_STATISTICS_H
#define TALLY_DRIVER_BENCH_STATISTICS_H

#include <vector>

namespace tally::bench {

/// Order statistics, which single long times do not move. Units are those of
/// the values.
struct Spread {
  double minimum = 0, lowerQuartile = 0, median = 0, upperQuartile = 0;
};

/// Of `values`, which are at least one. A quantile between two values lies on
/// the line between them (Hyndman and Fan, "Sample Quantiles in Statistical
/// Packages", 1996, definition 7).
Spread spreadOf(std::vector<double> values);

} // namespace tally::bench

#endif // TALLY_DRIVER_BENCH_STATISTICS_H
