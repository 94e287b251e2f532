//===- Stages.cpp - records and blocks applied to rows --------------------===//

#include "tally/run/simulator/kernels/Stages.h"

#include <algorithm>

using namespace tally;
using namespace tally::simulator;
using quant::CodeType;

static const char *const kOverflow =
    "a product or sum of a requantization leaves 64 bits";

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

namespace {
/// v >> shift to nearest, by an offset that holds the half; ties to even.
struct Rounding {
  int64_t shift, tie, mask;
  int64_t lo, hi, zero; ///< of the result; lo and hi less zero

  Rounding(int64_t shift, int64_t tie, int64_t zero, int64_t lo, int64_t hi)
      : shift(shift), tie(tie), mask((int64_t(1) << shift) - 1), lo(lo - zero),
        hi(hi - zero), zero(zero) {}

  int64_t operator()(int64_t v) const {
    int64_t q = v >> shift;
    q -= q & int64_t((v & mask) <= tie);
    return std::clamp(q, lo, hi) + zero;
  }
};

/// x * multiplier + offset; remembers whether one left 64 bits.
struct CheckedLine {
  bool isOver = false;
  int64_t operator()(int64_t x, int64_t multiplier, int64_t offset) {
    int64_t v;
    isOver |= __builtin_mul_overflow(x, multiplier, &v);
    isOver |= __builtin_add_overflow(v, offset, &v);
    return v;
  }
};
} // namespace

static KernelFault noChannel(size_t channel, size_t count) {
  return "channel " + std::to_string(channel) + " has no record: there are " +
         std::to_string(count);
}

/// The last channel of a row if one of `count` records is missing.
static KernelFault missing(Channels channels, size_t row, size_t count) {
  auto last = size_t(channels.first) + size_t(channels.step) * (row - 1);
  if (row == 0 || count == 1 || last < count)
    return std::nullopt;
  return noChannel(last, count);
}

KernelFault tally::simulator::requantize(const isa::RequantizeBlock &block,
                                         Channels channels,
                                         std::span<int64_t> row) {
  if (KernelFault fault = missing(channels, row.size(), block.records.size()))
    return fault;
  bool isShared = block.records.size() == 1 || channels.step == 0;
  auto first = size_t(block.records.size() == 1 ? 0 : channels.first);
  CheckedLine line;
  for (size_t i = 0; i < row.size(); ++i) {
    const isa::FixedPoint &r = block.records[isShared ? first : first + i];
    Rounding round(r.shift, r.tie, block.zero, block.lo, block.hi);
    row[i] = round(line(row[i], r.multiplier, r.offset));
  }
  return line.isOver ? KernelFault(kOverflow) : std::nullopt;
}

KernelFault tally::simulator::combine(const isa::LinearBlock &block,
                                      std::span<int64_t> a,
                                      std::span<const int64_t> b) {
  Rounding round(block.shift, block.tie, block.zero, block.lo, block.hi);
  CheckedLine line;
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = round(line(b[i], block.multiplierB,
                      line(a[i], block.multiplierA, block.offset)));
  return line.isOver ? KernelFault(kOverflow) : std::nullopt;
}

KernelFault tally::simulator::multiply(const isa::ProductBlock &block,
                                       Channels channels, std::span<int64_t> a,
                                       std::span<const int64_t> b) {
  bool isOver = false;
  for (size_t i = 0; i < a.size(); ++i)
    isOver |=
        __builtin_mul_overflow(a[i] - block.zeroA, b[i] - block.zeroB, &a[i]);
  return isOver ? KernelFault(kOverflow)
                : requantize(block.requantize, channels, a);
}

//===----------------------------------------------------------------------===//
// Unary blocks
//===----------------------------------------------------------------------===//

static KernelFault outside(int64_t code, CodeType type) {
  return "code " + std::to_string(code) +
         " is none of the block's input type " + type.name();
}

