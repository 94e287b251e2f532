//===- BenchReport.h - what a measurement shows -----------------*- C++ -*-===//

#ifndef TALLY_DRIVER_BENCH_BENCHREPORT_H
#define TALLY_DRIVER_BENCH_BENCHREPORT_H

#include "tally/driver/bench/Statistics.h"
#include "tally/driver/tune/ScheduleReport.h"
#include "tally/runtime/Interface.h"

#include <map>
#include <optional>

namespace llvm {
class raw_ostream;
}

namespace tally::bench {

/// Of one core, at the time of the runs.
struct Speed {
  double integerMacs = 0; ///< multiply-adds of bytes in a second
  double floatMacs = 0;   ///< of 32-bit floats
  double bytes = 0;       ///< read in a second, over and over from `readFrom`
  int64_t readFrom = 0;   ///< bytes
};

/// Whether a stage's products are of floats. What is fused behind them may turn
/// integers into floats or back, so the stage's result does not tell: of its
/// operators, "gemm+dequantize", the first behind the product that turns the
/// one into the other does.
bool multipliesFloats(const runtime::StageInterface &stage);

/// The least time that a stage can take: its multiply-adds at the core's speed,
/// or its constants out of memory, whichever is more. A lower bound: what goes
/// between stages is not charged, as it may stay in a cache. In seconds. Of its
/// multiply-adds the code makes `part`.
struct Floor {
  double products = 0, constants = 0;
  double seconds() const { return products > constants ? products : constants; }
};
Floor floorOf(const runtime::StageInterface &stage, const Speed &speed,
              double part = 1);

/// A stage that has code of its own.
struct LayerTime {
  runtime::StageInterface stage;
  Spread seconds;
  Floor floor;
  std::string schedule; ///< of its product of bytes; empty when it has none
};

/// The same program on one thread, beside several.
struct AloneTime {
  Spread seconds;
  Spread ratio; ///< its time by that of the threads, of each pair of samples
};

struct RivalTime {
  std::string name; ///< "onnxruntime 1.23.0"
  Spread seconds;
  /// Its time by ours, of each pair of samples; above 1, ours is faster.
  Spread ratio;
};

struct BenchReport {
  std::string model; ///< file, without folders
  std::string tier;  ///< whose code ran, and whose instructions `speed` is of
  int64_t threads = 1;
  int64_t samples = 0, runsPerSample = 1;
  runtime::Interface interface;
  Spread seconds; ///< of a run
  Speed speed;
  std::vector<LayerTime> layers; ///< in order; none without --per-layer
  std::optional<RivalTime> rival;
  std::optional<AloneTime> alone;
  /// What was measured or read of schedules; none without --tune or
  /// --tune-cache.
  std::optional<std::vector<tune::ScheduleRow>> schedules;

  /// Stages whose code makes a part of their multiply-adds only, by index.
  std::map<size_t, double> parts;

  Floor floorOfStage(size_t stage) const;
  int64_t macs() const;
  int64_t floatMacs() const;
  /// Of all stages together: products at the speed of as many cores as there
  /// are threads, and the sum of the stages' floors.
  double productSeconds() const;
  double floorSeconds() const;
};

/// For people, and as one JSON object with "version": 1.
void printReport(llvm::raw_ostream &os, const BenchReport &report);
void writeReport(llvm::raw_ostream &os, const BenchReport &report);

/// A bar for each layer, its median time, with its floor inside.
std::string drawLayers(const BenchReport &report);

} // namespace tally::bench

#endif // TALLY_DRIVER_BENCH_BENCHREPORT_H
