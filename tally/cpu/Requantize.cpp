//===- Requantize.cpp - certified records as instructions -----------------===//
//
// A record's fields become one table per field, indexed by channel, so that
// equal kernels stay equal whatever their scales are. Only what some channel
// needs is emitted: tie windows, exceptions, threshold tables.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Requantize.h"
#include "tally/cpu/FloatMath.h"

#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;
using tally::quant::Profile;
using tally::quant::RequantizeKind;
using tally::quant::RequantizeRecord;

Profile tally::cpu::quantProfile(eval::Profile profile) {
  switch (profile) {
  case eval::Profile::OnnxRuntime:
    return Profile::OnnxRuntime;
  case eval::Profile::TfLite:
    return Profile::TfliteDouble;
  default:
    return Profile::Ideal;
  }
}

Status tally::cpu::checkCodeBits(const KernelBuilder &kernel,
                                 const eval::Quantization &grid) {
  int32_t bits = codeType(grid).bits;
  if (bits != 4 && bits != 8 && bits != 16)
    return kernel.unsupported(std::to_string(bits) + "-bit codes");
  return Status::success();
}

template <typename T, typename Fn> Value RequantizeTables::table(Fn &&field) {
  std::vector<T> values;
  values.reserve(records.size());
  for (const RequantizeRecord &record : records)
    values.push_back(static_cast<T>(field(record)));
  return k.constant<T>(values);
}

bool RequantizeTables::has(RequantizeKind kind) const {
  return llvm::is_contained(present, kind);
}

RequantizeTables::RequantizeTables(KernelBuilder &kernel,
                                   const std::vector<RequantizeRecord> &all)
    : k(kernel), records(all), isUniform(all.size() == 1), first(all[0]) {
  for (const RequantizeRecord &record : records) {
    if (!has(record.kind))
      present.push_back(record.kind);
    anyTie |= record.tieWindow >= 0;
    exceptionCount =
        std::max<int64_t>(exceptionCount, record.exceptions.size());
    thresholdCount =
        std::max<int64_t>(thresholdCount, record.thresholds.size());
  }
  llvm::sort(present);
  if (has(RequantizeKind::Float))
    scales = table<float>([](auto &r) { return r.effectiveScale; });
  if (has(RequantizeKind::FixedPoint) || has(RequantizeKind::TfliteDouble) ||
      has(RequantizeKind::TfliteSingle)) {
    multipliers = table<int64_t>([](auto &r) { return r.multiplier; });
    shifts = table<int64_t>([](auto &r) { return r.shift; });
  }
  if (has(RequantizeKind::FixedPoint))
    addFixedPoint();
  if (has(RequantizeKind::Thresholds))
    addThresholds();
  if (present.size() > 1)
    kinds = table<int8_t>([](auto &r) { return r.kind; });
}

void RequantizeTables::addFixedPoint() {
  offsets = table<int64_t>([](auto &r) { return r.offset; });
  if (anyTie) {
    windows = table<int64_t>([](auto &r) { return r.tieWindow; });
    masks = table<int64_t>([](auto &r) { return (int64_t(1) << r.shift) - 1; });
  }
  if (!exceptionCount)
    return;
  std::vector<int64_t> keys;
  std::vector<int32_t> codes;
  for (const RequantizeRecord &record : records)
    for (int64_t i = 0; i < exceptionCount; ++i) {
      bool isUsed = i < static_cast<int64_t>(record.exceptions.size());
      // No accumulator has this value, so an unused entry never matches.
      keys.push_back(isUsed ? record.exceptions[i].accumulator
                            : std::numeric_limits<int64_t>::min());
      codes.push_back(isUsed ? record.exceptions[i].code : 0);
    }
  exceptionKeys = k.constant<int64_t>(keys);
  exceptionCodes = k.constant<int32_t>(codes);
}

