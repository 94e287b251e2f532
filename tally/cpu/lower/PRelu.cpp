//===- PRelu.cpp - PRelu on codes with constant slopes --------------------===//
//
// What each distinct slope makes of each code is a table, exact. Where fp32 has
// a factor for the codes of either sign of steps that gives the whole table,
// which is tried code by code, elements are two products and a choice, and go
// by lanes:
//
//     in 0.1, out 0.2, slope 0.3:   steps  7 -> RHE(7 * 0.5) = 4
//                                   steps -7 -> RHE(-7 * 0.15) = -1
//
// Else the tables stay, one behind the other.
//
// The same two products serve for a PRelu of floats between a Dequantize and a
// Quantize, where they give what the three give in fp32 for every code.
//
// Cost: eight operations for each element; a table has as many entries as the
// input has codes.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/PRelu.h"
#include "tally/cpu/FloatMath.h"
#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/Requantize.h"
#include "tally/cpu/lower/QuantizedProduct.h"
#include "tally/quant/UnaryBlock.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// 16-bit inputs have tables of 128 KB.
static constexpr int64_t kMaxTableEntries = 1 << 24;

/// A slope as an integer number of units, whose size is an fp32 number.
struct Slope {
  int64_t steps;
  float unit;
  auto operator<=>(const Slope &) const = default;
};

static Slope slopeAt(const eval::Tensor &slope, int64_t i) {
  if (!slope.isQuantized()) {
    auto value = static_cast<float>(eval::loadFloat(slope, i));
    return {value < 0 ? -1 : value > 0, value == 0 ? 1 : std::abs(value)};
  }
  int64_t channel = eval::AxisIndex(slope.shape, slope.quant->axis)(i);
  return {eval::loadInt(slope, i) - slope.quant->zeroPoint(channel),
          slope.quant->scale(channel)};
}

/// IDEAL of each code's steps times the slope.
static tally::quant::UnaryTable idealTable(const Slope &slope,
                                           const tally::quant::Grid &in,
                                           const tally::quant::Grid &out) {
  tally::quant::RequantizeProblem identity;
  identity.inputScale = in.scale();
  identity.outputScale = out.scale();
  identity.result = out.type;
  identity.zeroPoint = out.zeroPoint();
  tally::quant::RequantizeProblem product = identity;
  product.weightScale = slope.unit;
  tally::quant::UnaryTable table{in.type, out.type, {}};
  for (int64_t raw = 0; raw < in.type.count(); ++raw) {
    int64_t steps =
        in.type.fromRawBits(static_cast<uint32_t>(raw)) - in.zeroPoint();
    table.codes.push_back(steps < 0 ? applyIdeal(product, steps * slope.steps)
                                    : applyIdeal(identity, steps));
  }
  return table;
}

namespace {
/// A table per distinct slope, and the table of each slope element.
struct SlopeTables {
  std::vector<int32_t> rows;
  std::vector<Slope> slopes;
  std::vector<tally::quant::UnaryTable> tables;
};
} // namespace

static SlopeTables
slopeTables(const eval::Tensor &slope,
            llvm::function_ref<tally::quant::UnaryTable(const Slope &)> table) {
  SlopeTables result;
  std::map<Slope, int32_t> known;
  for (int64_t i = 0, e = slope.count(); i < e; ++i) {
    Slope value = slopeAt(slope, i);
    auto [entry, isNew] =
        known.try_emplace(value, static_cast<int32_t>(known.size()));
    if (isNew) {
      result.slopes.push_back(value);
      result.tables.push_back(table(value));
    }
    result.rows.push_back(entry->second);
  }
  return result;
}

/// Replaces the tables by those of the two-slope block with a channel for each
/// slope, where its lines fit.
static Status takeFromBlock(SlopeTables &tables, const tally::quant::Grid &in,
                            const tally::quant::Grid &out) {
  std::vector<tally::quant::RealSlope> slopes;
  slopes.reserve(tables.slopes.size());
  for (const Slope &slope : tables.slopes)
    slopes.push_back({static_cast<float>(slope.steps), slope.unit});
  auto block = tally::quant::TwoSlopeBlock::derive(slopes, in, out);
  if (!block)
    return Status::success();
  for (auto [channel, table] : llvm::enumerate(tables.tables)) {
    if (Status status = verifyBlock(*block, table, channel); !status)
      return status;
    table = tableOf(*block, channel);
  }
  return Status::success();
}

