//===- UnaryBlockDerive.cpp - parameters from a function and two grids ----===//
//
// A clamp of an affine function commutes with a monotone rounding, so Relu,
// Clip and HardSigmoid become one line and two bounds in result codes:
//
//   f(x) = clamp(a x + b, l, h)  gives  M / 2^S = a s1 / s2, B / 2^S = b / s2
//   (plus the half that rounds), lo = Q(l), hi = Q(h)
//
// with Q the code of a real on the result's grid. The integers come from
// deriveRequantize, whose accumulator here is q1 - z1: a few hundred values, on
// which equality with IDEAL is proven, or the kind refused.
//
// Example, i8, s1 = 0.05, z1 = 3, s2 = 1/128, z2 = 0: Abs has the slopes -6.4
// and 6.4; Sign has k- = max(-128, -128), k0 = 0, k+ = min(127, 128).
//
//===----------------------------------------------------------------------===//

#include "tally/quant/UnaryBlock.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::quant;

static Diagnostic refused(BlockKind kind, const UnaryFunction &function,
                          const std::string &why, const char *rule) {
  return {FailureKind::Unsupported,
          "no " + std::string(blockKindName(kind)) + " block for " +
              std::string(unaryName(function.kind)) + ": " + why,
          rule,
          "",
          "",
          ""};
}

static Diagnostic noFormula(BlockKind kind, const UnaryFunction &function) {
  return refused(kind, function, "the function is not of this form",
                 "BLK-KIND");
}

/// The grids and parameters that every kind needs, by the table's own rules.
static Status check(const UnaryFunction &function, const Grid &input,
                    const Grid &result) {
  auto code = applyUnaryIdeal(function, input, result, input.zeroPoint());
  return code ? Status::success() : Status(code.takeError());
}

