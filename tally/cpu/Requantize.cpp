//===- Requantize.cpp - certified records as instructions -----------------===//
//
// A record's fields become one table per field, indexed by channel, so that
// equal kernels stay equal whatever their scales are. Only what some channel
// needs is emitted: tie windows, exceptions, threshold tables.
//
// All channels of an operation go one way, since lanes do. In fp32 a vector
// takes four instructions and the bounds. Where a channel has no form in fp32,
// nearly always all have a multiplier m of 31 bits and a shift above 32, and
// then the high half of acc * m + o is enough, in seven instructions for
// sixteen lanes: even and odd lanes are multiplied apart.
//
//     even  = acc  * m          + o        of lanes 0, 2, ... in 64 bits
//     odd   = (acc >> 32) * (m >> 32) + o  of lanes 1, 3, ...
//     q     = (high halves of both, in turn) >> (shift - 32)
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Requantize.h"
#include "tally/cpu/FloatMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;
using tally::quant::Profile;
using tally::quant::RequantizeKind;

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

Result<ChannelRecord>
tally::cpu::deriveChannelRecord(const tally::quant::RequantizeProblem &problem,
                                bool wantsFloatForm) {
  auto record = tally::quant::deriveRequantize(problem);
  if (!record)
    return record.takeError();
  ChannelRecord result{std::move(*record), {}};
  if (wantsFloatForm)
    result.floatForm = tally::quant::deriveFloatForm(problem);
  return result;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Lanes that may be read behind the last channel.
static constexpr int64_t kSpareLanes = 15;

/// `rows` entries of each record, field(record, row), row by row.
template <typename T, typename Fn>
Value RequantizeTables::table(Fn &&field, int64_t rows) {
  std::vector<T> values(rows * padded);
  for (int64_t row = 0; row < rows; ++row)
    for (auto [i, record] : llvm::enumerate(records))
      values[row * padded + i] = static_cast<T>(field(record, row));
  return k.constant<T>(values);
}

Value RequantizeTables::entry(Value memref, Value channel, Value like,
                              Value row) {
  Value at = isUniform ? k.index(0) : channel;
  if (row)
    at = k.addIndex(at, k.mulIndex(row, padded));
  if (isUniform || lanes == Lanes::OneChannel || !lanesOf(like))
    return spreadLike(k, like, k.load(memref, at));
  auto element = cast<MemRefType>(memref.getType()).getElementType();
  auto type = cast<VectorType>(lanesLike(like, element));
  return vector::LoadOp::create(k.b, type, memref, at);
}

bool RequantizeTables::has(RequantizeKind kind) const {
  return llvm::is_contained(present, kind);
}

/// Whether the high half of the product is all that its formula needs. A shift
/// of 34 leaves a quotient of at most 2^29, to which a zero point can be added.
static bool needsHighHalf(const ChannelRecord &record) {
  return record.kind == RequantizeKind::FixedPoint && record.tieWindow < 0 &&
         record.exceptions.empty() && record.shift >= 34 &&
         std::abs(record.multiplier) <= std::numeric_limits<int32_t>::max();
}

RequantizeTables::Form
RequantizeTables::formOf(const std::vector<ChannelRecord> &all) {
  if (llvm::all_of(all, [](auto &r) { return r.floatForm.has_value(); }))
    return Form::Float32;
  return llvm::all_of(all, needsHighHalf) ? Form::HighHalf : Form::Kinds;
}

RequantizeTables::RequantizeTables(KernelBuilder &kernel,
                                   const std::vector<ChannelRecord> &all,
                                   Lanes lanes)
    : k(kernel), records(all), isUniform(all.size() == 1), lanes(lanes),
      padded(isUniform ? 1 : all.size() + kSpareLanes), first(all[0]),
      form(formOf(all)) {
  if (form == Form::Float32)
    addFloat32();
  else if (form == Form::HighHalf)
    addHighHalf();
  else
    addKinds();
}

void RequantizeTables::addFloat32() {
  scales = table<float>([](auto &r, int64_t) { return r.floatForm->scale; });
  addends = table<float>([](auto &r, int64_t) { return r.floatForm->addend; });
}

/// Whether the zero point of a record of HighHalf fits into its offset: the
/// product is below 2^62, so 2^61 + 2^58 are left for the two.
static bool fitsIntoOffset(const ChannelRecord &record) {
  return record.shift <= 50 && std::abs(record.zeroPoint) <= 1 << 8 &&
         std::abs(record.offset) < int64_t(1) << 61;
}

void RequantizeTables::addHighHalf() {
  multipliers = table<int32_t>([](auto &r, int64_t) { return r.multiplier; });
  isZeroInOffset = llvm::all_of(records, fitsIntoOffset);
  int64_t zero = isZeroInOffset ? first.zeroPoint : 0;
  offsets = table<int64_t>([&](auto &r, int64_t) {
    return zero ? r.offset + zero * (int64_t(1) << r.shift) : r.offset;
  });
  shifts = table<int32_t>([](auto &r, int64_t) { return r.shift - 32; });
}

void RequantizeTables::addKinds() {
  for (const ChannelRecord &record : records) {
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
    scales = table<float>([](auto &r, int64_t) { return r.effectiveScale; });
  if (has(RequantizeKind::FixedPoint) || has(RequantizeKind::TfliteDouble) ||
      has(RequantizeKind::TfliteSingle)) {
    multipliers = table<int64_t>([](auto &r, int64_t) { return r.multiplier; });
    shifts = table<int64_t>([](auto &r, int64_t) { return r.shift; });
  }
  if (has(RequantizeKind::FixedPoint))
    addFixedPoint();
  if (has(RequantizeKind::Thresholds))
    addThresholds();
  if (present.size() > 1)
    kinds = table<int8_t>([](auto &r, int64_t) { return r.kind; });
}

void RequantizeTables::addFixedPoint() {
  offsets = table<int64_t>([](auto &r, int64_t) { return r.offset; });
  if (anyTie) {
    windows = table<int64_t>([](auto &r, int64_t) { return r.tieWindow; });
    masks = table<int64_t>(
        [](auto &r, int64_t) { return (int64_t(1) << r.shift) - 1; });
  }
  if (!exceptionCount)
    return;
  auto isUsed = [](const ChannelRecord &record, int64_t i) {
    return i < static_cast<int64_t>(record.exceptions.size());
  };
  // No accumulator has this value, so an unused entry never matches.
  constexpr int64_t none = std::numeric_limits<int64_t>::min();
  exceptionKeys = table<int64_t>(
      [&](auto &r, int64_t i) {
        return isUsed(r, i) ? r.exceptions[i].accumulator : none;
      },
      exceptionCount);
  exceptionCodes = table<int32_t>(
      [&](auto &r, int64_t i) {
        return isUsed(r, i) ? r.exceptions[i].code : 0;
      },
      exceptionCount);
}

void RequantizeTables::addThresholds() {
  thresholds = table<int64_t>(
      [](auto &r, int64_t i) {
        return i < static_cast<int64_t>(r.thresholds.size())
                   ? r.thresholds[i]
                   : std::numeric_limits<int64_t>::max();
      },
      thresholdCount);
  descending = table<int8_t>([](auto &r, int64_t) { return r.descending; });
  lows = table<int32_t>([](auto &r, int64_t) { return r.clampLo; });
}

//===----------------------------------------------------------------------===//
// Forms that all channels have
//===----------------------------------------------------------------------===//

Value RequantizeTables::float32(Value accumulator, Value channel) {
  auto &b = k.b;
  Value value =
      arith::SIToFPOp::create(b, lanesLike(accumulator, k.f32()), accumulator);
  Value product =
      arith::MulFOp::create(b, value, entry(scales, channel, value));
  Value sum = arith::AddFOp::create(b, product, entry(addends, channel, value));
  return nearestInt32(k, sum);
}

Value RequantizeTables::highHalf(Value accumulator, Value channel) {
  auto &b = k.b;
  auto wide = [&](Value x) -> Value {
    return x.getType() == k.i64() ? x : arith::ExtSIOp::create(b, k.i64(), x);
  };
  Value multiplier = entry(multipliers, channel, accumulator);
  Value value = arith::MulIOp::create(b, wide(accumulator), wide(multiplier));
  value = arith::AddIOp::create(b, value, entry(offsets, channel, accumulator));
  Value high = arith::TruncIOp::create(
      b, k.i32(), arith::ShRSIOp::create(b, value, k.integer(k.i64(), 32)));
  return arith::ShRSIOp::create(b, high, entry(shifts, channel, accumulator));
}

/// Even or odd lanes of a vector.
static Value everyOther(KernelBuilder &k, Value lanes, int64_t first) {
  auto places = llvm::to_vector(llvm::seq(first, lanesOf(lanes)));
  llvm::erase_if(places, [&](int64_t i) { return (i - first) % 2 != 0; });
  return vector::ShuffleOp::create(k.b, lanes, lanes, places);
}

Value RequantizeTables::highHalfOfLanes(Value accumulator, Value channel) {
  auto &b = k.b;
  int64_t lanes = lanesOf(accumulator);
  auto words = cast<VectorType>(accumulator.getType());
  auto pairs = VectorType::get({lanes / 2}, k.i64());
  Value c32 = k.integer(pairs, 32);
  SmallVector<int64_t> oddTwice;
  for (int64_t i = 0; i < lanes; ++i)
    oddTwice.push_back(i | 1);
  // Shifts to and fro are where LLVM sees a product of 32 bits (vpmuldq); odd
  // lanes take the place of even ones first.
  auto half = [&](Value x, bool isOdd) -> Value {
    if (isOdd)
      x = vector::ShuffleOp::create(b, x, x, oddTwice);
    x = vector::BitCastOp::create(b, pairs, x);
    x = arith::ShLIOp::create(b, x, c32);
    return arith::ShRSIOp::create(b, x, c32);
  };
  Value multiplier = entry(multipliers, channel, accumulator);
  Value offset = entry(offsets, channel, accumulator);
  auto product = [&](bool isOdd) -> Value {
    Value value = arith::MulIOp::create(b, half(accumulator, isOdd),
                                        half(multiplier, isOdd));
    value = arith::AddIOp::create(b, value, everyOther(k, offset, isOdd));
    return vector::BitCastOp::create(b, words, value);
  };
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < lanes; ++i)
    places.push_back(i % 2 ? lanes + i : i + 1);
  Value high =
      vector::ShuffleOp::create(b, product(false), product(true), places);
  return arith::ShRSIOp::create(b, high, entry(shifts, channel, accumulator));
}

Rounded RequantizeTables::round(Value accumulator, Value channel) {
  if (form == Form::Kinds)
    return {ofKinds(accumulator, channel), 0, first.clampLo, first.clampHi};
  if (form == Form::Float32) {
    // The interval fits, whatever type the sum was made in.
    if (accumulator.getType() == k.i64())
      accumulator = arith::TruncIOp::create(k.b, k.i32(), accumulator);
    return {float32(accumulator, channel), first.floatForm->origin,
            first.clampLo, first.clampHi};
  }
  Value quotient = lanesOf(accumulator) ? highHalfOfLanes(accumulator, channel)
                                        : highHalf(accumulator, channel);
  int64_t origin = isZeroInOffset ? 0 : first.zeroPoint;
  return {quotient, origin, first.clampLo, first.clampHi};
}

Value RequantizeTables::apply(Value accumulator, Value channel) {
  return codesOf(k, round(accumulator, channel));
}

Value RequantizeTables::codes(Value accumulator, Value channel,
                              eval::Element element) {
  // A single lane is a scalar to all forms.
  if (lanesOf(accumulator) == 1) {
    Value one = vector::ExtractOp::create(k.b, accumulator, int64_t(0));
    return vector::BroadcastOp::create(
        k.b, lanesLike(accumulator, k.storage(element)),
        codes(one, channel, element));
  }
  return storedCodesOf(k, round(accumulator, channel), element);
}

//===----------------------------------------------------------------------===//
// Kinds of records
//===----------------------------------------------------------------------===//

/// Where the fraction lies in the tie window, an odd quotient steps down to
/// the even one.
Value RequantizeTables::roundTies(Value value, Value quotient, Value channel) {
  auto &b = k.b;
  Value fraction =
      arith::AndIOp::create(b, value, entry(masks, channel, value));
  Value isTie = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, fraction,
                                      entry(windows, channel, value));
  Value odd =
      arith::AndIOp::create(b, quotient, k.integer(quotient.getType(), 1));
  Value even = arith::SubIOp::create(b, quotient, odd);
  return arith::SelectOp::create(b, isTie, even, quotient);
}

