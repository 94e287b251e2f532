//===- Parameters.cpp - the meaning of parameter blocks -------------------===//

#include "tally/emit/isa/Parameters.h"
#include "tally/quant/Exponentials.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::isa;

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

// Modulo 2^64, as hardware does and without undefined behaviour.
static int64_t times(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}
static int64_t plus(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}

/// v >> shift, to the even number where the fraction is at most `tie`.
static int64_t roundShift(int64_t v, int64_t shift, int64_t tie) {
  int64_t q = v >> shift;
  int64_t fraction = v & ((int64_t(1) << shift) - 1);
  return fraction <= tie ? q - (q & 1) : q;
}

int64_t FixedPoint::round(int64_t x) const {
  return roundShift(plus(times(x, multiplier), offset), shift, tie);
}

int64_t RequantizeBlock::apply(int64_t x, size_t channel) const {
  const FixedPoint &record =
      records.size() == 1 ? records[0] : records[channel];
  return std::clamp<int64_t>(plus(record.round(x), zero), lo, hi);
}

int64_t LinearBlock::apply(int64_t a, int64_t b) const {
  int64_t v = plus(plus(times(a, multiplierA), times(b, multiplierB)), offset);
  return std::clamp<int64_t>(plus(roundShift(v, shift, tie), zero), lo, hi);
}

int64_t SoftmaxBlock::apply(int64_t t, int64_t sum) const {
  __int128 top = __int128(t) * numerator, bottom = __int128(sum) * denominator;
  __int128 quotient = top / bottom, rest = 2 * (top % bottom);
  if (rest > bottom || (rest == bottom && (quotient & 1) != 0))
    ++quotient;
  return int64_t(std::clamp<__int128>(quotient + zero, lo, hi));
}

bool EpilogueBlock::usesResidual() const {
  return std::ranges::any_of(stages, [](const Stage &stage) {
    return std::holds_alternative<LinearBlock>(stage) ||
           std::holds_alternative<ProductBlock>(stage);
  });
}

bool EpilogueBlock::usesSecond() const {
  return std::ranges::any_of(stages, [](const Stage &stage) {
    return std::holds_alternative<SecondStage>(stage);
  });
}

int64_t ProductBlock::apply(int64_t a, int64_t b, size_t channel) const {
  return requantize.apply(
      times(plus(a, -int64_t(zeroA)), plus(b, -int64_t(zeroB))), channel);
}

//===----------------------------------------------------------------------===//
// Widths of units
//===----------------------------------------------------------------------===//

static Diagnostic tooWide(std::string message) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "PAR-UNIT";
  failure.message = std::move(message);
  return failure;
}

/// Whether the machine's unit for results in [lo, hi] has the bits.
static Status checkUnit(int32_t lo, int32_t hi, int64_t multiplier,
                        int64_t offset, const machine::Machine &machine) {
  int64_t bits = lo >= -128 && hi <= 255 ? 8 : 16;
  const machine::RequantizeUnit *unit = machine.requantizeFor(bits);
  if (!unit)
    return tooWide("machine '" + machine.name +
                   "' has no requantize unit for results of " +
                   std::to_string(bits) + " bits");
  if (llvm::isIntN(unsigned(unit->multiplierBits), multiplier) &&
      llvm::isIntN(unsigned(unit->offsetBits), offset))
    return Status::success();
  return tooWide("multiplier " + std::to_string(multiplier) + " and offset " +
                 std::to_string(offset) + " do not fit the " +
                 std::to_string(unit->multiplierBits) + " and " +
                 std::to_string(unit->offsetBits) +
                 " bits of the requantize unit for results of " +
                 std::to_string(bits) + " bits");
}

