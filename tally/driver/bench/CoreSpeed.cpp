//===- CoreSpeed.cpp - what this core does at most, now -------------------===//

#include "tally/driver/bench/CoreSpeed.h"
#include "tally/cpu/MachineLoops.h"
#include "tally/runtime/JitProgram.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace tally;
using namespace tally::bench;
using cpu::MachineLoop;

static constexpr int64_t kLeastRead = int64_t(64) << 10,
                         kMostRead = int64_t(256) << 20;
static constexpr double kSampleSeconds = 1e-3;

/// `bytes` of data for all loops. Read as floats the words are 1.0, and between
/// 1 and 2 in the vectors of the product loops, which no loop turns into
/// numbers that are slow to compute with. The bytes there are as dense as codes
/// are: tiles of many zeros run at a higher clock.
static Result<std::shared_ptr<void>> makeData(int64_t bytes) {
  auto *memory = static_cast<float *>(
      std::aligned_alloc(cpu::kLoopVectorBytes, static_cast<size_t>(bytes)));
  if (!memory) {
    tally::Diagnostic failure;
    failure.kind = FailureKind::System;
    failure.rule = "BENCH-5";
    failure.message =
        "no memory for " + std::to_string(bytes) + " bytes to read";
    return failure;
  }
  std::shared_ptr<void> data(memory, std::free);
  std::fill_n(memory, bytes / static_cast<int64_t>(sizeof(float)), 1.0F);
  std::minstd_rand bits;
  std::uniform_real_distribution<float> fromOneToTwo(1.0F, 2.0F);
  std::generate_n(memory, cpu::kLoopAccumulators * cpu::kLoopVectorBytes / 4,
                  [&] { return fromOneToTwo(bits); });
  // Of the floats' first factor, so that sums stay small: sum / 2 + 1.
  std::fill_n(memory + cpu::kLoopAccumulators * cpu::kLoopVectorBytes / 4,
              cpu::kLoopVectorBytes / 4, 0.5F);
  return data;
}

Result<double> CoreSpeed::secondsOf(const Loop &loop) const {
  alignas(64) std::byte result[cpu::kLoopVectors * cpu::kLoopVectorBytes];
  const void *inputs[] = {&loop.rounds, data.get()};
  void *outputs[] = {result};
  using Clock = std::chrono::steady_clock;
  auto start = Clock::now();
  Status status = loop.program.run(inputs, outputs, nullptr);
  std::chrono::duration<double> taken = Clock::now() - start;
  if (!status)
    return status.takeError();
  return taken.count();
}

/// As many rounds as a sample's time takes.
Status CoreSpeed::lengthen(Loop &loop) const {
  for (;;) {
    auto seconds = secondsOf(loop);
    if (!seconds)
      return seconds.takeError();
    if (*seconds >= kSampleSeconds)
      return Status::success();
    loop.rounds *= 2;
  }
}

Result<CoreSpeed> CoreSpeed::create(cpu::Tier tier, int64_t workingSet) {
  int64_t readFrom = std::clamp(workingSet, kLeastRead, kMostRead) /
                     cpu::kReadBytes * cpu::kReadBytes;
  auto data = makeData(readFrom);
  if (!data)
    return data.takeError();
  CoreSpeed speed(std::move(*data));
  speed.fastest.readFrom = readFrom;
  for (auto kind : {MachineLoop::IntegerProducts, MachineLoop::FloatProducts,
                    MachineLoop::Read}) {
    auto compiled = cpu::compileLoop(kind, tier);
    if (!compiled)
      return compiled.takeError();
    auto program =
        runtime::jitProgram(compiled->object, std::move(compiled->interface));
    if (!program)
      return program.takeError();
    Loop loop{std::move(*program)};
    if (kind == MachineLoop::Read) {
      loop.rounds = readFrom / cpu::kReadBytes; // all of it, once
      loop.perRound = cpu::kReadBytes;
    } else {
      loop.perRound =
          static_cast<double>(cpu::multiplyAddsPerRound(kind, tier));
      if (Status status = speed.lengthen(loop); !status)
        return status.takeError();
    }
    speed.loops.push_back(std::move(loop));
  }
  return speed;
}

Result<double> CoreSpeed::rate(const Loop &loop) const {
  auto seconds = secondsOf(loop);
  if (!seconds)
    return seconds;
  return loop.perRound * static_cast<double>(loop.rounds) /
         std::max(*seconds, 1e-9);
}

Status CoreSpeed::sample() {
  double *const speeds[] = {&fastest.integerMacs, &fastest.floatMacs,
                            &fastest.bytes};
  for (size_t i = 0; i < loops.size(); ++i) {
    // Reading needs a first pass, which brings the data as near as it gets.
    int passes = speeds[i] == &fastest.bytes ? 2 : 1;
    for (int pass = 0; pass < passes; ++pass) {
      auto found = rate(loops[i]);
      if (!found)
        return found.takeError();
      *speeds[i] = std::max(*speeds[i], *found);
    }
  }
  return Status::success();
}
