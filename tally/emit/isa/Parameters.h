//===- Parameters.h - parameter blocks in memory ----------------*- C++ -*-===//
//
// What the field `params` of a command points to; read during execution. All
// numbers are little-endian. Blocks of one formula for unary operators are
// those of tally/quant/UnaryBlockBytes.h; the others are here and begin with
//
//   0  tag       u8   ParameterKind
//   1  reserved  u8   0, three times
//   4  size      u32  bytes of the whole block, a multiple of 8
//
// Tags differ from those of unary blocks. parameterFields lists all fields.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ISA_PARAMETERS_H
#define TALLY_EMIT_ISA_PARAMETERS_H

#include "tally/machine/Machine.h"
#include "tally/quant/LinearCombine.h"
#include "tally/quant/Requantize.h"
#include "tally/quant/UnaryBlock.h"

#include <span>
#include <variant>

namespace tally::isa {

/// The first byte of a block.
enum class ParameterKind : uint8_t {
  Requantize = 16,
  Linear = 17,
  Product = 18,
  Softmax = 19,
  Bias = 32,     ///< stage
  Clamp = 33,    ///< stage
  Second = 34,   ///< stage
  Epilogue = 48, ///< stages
};

/// v = x multiplier + offset; q = v >> shift;
/// if ((v mod 2^shift) <= tie) q -= q mod 2, both signed.
/// All arithmetic of blocks is modulo 2^64 unless it says otherwise.
struct FixedPoint {
  int64_t multiplier = 0, offset = 0;
  int64_t tie = -1;
  int64_t shift = 0; ///< 0 to 62
  int64_t round(int64_t x) const;
  friend bool operator==(const FixedPoint &, const FixedPoint &) = default;
};

/// code = clamp(records[channel].round(x) + zero, lo, hi), records[0] where
/// there is only one.
struct RequantizeBlock {
  static constexpr ParameterKind kind = ParameterKind::Requantize;
  int32_t zero = 0, lo = 0, hi = 0;
  std::vector<FixedPoint> records; ///< at least one

  int64_t apply(int64_t x, size_t channel = 0) const;
  /// One channel for each record. ISA-RECORD (Unsupported) for a record that
  /// is not in fixed point, has exceptions, or differs in zero point or clamp.
  static Result<RequantizeBlock>
  from(std::span<const quant::RequantizeRecord> records);
  friend bool operator==(const RequantizeBlock &,
                         const RequantizeBlock &) = default;
};

/// code = clamp(q + zero, lo, hi) with v = a multiplierA + b multiplierB +
/// offset and q from v as in FixedPoint.
struct LinearBlock {
  static constexpr ParameterKind kind = ParameterKind::Linear;
  int64_t multiplierA = 0, multiplierB = 0, offset = 0;
  int64_t tie = -1;
  int32_t shift = 0;
  int32_t zero = 0, lo = 0, hi = 0;

  int64_t apply(int64_t a, int64_t b) const;
  /// ISA-RECORD (Unsupported): not in fixed point, or with exceptions.
  static Result<LinearBlock> from(const quant::LinearRecord &record);
  friend bool operator==(const LinearBlock &, const LinearBlock &) = default;
};

/// code = requantize.apply((a - zeroA) (b - zeroB), channel).
struct ProductBlock {
  static constexpr ParameterKind kind = ParameterKind::Product;
  int32_t zeroA = 0, zeroB = 0;
  RequantizeBlock requantize;

  int64_t apply(int64_t a, int64_t b, size_t channel = 0) const;
  friend bool operator==(const ProductBlock &, const ProductBlock &) = default;
};

/// With S the sum of exponentials of a line and t one of them,
/// code = clamp(rhe(t numerator / (S denominator)) + zero, lo, hi). The
/// quotient 1 / resultScale = numerator / denominator is exact: both are
/// integers below 2^62 of which one is a power of two, and the product with t
/// or S takes 128 bits.
struct SoftmaxBlock {
  static constexpr ParameterKind kind = ParameterKind::Softmax;
  int64_t numerator = 1, denominator = 1;
  int32_t zero = 0, lo = 0, hi = 0;
  /// rhe(2^30 exp(-inputScale d)) for the distance d of a code from the
  /// largest: quant::exponentials30.
  std::vector<int32_t> exponentials; ///< 256

  int64_t apply(int64_t t, int64_t sum) const;
  /// Scales finite and positive; ISA-SCALE (Unsupported) when the result's has
  /// no quotient as above.
  static Result<SoftmaxBlock> derive(float inputScale, float resultScale,
                                     quant::CodeType result, int32_t zero);
  friend bool operator==(const SoftmaxBlock &, const SoftmaxBlock &) = default;
};

/// Stage: v = v + bias[channel].
struct BiasStage {
  static constexpr ParameterKind kind = ParameterKind::Bias;
  /// One for each channel; bytes hold an even number of them.
  std::vector<int32_t> bias;
  friend bool operator==(const BiasStage &, const BiasStage &) = default;
};
/// Stage: v = clamp(v, lo, hi).
struct ClampStage {
  static constexpr ParameterKind kind = ParameterKind::Clamp;
  int32_t lo = 0, hi = 0;
  friend bool operator==(const ClampStage &, const ClampStage &) = default;
};
/// Stage: out2 receives v, which goes on unchanged.
struct SecondStage {
  static constexpr ParameterKind kind = ParameterKind::Second;
  friend bool operator==(const SecondStage &, const SecondStage &) = default;
};

/// A stage of the output stage takes v to v: a requantization (a second grid is
/// a second one), a unary block (a table, ...), a linear record with a = v and
/// b = the residual, a product likewise, or one of the three above. Channels
/// of blocks count over all groups.
using Stage = std::variant<BiasStage, RequantizeBlock, quant::UnaryBlock,
                           LinearBlock, ProductBlock, ClampStage, SecondStage>;

/// What params of a matrix command holds: stages in order, at most 15.
struct EpilogueBlock {
  static constexpr ParameterKind kind = ParameterKind::Epilogue;
  std::vector<Stage> stages;
  bool usesResidual() const; ///< has a linear or product stage
  bool usesSecond() const;
  friend bool operator==(const EpilogueBlock &,
                         const EpilogueBlock &) = default;
};

using ParameterBlock = std::variant<RequantizeBlock, LinearBlock, ProductBlock,
                                    SoftmaxBlock, EpilogueBlock>;

/// PAR-UNIT: a multiplier or offset is wider than the machine's requantize unit
/// for codes of [lo, hi], 8 bits where they lie in [-128, 255].
Status checkWidths(const ParameterBlock &block,
                   const machine::Machine &machine);

std::vector<uint8_t> encodeParameters(const ParameterBlock &block);

/// Inverse of encodeParameters. Failures are of kind Model:
///   PAR-BYTES  no such block: too few bytes, an unknown tag, a size that is
///              not the number of bytes
///   PAR-VALUE  a field holds what no block has: a reserved bit, a shift beyond
///              62, bounds in the wrong order, no records, too many stages
Result<ParameterBlock> decodeParameters(std::span<const uint8_t> bytes);

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_PARAMETERS_H