Value RequantizeTables::patch(Value code, Value accumulator, Value channel) {
  auto &b = k.b;
  for (int64_t i = 0; i < exceptionCount; ++i) {
    Value row = k.index(i);
    Value matches =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, accumulator,
                              entry(exceptionKeys, channel, accumulator, row));
    code = arith::SelectOp::create(
        b, matches, entry(exceptionCodes, channel, code, row), code);
  }
  return code;
}

Value RequantizeTables::fixedPoint(Value accumulator, Value channel) {
  auto &b = k.b;
  auto field = [&](Value table) { return entry(table, channel, accumulator); };
  Value product = arith::MulIOp::create(b, accumulator, field(multipliers));
  Value value = arith::AddIOp::create(b, product, field(offsets));
  Value quotient = arith::ShRSIOp::create(b, value, field(shifts));
  if (anyTie)
    quotient = roundTies(value, quotient, channel);
  // Saturate before the zero point is added in 32 bits.
  Value bounded = k.clamp(quotient, int64_t(first.clampLo) - first.zeroPoint,
                          int64_t(first.clampHi) - first.zeroPoint);
  Value code = k.narrow(bounded, eval::Element::I32);
  code = arith::AddIOp::create(b, code,
                               k.integer(code.getType(), first.zeroPoint));
  return exceptionCount ? patch(code, accumulator, channel) : code;
}