/// All tables in a row, within the result's range.
static std::vector<int32_t> joined(const SlopeTables &tables,
                                   const eval::Quantization &out) {
  std::vector<int32_t> codes;
  for (const tally::quant::UnaryTable &table : tables.tables)
    for (int32_t code : table.codes)
      codes.push_back(
          static_cast<int32_t>(std::clamp<int64_t>(code, out.qmin, out.qmax)));
  return codes;
}

//===----------------------------------------------------------------------===//
// Two products
//===----------------------------------------------------------------------===//

namespace {
/// code = RHE(fl32(steps * factor)) + zero point, within the result's range,
/// with the factor of the slope where steps are negative.
struct Factors {
  float above;
  std::vector<float> below; ///< by distinct slope
};
} // namespace

/// Whether `factor` gives the codes of `table` for all codes of one sign of
/// their steps.
static bool gives(float factor, bool ofNegative,
                  const tally::quant::UnaryTable &table, int64_t inputZero,
                  const eval::Quantization &out) {
  for (int64_t code = table.input.min(); code <= table.input.max(); ++code) {
    int64_t steps = code - inputZero;
    if ((steps < 0) != ofNegative)
      continue;
    float product = static_cast<float>(steps) * factor;
    if (!(std::abs(product) < 0x1p24f))
      return false;
    auto rounded = static_cast<int64_t>(std::nearbyint(product));
    auto bounded = [&](int64_t value) {
      return std::clamp<int64_t>(value, out.qmin, out.qmax);
    };
    if (bounded(rounded + out.zeroPoint()) != bounded(table.lookup(code)))
      return false;
  }
  return true;
}

/// The fp32 number nearest to a factor, or a neighbour that gives the codes
/// where it does not.
static std::optional<float> factorNear(double exact, bool ofNegative,
                                       const tally::quant::UnaryTable &table,
                                       int64_t inputZero,
                                       const eval::Quantization &out) {
  auto nearest = static_cast<float>(exact);
  for (float candidate :
       {nearest, std::nextafter(nearest, 0.0f),
        std::nextafter(nearest, std::copysign(HUGE_VALF, nearest))})
    if (gives(candidate, ofNegative, table, inputZero, out))
      return candidate;
  return std::nullopt;
}

/// None where one slope has no such factor.
static std::optional<Factors> factorsOf(const SlopeTables &tables,
                                        const tally::quant::Grid &in,
                                        const eval::Quantization &out) {
  double ratio = double(in.scale()) / double(out.scale());
  Factors factors;
  for (auto [slope, table] : llvm::zip(tables.slopes, tables.tables)) {
    auto above = factorNear(ratio, false, table, in.zeroPoint(), out);
    auto below = factorNear(ratio * double(slope.unit) * double(slope.steps),
                            true, table, in.zeroPoint(), out);
    if (!above || !below)
      return std::nullopt;
    factors.above = *above; // what is not negative has the codes of any slope
    factors.below.push_back(*below);
  }
  return factors;
}

/// Of codes of `in` to those of `out`, by slopes that broadcast to the result.
static ElementCode factorCode(KernelBuilder &k, const eval::Tensor &in,
                              const eval::Tensor &out,
                              const eval::Tensor &slope,
                              const SlopeTables &tables,
                              const Factors &factors) {
  std::vector<float> below;
  below.reserve(tables.rows.size());
  for (int32_t row : tables.rows)
    below.push_back(factors.below[row]);
  BesideTable table = {k.constant<float>(below), slope.shape};
  ElementCode code = [=, &k, above = factors.above](const ElementInputs &x) {
    Value wide = k.widen(x[0], in.element, k.i32());
    Value steps = arith::SubIOp::create(
        k.b, wide, k.integer(wide.getType(), in.quant->zeroPoint()));
    FloatMath math(k, lanesOf(steps));
    Value isNegative = math.ilt(steps, math.i32(0));
    Value factor = math.select(isNegative, table.load(k, x.element, steps),
                               math.f32(above));
    Value rounded = nearestInt32(k, math.mul(math.toFloat(steps), factor));
    return storedCodesOf(
        k, {rounded, out.quant->zeroPoint(), out.quant->qmin, out.quant->qmax},
        out.element);
  };
  code.loaded = 1;
  code.span = table.span(k);
  return std::move(code).onWideLanes();
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static ElementCode slopeTableCode(KernelBuilder &k, const eval::Tensor &slope,
                                  const SlopeTables &tables) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  Value rows = k.constant<int32_t>(tables.rows);
  Value codes = codeTable(k, joined(tables, *out.quant), out.element);
  tally::quant::CodeType type = quantGrid(*in.quant).type;
  return [=, &k, shape = slope.shape,
          outShape = out.shape](const ElementInputs &x) {
    Value at = broadcastElement(k, shape, Order::Plain, outShape, x.element);
    Value row = k.toIndex(k.load(rows, at), false);
    Value column = tableIndex(k, x[0], type);
    return k.load(codes, k.addIndex(k.mulIndex(row, type.count()), column));
  };
}