/// Codes that a line or table of the block has no place for.
static KernelFault findOutside(CodeType type, std::span<const int64_t> row) {
  for (int64_t code : row)
    if (!type.contains(code))
      return outside(code, type);
  return std::nullopt;
}

static KernelFault applyTwoSlope(const quant::TwoSlopeBlock &block,
                                 Channels channels, std::span<int64_t> row) {
  if (KernelFault fault = missing(channels, row.size(), block.channels.size()))
    return fault;
  bool isShared = block.channels.size() == 1;
  for (size_t i = 0; i < row.size(); ++i)
    row[i] = block.apply(
        row[i],
        isShared ? 0 : size_t(channels.first + int64_t(i) * channels.step));
  return std::nullopt;
}

static void applyTable(const quant::Table256Block &block,
                       std::span<int64_t> row) {
  int64_t codes[256];
  for (int i = 0; i < 256; ++i)
    codes[i] = block.result.fromRawBits(block.entries[size_t(i)]);
  for (int64_t &value : row)
    value = codes[uint8_t(value)];
}

KernelFault tally::simulator::applyUnary(const quant::UnaryBlock &block,
                                         Channels channels,
                                         std::span<int64_t> row) {
  if (auto *bits = std::get_if<quant::XorBlock>(&block)) {
    for (int64_t &value : row)
      value ^= bits->mask;
    return std::nullopt;
  }
  if (KernelFault fault = findOutside(quant::inputOf(block), row))
    return fault;
  if (auto *slopes = std::get_if<quant::TwoSlopeBlock>(&block))
    return applyTwoSlope(*slopes, channels, row);
  if (auto *table = std::get_if<quant::Table256Block>(&block)) {
    applyTable(*table, row);
    return std::nullopt;
  }
  for (int64_t &value : row)
    value = quant::applyBlock(block, value);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The output stage
//===----------------------------------------------------------------------===//

namespace {
/// The stages' visitor: `row` is what goes through them.
struct OutputStage {
  Channels channels;
  std::span<int64_t> row;
  std::span<const int64_t> residual;
  std::span<int64_t> second;

  KernelFault operator()(const isa::BiasStage &stage) {
    if (size_t(channels.first) + row.size() > stage.bias.size())
      return noChannel(size_t(channels.first) + row.size() - 1,
                       stage.bias.size());
    for (size_t i = 0; i < row.size(); ++i)
      row[i] += stage.bias[size_t(channels.first) + i];
    return std::nullopt;
  }
  KernelFault operator()(const isa::RequantizeBlock &stage) {
    return requantize(stage, channels, row);
  }
  KernelFault operator()(const quant::UnaryBlock &stage) {
    return applyUnary(stage, channels, row);
  }
  KernelFault operator()(const isa::LinearBlock &stage) {
    return residual.empty() ? noResidual() : combine(stage, row, residual);
  }
  KernelFault operator()(const isa::ProductBlock &stage) {
    return residual.empty() ? noResidual()
                            : multiply(stage, channels, row, residual);
  }
  KernelFault operator()(const isa::ClampStage &stage) {
    for (int64_t &value : row)
      value = std::clamp<int64_t>(value, stage.lo, stage.hi);
    return std::nullopt;
  }
  KernelFault operator()(const isa::SecondStage &) {
    if (second.empty())
      return "a stage gives a second result, and field second is 0";
    std::ranges::copy(row, second.begin());
    return std::nullopt;
  }

  static KernelFault noResidual() {
    return "a stage reads the residual, and field residual is 0";
  }
};
} // namespace

KernelFault tally::simulator::applyStages(const isa::EpilogueBlock &block,
                                          int64_t firstChannel,
                                          std::span<int64_t> row,
                                          std::span<const int64_t> residual,
                                          std::span<int64_t> second) {
  OutputStage output{{firstChannel, 1}, row, residual, second};
  for (const isa::Stage &stage : block.stages)
    if (KernelFault fault = std::visit(output, stage))
      return fault;
  return std::nullopt;
}