static Status checkStage(const RequantizeBlock &block,
                         const machine::Machine &machine) {
  for (const FixedPoint &record : block.records)
    if (Status status = checkUnit(block.lo, block.hi, record.multiplier,
                                  record.offset, machine);
        !status)
      return status;
  return Status::success();
}
static Status checkStage(const ProductBlock &block,
                         const machine::Machine &machine) {
  return checkStage(block.requantize, machine);
}
static Status checkStage(const LinearBlock &block,
                         const machine::Machine &machine) {
  for (int64_t multiplier : {block.multiplierA, block.multiplierB})
    if (Status status =
            checkUnit(block.lo, block.hi, multiplier, block.offset, machine);
        !status)
      return status;
  return Status::success();
}
/// Other stages and blocks use no requantize unit.
template <class Other>
static Status checkStage(const Other &, const machine::Machine &) {
  return Status::success();
}
static Status checkStage(const EpilogueBlock &block,
                         const machine::Machine &machine) {
  for (const Stage &stage : block.stages)
    if (Status status = std::visit(
            [&](const auto &one) { return checkStage(one, machine); }, stage);
        !status)
      return status;
  return Status::success();
}

Status tally::isa::checkWidths(const ParameterBlock &block,
                               const machine::Machine &machine) {
  return std::visit([&](const auto &one) { return checkStage(one, machine); },
                    block);
}

//===----------------------------------------------------------------------===//
// From records
//===----------------------------------------------------------------------===//

static Diagnostic unsupported(const char *rule, std::string message,
                              std::string hint = {}) {
  Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = rule;
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

Result<RequantizeBlock>
RequantizeBlock::from(std::span<const quant::RequantizeRecord> records) {
  if (records.empty())
    return unsupported("ISA-RECORD", "a requantization has no record");
  const quant::RequantizeRecord &first = records.front();
  RequantizeBlock block{first.zeroPoint, first.clampLo, first.clampHi, {}};
  for (const quant::RequantizeRecord &record : records) {
    if (record.kind != quant::RequantizeKind::FixedPoint ||
        !record.exceptions.empty())
      return unsupported("ISA-RECORD",
                         "the requantization is " +
                             std::string(certificateName(record.certificate)) +
                             " by more than a multiplication and a shift",
                         "derive it with canPatch = false");
    if (record.zeroPoint != block.zero || record.clampLo != block.lo ||
        record.clampHi != block.hi)
      return unsupported("ISA-RECORD",
                         "channels differ in zero point or clamp");
    block.records.push_back(
        {record.multiplier, record.offset, record.tieWindow, record.shift});
  }
  return block;
}

Result<LinearBlock> LinearBlock::from(const quant::LinearRecord &record) {
  if (record.kind != quant::LinearKind::FixedPoint ||
      !record.exceptions.empty())
    return unsupported("ISA-RECORD",
                       "the sum is " +
                           std::string(certificateName(record.certificate)) +
                           " by more than multiplications and a shift");
  return LinearBlock{record.multiplierA, record.multiplierB, record.offset,
                     record.tieWindow,   record.shift,       record.zeroPoint,
                     record.clampLo,     record.clampHi};
}

Result<SoftmaxBlock> SoftmaxBlock::derive(float inputScale, float resultScale,
                                          quant::CodeType result,
                                          int32_t zero) {
  // resultScale = mantissa 2^exponent with an odd mantissa below 2^24.
  int exponent = 0;
  auto mantissa = int64_t(std::ldexp(std::frexp(resultScale, &exponent), 24));
  exponent -= 24;
  for (; mantissa % 2 == 0; mantissa /= 2)
    ++exponent;
  if (exponent < -61 || exponent > 37)
    return unsupported("ISA-SCALE", "a softmax of result scale " +
                                        std::to_string(resultScale) +
                                        " has no quotient of 62 bits");
  SoftmaxBlock block;
  block.numerator = exponent < 0 ? int64_t(1) << -exponent : 1;
  block.denominator = exponent > 0 ? mantissa << exponent : mantissa;
  block.zero = zero;
  block.lo = int32_t(result.min());
  block.hi = int32_t(result.max());
  block.exponentials = quant::exponentials30(inputScale, 256);
  return block;
}