/// Q: the code of a real; the type's ends for infinities.
static int32_t codeOfReal(float real, const Grid &grid) {
  if (std::isinf(real))
    return int32_t(real < 0 ? grid.type.min() : grid.type.max());
  RequantizeProblem constant;
  constant.offset = Dyadic::of(real);
  constant.outputScale = grid.scale();
  constant.result = grid.type;
  constant.zeroPoint = grid.zeroPoint();
  return applyIdeal(constant, 0);
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// factor * unit * x + addend for the steps x = lo to hi of the input.
struct RealLine {
  RealSlope slope;
  float addend = 0;
  int64_t lo, hi;
  int32_t multiplierBits;
};

static Result<FixedLine> fitLine(const RealLine &real, const Grid &input,
                                 const Grid &result, int32_t clampLo,
                                 int32_t clampHi) {
  RequantizeProblem problem;
  problem.inputScale = input.scale();
  problem.weightScale = real.slope.unit;
  problem.factor = real.slope.factor;
  problem.offset = Dyadic::of(real.addend);
  problem.outputScale = result.scale();
  problem.accumulatorLo = real.lo;
  problem.accumulatorHi = std::max(real.lo, real.hi);
  problem.result = result.type;
  problem.zeroPoint = result.zeroPoint();
  problem.clampLo = clampLo;
  problem.clampHi = clampHi;
  problem.multiplierBits = real.multiplierBits;
  problem.canPatch = false;
  auto record = deriveRequantize(problem);
  if (!record)
    return record.takeError();
  if (record->certificate == Certificate::Deviates) {
    const AccumulatorCode &first = record->deviations.front();
    return Diagnostic{
        FailureKind::Unsupported,
        "no multiplier of " + std::to_string(real.multiplierBits) +
            " bits rounds as IDEAL does: code " +
            std::to_string(first.accumulator + input.zeroPoint()) +
            " must give " + std::to_string(first.code),
        "BLK-FIT",
        "",
        "",
        ""};
  }
  return FixedLine{record->offset, record->tieWindow,
                   int32_t(record->multiplier), record->shift};
}

namespace {
/// clamp(slope x + addend, lo, hi), the bounds already codes.
struct AffineForm {
  float slope = 1, addend = 0;
  int32_t lo, hi;
};
} // namespace

static std::optional<AffineForm> affineForm(const UnaryFunction &f,
                                            const Grid &result) {
  auto lowest = int32_t(result.type.min());
  auto highest = int32_t(result.type.max());
  switch (f.kind) {
  case UnaryKind::Identity:
    return AffineForm{1, 0, lowest, highest};
  case UnaryKind::Neg:
    return AffineForm{-1, 0, lowest, highest};
  case UnaryKind::Relu:
    return AffineForm{1, 0, result.zeroPoint(), highest};
  case UnaryKind::Clip: // the upper bound wins
    return AffineForm{1, 0, codeOfReal(std::min(f.p, f.q), result),
                      codeOfReal(f.q, result)};
  case UnaryKind::HardSigmoid:
    return AffineForm{f.p, f.q, result.zeroPoint(), codeOfReal(1, result)};
  default:
    return std::nullopt;
  }
}

Result<AffineBlock> AffineBlock::derive(const UnaryFunction &function,
                                        const Grid &input, const Grid &result,
                                        int32_t multiplierBits) {
  if (Status status = check(function, input, result); !status)
    return status.takeError();
  auto form = affineForm(function, result);
  if (!form)
    return noFormula(kind, function);
  int32_t zero = input.zeroPoint();
  RealLine real{{form->slope, 1},
                form->addend,
                input.type.min() - zero,
                input.type.max() - zero,
                multiplierBits};
  auto line = fitLine(real, input, result, form->lo, form->hi);
  if (!line)
    return refused(kind, function, line.error().message, "BLK-FIT");
  AffineBlock block{input.type, result.type};
  block.line = *line;
  block.inputZero = zero;
  block.resultZero = result.zeroPoint();
  block.lo = form->lo;
  block.hi = form->hi;
  return block;
}

/// The slopes of f below and above 0.
static std::optional<std::pair<float, float>>
slopesOf(const UnaryFunction &function) {
  switch (function.kind) {
  case UnaryKind::Abs:
    return std::pair(-1.0f, 1.0f);
  case UnaryKind::LeakyRelu:
  case UnaryKind::PRelu:
    return std::pair(function.p, 1.0f);
  default:
    return std::nullopt;
  }
}

static TwoSlopeBlock twoSlopesWithoutLines(const Grid &input,
                                           const Grid &result) {
  TwoSlopeBlock block{input.type, result.type};
  block.inputZero = input.zeroPoint();
  block.resultZero = result.zeroPoint();
  block.lo = int32_t(result.type.min());
  block.hi = int32_t(result.type.max());
  return block;
}

/// Adds the lines of one channel.
static Status addChannel(TwoSlopeBlock &block, RealSlope below, float above,
                         const Grid &input, const Grid &result, int32_t bits) {
  int64_t first = input.type.min() - block.inputZero;
  int64_t last = input.type.max() - block.inputZero;
  auto left = fitLine({below, 0, std::min<int64_t>(first, -1), -1, bits}, input,
                      result, block.lo, block.hi);
  if (!left)
    return left.takeError();
  auto right = fitLine({{above, 1}, 0, 0, last, bits}, input, result, block.lo,
                       block.hi);
  if (!right)
    return right.takeError();
  block.channels.push_back({*left, *right});
  return Status::success();
}

Result<TwoSlopeBlock> TwoSlopeBlock::derive(const UnaryFunction &function,
                                            const Grid &input,
                                            const Grid &result,
                                            int32_t multiplierBits) {
  if (Status status = check(function, input, result); !status)
    return status.takeError();
  auto slopes = slopesOf(function);
  if (!slopes)
    return noFormula(kind, function);
  TwoSlopeBlock block = twoSlopesWithoutLines(input, result);
  if (Status status = addChannel(block, {slopes->first, 1}, slopes->second,
                                 input, result, multiplierBits);
      !status)
    return refused(kind, function, status.error().message, "BLK-FIT");
  return block;
}

Result<TwoSlopeBlock> TwoSlopeBlock::derive(std::span<const RealSlope> below,
                                            const Grid &input,
                                            const Grid &result,
                                            int32_t multiplierBits) {
  UnaryFunction function{UnaryKind::PRelu, 1};
  if (Status status = check(function, input, result); !status)
    return status.takeError();
  TwoSlopeBlock block = twoSlopesWithoutLines(input, result);
  for (const RealSlope &slope : below)
    if (Status status =
            addChannel(block, slope, 1, input, result, multiplierBits);
        !status)
      return refused(kind, function,
                     "channel " + std::to_string(block.channels.size()) + ": " +
                         status.error().message,
                     "BLK-FIT");
  return block;
}

//===----------------------------------------------------------------------===//
// Steps and bits
//===----------------------------------------------------------------------===//

Result<ThreeStepBlock> ThreeStepBlock::derive(const UnaryFunction &function,
                                              const Grid &input,
                                              const Grid &result) {
  if (Status status = check(function, input, result); !status)
    return status.takeError();
  if (function.kind != UnaryKind::Sign)
    return noFormula(kind, function);
  ThreeStepBlock block{input.type, result.type};
  block.inputZero = input.zeroPoint();
  block.below = codeOfReal(-1, result);
  block.at = result.zeroPoint();
  block.above = codeOfReal(1, result);
  return block;
}

Result<XorBlock> XorBlock::derive(const UnaryFunction &function,
                                  const Grid &input, const Grid &result) {
  if (Status status = check(function, input, result); !status)
    return status.takeError();
  if (function.kind != UnaryKind::Neg)
    return noFormula(kind, function);
  int64_t mirrored = input.type.min() + input.type.max() - input.zeroPoint();
  if (input.type != result.type || input.scale() != result.scale() ||
      result.zeroPoint() != mirrored)
    return refused(kind, function,
                   "the result's grid does not mirror the input's (same type "
                   "and scale, zero point " +
                       std::to_string(mirrored) + ")",
                   "BLK-FIT");
  return flipAll(input.type);
}

XorBlock XorBlock::flipAll(CodeType type) {
  bool fitsMask = type.isSigned || type.bits == 64;
  return {type, type, fitsMask ? -1 : (int64_t(1) << type.bits) - 1};
}

XorBlock XorBlock::flipBoolean() { return {{1, false}, {1, false}, 1}; }

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

Result<Table256Block> Table256Block::of(const UnaryTable &table) {
  if (std::max(table.input.bits, table.result.bits) > 8)
    return Diagnostic{FailureKind::Unsupported,
                      "no table of 256 8-bit entries from " +
                          table.input.name() + " to " + table.result.name(),
                      "BLK-WIDTH",
                      "",
                      "",
                      ""};
  Table256Block block{table.input, table.result, {}};
  for (size_t i = 0; i < 256; ++i)
    block.entries.push_back(
        uint8_t(table.result.rawBits(table.codes[i % table.codes.size()])));
  return block;
}

Result<Table256Block> Table256Block::derive(const UnaryFunction &function,
                                            const Grid &input,
                                            const Grid &result) {
  auto table = buildUnaryTable(function, input, result);
  if (!table)
    return table.takeError();
  return of(*table);
}

TableBlock TableBlock::of(const UnaryTable &table, int32_t spacing) {
  TableBlock block{table.input, table.result, 0, spacing, {}};
  auto put = [&](int64_t code) {
    int32_t entry = table.lookup(std::min(code, table.input.max()));
    block.entries.push_back(uint16_t(table.result.rawBits(entry)));
  };
  int64_t step = int64_t(1) << spacing;
  for (int64_t i = 0; i < table.input.count(); i += step)
    put(table.input.min() + i);
  if (spacing == 0)
    return block;
  put(table.input.max());
  for (int64_t q = table.input.min(); q <= table.input.max(); ++q)
    block.bound =
        std::max(block.bound, std::abs(block.apply(q) - table.lookup(q)));
  return block;
}

Result<TableBlock> TableBlock::derive(const UnaryFunction &function,
                                      const Grid &input, const Grid &result,
                                      int32_t spacing) {
  auto table = buildUnaryTable(function, input, result);
  if (!table)
    return table.takeError();
  return of(*table, spacing);
}

//===----------------------------------------------------------------------===//
// The first kind that fits
//===----------------------------------------------------------------------===//

template <class Block> static Result<UnaryBlock> widen(Result<Block> block) {
  if (!block)
    return block.takeError();
  return UnaryBlock(std::move(*block));
}

static Result<UnaryBlock> deriveKind(BlockKind kind,
                                     const UnaryFunction &function,
                                     const Grid &input, const Grid &result,
                                     const UnaryTable &ideal) {
  switch (kind) {
  case BlockKind::Affine:
    return widen(AffineBlock::derive(function, input, result));
  case BlockKind::TwoSlope:
    return widen(TwoSlopeBlock::derive(function, input, result));
  case BlockKind::ThreeStep:
    return widen(ThreeStepBlock::derive(function, input, result));
  case BlockKind::Table256:
    return widen(Table256Block::of(ideal));
  case BlockKind::Table:
    return UnaryBlock(TableBlock::of(ideal));
  case BlockKind::Xor:
    break;
  }
  return widen(XorBlock::derive(function, input, result));
}

static bool isTable(BlockKind kind) {
  return kind == BlockKind::Table256 || kind == BlockKind::Table;
}

Result<UnaryBlock> quant::deriveBlock(const UnaryFunction &function,
                                      const Grid &input, const Grid &result,
                                      std::span<const BlockKind> kinds,
                                      Profile profile) {
  auto ideal = buildUnaryTable(function, input, result, profile);
  if (!ideal)
    return ideal.takeError();
  std::string reasons;
  for (BlockKind kind : kinds) {
    if (profile != Profile::Ideal && !isTable(kind))
      continue;
    auto block = deriveKind(kind, function, input, result, *ideal);
    if (block) {
      if (Status status = verifyBlock(*block, *ideal); !status)
        return status.takeError();
      return block;
    }
    reasons += (reasons.empty() ? "" : "; ") + block.error().message;
  }
  return Diagnostic{FailureKind::Unsupported,
                    "no block fits: " + reasons,
                    "BLK-FIT",
                    "",
                    "",
                    ""};
}
