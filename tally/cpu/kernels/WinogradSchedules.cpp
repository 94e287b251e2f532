//===- WinogradSchedules.cpp - schedules of products by squares -----------===//
//
// Of a convolution by squares (Winograd.cpp) can be chosen how many columns,
// squares and channels are in work at a time. Codes are transformed for each
// block of columns, steps for each of squares, and sums wait between blocks of
// channels; all three have to stay in the second cache. So there are candidates
// for whole vectors of columns, for groups of squares and blocks of channels
// that are equal and so small.
//
// Example: 49 squares, 128 channels to 128. 64 columns, 30 squares and 32
// channels at a time are 147 KiB of steps, 68 of codes and 270 of sums; codes
// are transformed twice, and steps twice.
//
// Cost: up to 100 candidates, a few operations each.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/WinogradSchedules.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/kernels/WinogradTransforms.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tally;
using namespace tally::cpu;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Words between points beside what they hold: a line of the cache.
static constexpr int64_t kGap = 16;

SquareSizes::SquareSizes(const ProductSchedule &schedule)
    : lanes(schedule.vectors * kDotLanes), squares(schedule.rowBlock),
      channels(schedule.stepBlock * kDotTerms) {}

int64_t SquareSizes::codePitch() const { return squares * channels / 2 + kGap; }
int64_t SquareSizes::stepPitch() const { return lanes * channels / 2 + kGap; }

int64_t SquareSizes::bytes() const {
  int64_t points = kPoints * (codePitch() + stepPitch() + squares * lanes);
  return (points + kSquare * kSquare * lanes) * int64_t(sizeof(int32_t));
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// What may be in work at a time, of the second cache.
static constexpr int64_t kMostBytes = 448 << 10;
static constexpr int64_t kMostVectors = 4;
static constexpr int64_t kMostRows = 6;
/// Channels of a block are a multiple, unless there are no more.
static constexpr int64_t kLeastChannels = 32;
static constexpr int64_t kGroups[] = {12, 24, 36, 48, 64};

/// All channels, or equal parts of them.
static std::vector<int64_t> channelBlocks(int64_t channels) {
  std::vector<int64_t> blocks = {channels};
  for (int64_t parts = 2; channels / parts >= kLeastChannels; ++parts)
    if (channels % parts == 0 && channels / parts % kLeastChannels == 0)
      blocks.push_back(channels / parts);
  return blocks;
}

/// All squares, or groups that are about equal, of whole tiles.
static std::vector<int64_t> groups(const ProductTask &task, int64_t rows) {
  std::vector<int64_t> blocks = {task.squares};
  for (int64_t wanted : kGroups) {
    int64_t count = ceilDiv(task.squares, wanted);
    int64_t block = ceilDiv(ceilDiv(task.squares, count), rows) * rows;
    if (block < task.squares && !llvm::is_contained(blocks, block))
      blocks.push_back(block);
  }
  return blocks;
}

std::vector<ProductSchedule>
tally::cpu::squareCandidates(const ProductTask &task) {
  std::vector<ProductSchedule> all;
  if (task.squares < 1 || task.channels < 1)
    return all;
  int64_t mostVectors = std::min(kMostVectors, vectorsOf(task.columns));
  int64_t mostRows = std::min(kMostRows, task.squares);
  for (int64_t vectors = mostVectors; vectors >= 1; vectors /= 2)
    for (int64_t rows = mostRows; rows >= std::min<int64_t>(mostRows, 4);
         rows -= 2)
      for (int64_t channels : channelBlocks(task.channels))
        for (int64_t squares : groups(task, rows)) {
          ProductSchedule s = {rows, vectors, squares, channels / kDotTerms};
          s.transforms = true;
          if (SquareSizes(s).bytes() <= kMostBytes)
            all.push_back(s);
        }
  return all;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Half cycles of transforms: of 16 channels of a square, of a word of steps of
/// a register of columns, of a register of sums of a square.
static constexpr int64_t kCodeCost = 260;
static constexpr int64_t kStepCost = 150;
static constexpr int64_t kSumCost = 200;

int64_t tally::cpu::squareCost(const ProductTask &task,
                               const ProductSchedule &s) {
  SquareSizes sizes(s);
  int64_t channels = task.channels, quads = channels / kDotTerms;
  int64_t registers =
      vectorsOf(task.columns) * kDotLanes / registerLanesOf(task.tier);
  int64_t columnBlocks = ceilDiv(vectorsOf(task.columns), s.vectors);
  int64_t squareBlocks = ceilDiv(task.squares, sizes.squares);
  int64_t pieces = channels / sizes.channels;
  // As a tile of halves (DotSchedules.cpp), with its loop.
  auto strips = [&](int64_t rows) {
    int64_t sums = 2 * rows * (pieces > 1 ? 2 : 1) + 20;
    return rows ? ceilDiv(registers, 2) *
                      ((4 * rows + 3) * quads + pieces * sums)
                : 0;
  };
  auto group = [&](int64_t squares) {
    return squares / s.rows * strips(s.rows) + strips(squares % s.rows);
  };
  int64_t rest = task.squares % sizes.squares;
  int64_t cost =
      kPoints *
      (task.squares / sizes.squares * group(sizes.squares) + group(rest));
  cost += kCodeCost * task.squares * channels / 16 * columnBlocks;
  cost += kStepCost * quads * registers * squareBlocks;
  cost += kSumCost * task.squares * registers;
  return cost;
}
