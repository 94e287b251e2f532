//===- Measurement.h - how long a program's runs take -----------*- C++ -*-===//

#ifndef TALLY_DRIVER_BENCH_MEASUREMENT_H
#define TALLY_DRIVER_BENCH_MEASUREMENT_H

#include "tally/cpu/ClockMarks.h"
#include "tally/runtime/Context.h"

namespace tally::bench {

/// A program on data of its own, run over and over; its states go on, and begin
/// again when a cache is full.
class TimedProgram {
public:
  /// `inputs` are one per input. `marks` is what the code has of them. The
  /// first run is made here: caches and the choice of a tier are then settled,
  /// and it says how many runs make a sample of about a millisecond. RUN-7 to
  /// RUN-9, RUN-15.
  static Result<TimedProgram> create(runtime::Context context,
                                     std::vector<eval::Tensor> inputs,
                                     std::optional<cpu::ClockMarks> marks);

  /// Seconds of one run: the mean of `runsPerSample` in a row, before which
  /// there is one that does not count.
  Result<double> sample();

  int64_t runsPerSample() const { return runs; }
  /// With marks: of each kernel, seconds in the last run of each sample.
  std::vector<std::vector<double>> kernelSeconds() const;

private:
  TimedProgram(runtime::Context context, std::vector<eval::Tensor> inputs,
               std::optional<cpu::ClockMarks> marks);
  Status runOnce();
  Result<double> timeRuns(int64_t count);
  void keepMarks();

  runtime::Context context;
  std::vector<eval::Tensor> inputs, outputs;
  std::vector<const void *> in;
  std::vector<void *> out;
  std::optional<cpu::ClockMarks> marks;
  int64_t runs = 1;
  /// Of the last run of each sample: when it began, and the marks.
  std::vector<double> starts;
  std::vector<std::vector<uint64_t>> readings;
};

} // namespace tally::bench

#endif // TALLY_DRIVER_BENCH_MEASUREMENT_H