Value RequantizeTables::threshold(Value accumulator, Value channel) {
  auto &b = k.b;
  Value isDescending = entry(descending, channel, accumulator);
  isDescending =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, isDescending,
                            k.integer(isDescending.getType(), 0));
  Value negated = arith::SubIOp::create(b, k.integer(accumulator.getType(), 0),
                                        accumulator);
  Value x = arith::SelectOp::create(b, isDescending, negated, accumulator);
  Value low = entry(lows, channel, accumulator);
  return k.fold(thresholdCount, low, [&](Value iv, Value carried) -> Value {
    Value limit = entry(thresholds, channel, accumulator, iv);
    Value reached =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, limit, x);
    return arith::AddIOp::create(
        b, carried, arith::ExtUIOp::create(b, carried.getType(), reached));
  });
}

/// fl32(acc) * scale, clamped around the zero point, rounded half to even.
Value RequantizeTables::asFloat(Value accumulator, Value channel) {
  auto &b = k.b;
  FloatMath math(k, lanesOf(accumulator));
  Value value = math.toFloat(accumulator);
  Value product =
      arith::MulFOp::create(b, value, entry(scales, channel, value));
  double zeroPoint = first.zeroPoint;
  Value zero = math.i32(first.zeroPoint);
  if (first.zeroPointBeforeRounding) {
    product = math.add(product, math.f32(static_cast<float>(zeroPoint)));
    Value rounded = math.toInt32LikeX86(math.roundeven(product));
    return k.clamp(rounded, first.clampLo, first.clampHi);
  }
  Value bounded =
      math.clamp(product, first.clampLo - zeroPoint, first.clampHi - zeroPoint);
  return arith::AddIOp::create(b, nearestInt32(k, bounded), zero);
}