void RequantizeTables::addThresholds() {
  std::vector<int64_t> limits;
  for (const RequantizeRecord &record : records)
    for (int64_t i = 0; i < thresholdCount; ++i)
      limits.push_back(i < static_cast<int64_t>(record.thresholds.size())
                           ? record.thresholds[i]
                           : std::numeric_limits<int64_t>::max());
  thresholds = k.constant<int64_t>(limits);
  descending = table<int8_t>([](auto &r) { return r.descending; });
  lows = table<int32_t>([](auto &r) { return r.clampLo; });
}

Value RequantizeTables::entry(Value memref, Value channel) {
  return k.load(memref, isUniform ? k.index(0) : channel);
}

/// Where the fraction lies in the tie window, an odd quotient steps down to
/// the even one.
Value RequantizeTables::roundTies(Value value, Value quotient, Value channel) {
  auto &b = k.b;
  Value fraction = arith::AndIOp::create(b, value, entry(masks, channel));
  Value isTie = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, fraction,
                                      entry(windows, channel));
  Value odd =
      arith::AndIOp::create(b, quotient, k.integer(quotient.getType(), 1));
  Value even = arith::SubIOp::create(b, quotient, odd);
  return arith::SelectOp::create(b, isTie, even, quotient);
}

Value RequantizeTables::patch(Value code, Value accumulator, Value channel) {
  auto &b = k.b;
  Value base = k.mulIndex(isUniform ? k.index(0) : channel, exceptionCount);
  for (int64_t i = 0; i < exceptionCount; ++i) {
    Value slot = k.addIndex(base, k.index(i));
    Value matches = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, accumulator, k.load(exceptionKeys, slot));
    code =
        arith::SelectOp::create(b, matches, k.load(exceptionCodes, slot), code);
  }
  return code;
}

Value RequantizeTables::fixedPoint(Value accumulator, Value channel) {
  auto &b = k.b;
  Value product =
      arith::MulIOp::create(b, accumulator, entry(multipliers, channel));
  Value value = arith::AddIOp::create(b, product, entry(offsets, channel));
  Value quotient = arith::ShRSIOp::create(b, value, entry(shifts, channel));
  if (anyTie)
    quotient = roundTies(value, quotient, channel);
  // Saturate before the zero point is added in 32 bits.
  Value bounded = k.clamp(quotient, int64_t(first.clampLo) - first.zeroPoint,
                          int64_t(first.clampHi) - first.zeroPoint);
  Value code = arith::TruncIOp::create(b, k.i32(), bounded);
  code = arith::AddIOp::create(b, code, k.integer(k.i32(), first.zeroPoint));
  return exceptionCount ? patch(code, accumulator, channel) : code;
}

Value RequantizeTables::threshold(Value accumulator, Value channel) {
  auto &b = k.b;
  Value isDescending =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                            entry(descending, channel), k.integer(k.i8(), 0));
  Value negated = arith::SubIOp::create(b, k.integer(k.i64(), 0), accumulator);
  Value x = arith::SelectOp::create(b, isDescending, negated, accumulator);
  Value base = k.mulIndex(isUniform ? k.index(0) : channel, thresholdCount);
  Value count = k.fold(
      thresholdCount, k.integer(k.i32(), 0), [&](Value iv, Value carried) {
        Value limit = k.load(thresholds, k.addIndex(base, iv));
        Value reached =
            arith::CmpIOp::create(b, arith::CmpIPredicate::sle, limit, x);
        return arith::AddIOp::create(
            b, carried, arith::ExtUIOp::create(b, k.i32(), reached));
      });
  return arith::AddIOp::create(b, count, entry(lows, channel));
}

