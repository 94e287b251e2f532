//===- Measurement.cpp - how long a program's runs take -------------------===//
//
// Kernels' times are read from the processor's time stamp counter inside of the
// run (cpu::ClockMarks): nothing but the reading stands between two kernels,
// and each finds the caches as its predecessor left them, as it does without
// marks. How long a tick is follows from the marks, too: the first mark of the
// first and of the last sample, against the system's clock at the same two
// moments.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/bench/Measurement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

using namespace tally;
using namespace tally::bench;

static constexpr double kSampleSeconds = 1e-3;
static constexpr double kMostRuns = 1e6;

static double now() {
  std::chrono::duration<double> time =
      std::chrono::steady_clock::now().time_since_epoch();
  return time.count();
}

TimedProgram::TimedProgram(runtime::Context context,
                           std::vector<eval::Tensor> inputs,
                           std::optional<cpu::ClockMarks> marks)
    : context(std::move(context)), inputs(std::move(inputs)),
      marks(std::move(marks)) {
  for (const eval::Tensor &tensor : this->inputs)
    in.push_back(tensor.storage.get());
}

Result<TimedProgram>
TimedProgram::create(runtime::Context context, std::vector<eval::Tensor> inputs,
                     std::optional<cpu::ClockMarks> marks) {
  TimedProgram timed(std::move(context), std::move(inputs), std::move(marks));
  auto outputs = timed.context.run(timed.inputs);
  if (!outputs)
    return outputs.takeError();
  timed.outputs = std::move(*outputs);
  for (const eval::Tensor &tensor : timed.outputs)
    timed.out.push_back(tensor.storage.get());
  auto seconds = timed.timeRuns(1);
  if (!seconds)
    return seconds.takeError();
  double wanted = std::ceil(kSampleSeconds / std::max(*seconds, 1e-9));
  timed.runs = static_cast<int64_t>(std::clamp(wanted, 1.0, kMostRuns));
  return timed;
}

/// One run; a cache that is full is emptied first.
Status TimedProgram::runOnce() {
  Status status = context.run(in.data(), out.data());
  if (status || status.error().rule != "RUN-24")
    return status;
  if (Status reset = context.reset(); !reset)
    return reset;
  return context.run(in.data(), out.data());
}

Result<double> TimedProgram::timeRuns(int64_t count) {
  double start = now();
  for (int64_t i = 0; i < count; ++i)
    if (Status status = runOnce(); !status)
      return status.takeError();
  return (now() - start) / static_cast<double>(count);
}

void TimedProgram::keepMarks() {
  std::vector<uint64_t> read(marks->stages.size() + 1);
  std::memcpy(read.data(),
              static_cast<const std::byte *>(context.arena()) + marks->offset,
              read.size() * sizeof(uint64_t));
  readings.push_back(std::move(read));
}

Result<double> TimedProgram::sample() {
  if (Status status = runOnce(); !status)
    return status.takeError();
  if (!marks)
    return timeRuns(runs);
  // The last run apart, whose beginning goes with its marks.
  double total = 0;
  if (runs > 1) {
    auto before = timeRuns(runs - 1);
    if (!before)
      return before;
    total = *before * static_cast<double>(runs - 1);
  }
  starts.push_back(now());
  auto last = timeRuns(1);
  if (!last)
    return last;
  keepMarks();
  return (total + *last) / static_cast<double>(runs);
}

std::vector<std::vector<double>> TimedProgram::kernelSeconds() const {
  if (!marks || readings.size() < 2)
    return {};
  auto ticks =
      static_cast<double>(readings.back().front() - readings.front().front());
  double tick = (starts.back() - starts.front()) / ticks;
  std::vector<std::vector<double>> seconds(marks->stages.size());
  for (const std::vector<uint64_t> &read : readings)
    for (size_t i = 0; i < seconds.size(); ++i)
      seconds[i].push_back(static_cast<double>(read[i + 1] - read[i]) * tick);
  return seconds;
}