/// 31-bit multiplier with one or two roundings, in 64-bit arithmetic.
Value RequantizeTables::tflite(Value accumulator, Value channel,
                               bool isSingle) {
  auto &b = k.b;
  Type wide = accumulator.getType();
  auto c = [&](int64_t value) { return k.integer(wide, value); };
  Value multiplier = entry(multipliers, channel, accumulator);
  Value shift = entry(shifts, channel, accumulator);
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
                              arith::ExtUIOp::create(b, wide, isNegative));
    Value up = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, rest, half);
    scaled = arith::AddIOp::create(b, arith::ShRSIOp::create(b, high, right),
                                   arith::ExtUIOp::create(b, wide, up));
  }
  Value code = arith::AddIOp::create(b, scaled, c(first.zeroPoint));
  return k.narrow(k.clamp(code, first.clampLo, first.clampHi),
                  eval::Element::I32);
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

Value RequantizeTables::ofKinds(Value accumulator, Value channel) {
  auto &b = k.b;
  bool isOnlyFloat = present.size() == 1 && has(RequantizeKind::Float);
  if (!isOnlyFloat)
    accumulator = k.widen(accumulator, eval::Element::I32, k.i64());
  Value code = applyAs(present[0], accumulator, channel);
  for (RequantizeKind kind : llvm::drop_begin(present)) {
    Value own = entry(kinds, channel, accumulator);
    Value isKind = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, own,
        k.integer(own.getType(), static_cast<int64_t>(kind)));
    code = arith::SelectOp::create(b, isKind,
                                   applyAs(kind, accumulator, channel), code);
  }
  return code;
}