/// fl32(acc) * scale, clamped around the zero point, rounded half to even.
Value RequantizeTables::asFloat(Value accumulator, Value channel) {
  auto &b = k.b;
  FloatMath math(k);
  Value value = arith::SIToFPOp::create(b, k.f32(), accumulator);
  Value product = arith::MulFOp::create(b, value, entry(scales, channel));
  double zeroPoint = first.zeroPoint;
  Value zero = k.integer(k.i32(), first.zeroPoint);
  if (first.zeroPointBeforeRounding) {
    product = arith::AddFOp::create(b, product, k.real(k.f32(), zeroPoint));
    Value rounded = math.toInt32LikeX86(math.roundeven(product));
    return k.clamp(rounded, first.clampLo, first.clampHi);
  }
  Value bounded =
      math.clamp(product, first.clampLo - zeroPoint, first.clampHi - zeroPoint);
  Value rounded = arith::FPToSIOp::create(b, k.i32(), math.roundeven(bounded));
  return arith::AddIOp::create(b, rounded, zero);
}

/// 31-bit multiplier with one or two roundings, in 64-bit arithmetic.
Value RequantizeTables::tflite(Value accumulator, Value channel,
                               bool isSingle) {
  auto &b = k.b;
  auto c = [&](int64_t value) { return k.integer(k.i64(), value); };
  Value multiplier = entry(multipliers, channel);
  Value shift = entry(shifts, channel);
  Value scaled;
  if (isSingle) {
    Value total = arith::SubIOp::create(b, c(31), shift);
    Value half =
        arith::ShLIOp::create(b, c(1), arith::SubIOp::create(b, total, c(1)));
    Value product = arith::MulIOp::create(b, accumulator, multiplier);
    scaled = arith::ShRSIOp::create(b, arith::AddIOp::create(b, product, half),
                                    total);
  } else {
    Value left = arith::MaxSIOp::create(b, shift, c(0));
    Value right =
        arith::MaxSIOp::create(b, arith::SubIOp::create(b, c(0), shift), c(0));
    Value shifted = arith::ShLIOp::create(b, accumulator, left);
    Value product = arith::MulIOp::create(b, shifted, multiplier);
    Value high = arith::ShRSIOp::create(
        b, arith::AddIOp::create(b, product, c(int64_t(1) << 30)), c(31));
    Value mask =
        arith::SubIOp::create(b, arith::ShLIOp::create(b, c(1), right), c(1));
    Value rest = arith::AndIOp::create(b, high, mask);
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, high, c(0));
    Value half =
        arith::AddIOp::create(b, arith::ShRSIOp::create(b, mask, c(1)),
                              arith::ExtUIOp::create(b, k.i64(), isNegative));
    Value up = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, rest, half);
    scaled = arith::AddIOp::create(b, arith::ShRSIOp::create(b, high, right),
                                   arith::ExtUIOp::create(b, k.i64(), up));
  }
  Value code = arith::AddIOp::create(b, scaled, c(first.zeroPoint));
  return arith::TruncIOp::create(b, k.i32(),
                                 k.clamp(code, first.clampLo, first.clampHi));
}

Value RequantizeTables::applyAs(RequantizeKind kind, Value accumulator,
                                Value channel) {
  switch (kind) {
  case RequantizeKind::FixedPoint:
    return fixedPoint(accumulator, channel);
  case RequantizeKind::Thresholds:
    return threshold(accumulator, channel);
  case RequantizeKind::Float:
    return asFloat(accumulator, channel);
  case RequantizeKind::TfliteDouble:
  case RequantizeKind::TfliteSingle:
    return tflite(accumulator, channel, kind == RequantizeKind::TfliteSingle);
  }
  return {};
}

Value RequantizeTables::apply(Value accumulator, Value channel) {
  auto &b = k.b;
  bool isOnlyFloat = present.size() == 1 && has(RequantizeKind::Float);
  if (!isOnlyFloat && accumulator.getType() != k.i64())
    accumulator = arith::ExtSIOp::create(b, k.i64(), accumulator);
  Value code = applyAs(present[0], accumulator, channel);
  for (RequantizeKind kind : llvm::drop_begin(present)) {
    Value isKind = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, entry(kinds, channel),
        k.integer(k.i8(), static_cast<int64_t>(kind)));
    code = arith::SelectOp::create(b, isKind,
                                   applyAs(kind, accumulator, channel), code);
  }
  return code;
}
