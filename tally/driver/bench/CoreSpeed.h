//===- CoreSpeed.h - what this core does at most, now -----------*- C++ -*-===//
//
// Clocks change with temperature and neighbours, so the ruler is taken between
// the runs that it measures: the loops of cpu/MachineLoops.h, a millisecond or
// so of each at a time. What counts is the fastest.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_BENCH_CORESPEED_H
#define TALLY_DRIVER_BENCH_CORESPEED_H

#include "tally/cpu/CpuCompiler.h"
#include "tally/driver/bench/BenchReport.h"
#include "tally/runtime/Program.h"

namespace tally::bench {

/// Measures one core's speed with a tier's instructions.
class CoreSpeed {
public:
  /// `workingSet` is how many bytes to read over and over; it is brought
  /// between 64 KiB and 256 MiB. Fails by compileLoop, and BENCH-5 (System)
  /// when there is no memory for them.
  static Result<CoreSpeed> create(cpu::Tier tier, int64_t workingSet);

  /// Takes each loop's time once more.
  Status sample();

  /// The fastest so far.
  const Speed &best() const { return fastest; }

private:
  struct Loop {
    runtime::Program program;
    int64_t rounds = 1;  ///< of one sample
    double perRound = 0; ///< multiply-adds, or bytes
  };
  explicit CoreSpeed(std::shared_ptr<void> data) : data(std::move(data)) {}
  Result<double> rate(const Loop &loop) const;
  Result<double> secondsOf(const Loop &loop) const;
  Status lengthen(Loop &loop) const;

  std::shared_ptr<void> data;
  std::vector<Loop> loops; ///< integers, floats, reading
  Speed fastest;
};

} // namespace tally::bench

#endif // TALLY_DRIVER_BENCH_CORESPEED_H