Result<ElementCode> tally::cpu::preluCode(KernelBuilder &k) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  auto slope = k.constantOperand(1);
  if (!slope)
    return k.unsupported("a slope that is not constant");
  if (Status status = checkFinite(k, *slope, "a slope"); !status)
    return status.takeError();
  for (const eval::Tensor &codes : {in, out})
    if (Status status = checkCodeBits(k, *codes.quant); !status)
      return status.takeError();
  tally::quant::Grid inGrid = quantGrid(*in.quant);
  if (slope->count() * inGrid.type.count() > kMaxTableEntries)
    return k.unsupported("so many slopes on 16-bit codes");
  tally::quant::Grid outGrid = quantGrid(*out.quant);
  SlopeTables tables = slopeTables(*slope, [&](const Slope &value) {
    return idealTable(value, inGrid, outGrid);
  });
  if (Status status = takeFromBlock(tables, inGrid, outGrid); !status)
    return atNode(k, status.takeError());
  if (auto factors = factorsOf(tables, inGrid, *out.quant))
    return factorCode(k, in, out, *slope, tables, *factors);
  return slopeTableCode(k, *slope, tables);
}

//===----------------------------------------------------------------------===//
// Between a Dequantize and a Quantize
//===----------------------------------------------------------------------===//

/// What Dequantize, PRelu and Quantize make of each code, one after the other
/// in fp32.
static tally::quant::UnaryTable floatTable(const Slope &slope,
                                           const tally::quant::Grid &in,
                                           const tally::quant::Grid &out) {
  float factor = static_cast<float>(slope.steps) * slope.unit;
  tally::quant::UnaryTable table{in.type, out.type, {}};
  for (int64_t raw = 0; raw < in.type.count(); ++raw) {
    int64_t steps =
        in.type.fromRawBits(static_cast<uint32_t>(raw)) - in.zeroPoint();
    float real = static_cast<float>(steps) * in.scale();
    float sloped = real < 0 ? real * factor : real;
    float quotient = std::clamp(sloped / out.scale(), -0x1p20f, 0x1p20f);
    auto code = static_cast<int64_t>(std::nearbyint(quotient));
    table.codes.push_back(static_cast<int32_t>(std::clamp<int64_t>(
        code + out.zeroPoint(), out.type.min(), out.type.max())));
  }
  return table;
}

static bool areBytesOfOneGrid(const eval::Tensor &codes) {
  return codes.isQuantized() && codes.quant->perTensor() &&
         eval::byteSize(codes.element) == 1 && codeType(*codes.quant).bits == 8;
}

std::optional<ElementCode>
tally::cpu::preluBetweenCodes(KernelBuilder &k, const eval::Tensor &in,
                              const eval::Tensor &out) {
  auto slope = k.constantOperand(1);
  if (!slope || slope->element != eval::Element::F32 ||
      !areBytesOfOneGrid(in) || !areBytesOfOneGrid(out))
    return std::nullopt;
  for (int64_t i = 0, e = slope->count(); i < e; ++i)
    if (!std::isfinite(eval::loadFloat(*slope, i)))
      return std::nullopt;
  tally::quant::Grid inGrid = quantGrid(*in.quant);
  tally::quant::Grid outGrid = quantGrid(*out.quant);
  SlopeTables tables = slopeTables(*slope, [&](const Slope &value) {
    return floatTable(value, inGrid, outGrid);
  });
  auto factors = factorsOf(tables, inGrid, *out.quant);
  if (!factors)
    return std::nullopt;
  return factorCode(k, in, out, *slope, tables, *factors);
}
