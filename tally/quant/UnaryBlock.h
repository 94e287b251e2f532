//===- UnaryBlock.h - parameters of a unary operator on codes --*- C++ -*-===//
//
// An integer unit does not compute f, it runs one of a few formulas on codes
// with parameters that were derived from f and the two grids. Each formula is a
// kind of block, and each kind a type of its own: the parameters of one mean
// nothing to another, even where they have the same name. Abs scales its
// operand by s1 / s2; Sign only compares it and knows 1 / s2.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_UNARYBLOCK_H
#define TALLY_QUANT_UNARYBLOCK_H

#include "tally/quant/UnaryTable.h"

#include <span>
#include <variant>

namespace tally::quant {

/// The value is the block's tag, its first byte (UnaryBlockBytes.h).
enum class BlockKind : uint8_t {
  Affine = 1,
  TwoSlope = 2,
  ThreeStep = 3,
  Table256 = 4,
  Table = 5,
  Xor = 6,
};
inline constexpr BlockKind allBlockKinds[] = {
    BlockKind::Affine,   BlockKind::TwoSlope, BlockKind::ThreeStep,
    BlockKind::Table256, BlockKind::Table,    BlockKind::Xor};
std::string_view blockKindName(BlockKind kind); ///< "affine", "two-slope", ...
std::string_view blockFormula(BlockKind kind);  ///< in the fields' names

/// v = x M + B; q = v >> S; if (v mod 2^S <= tie) q -= q mod 2
///
/// B holds the half that rounds. tie is -1 where a tie goes up; from 0 on,
/// fractions up to it count as ties and go to the even number.
struct FixedLine {
  int64_t offset = 0;     ///< B
  int64_t tieWindow = -1; ///< tie
  int32_t multiplier = 0; ///< M, signed
  int32_t shift = 0;      ///< S, 0 to 62

  int64_t round(int64_t x) const;
  friend bool operator==(const FixedLine &, const FixedLine &) = default;
};

/// q2 = clamp(line(q1 - z1) + z2, lo, hi): Relu, Clip, Neg, HardSigmoid, a
/// change of grid.
struct AffineBlock {
  static constexpr BlockKind kind = BlockKind::Affine;
  CodeType input, result;
  FixedLine line;
  int32_t inputZero = 0, resultZero = 0; ///< z1, z2
  int32_t lo = 0, hi = 0;                ///< inclusive

  int32_t apply(int64_t code) const;
  /// `multiplierBits`: the most bits of |M| that the unit has, 8 to 31.
  static Result<AffineBlock> derive(const UnaryFunction &function,
                                    const Grid &input, const Grid &result,
                                    int32_t multiplierBits = 31);
  friend bool operator==(const AffineBlock &, const AffineBlock &) = default;
};

/// The real slope of one channel: factor * unit.
struct RealSlope {
  float factor = 1; ///< of any sign
  float unit = 1;   ///< > 0
};

/// q2 = clamp(line(q1 - z1) + z2, lo, hi) with the line `below` where q1 < z1
/// and `above` elsewhere: Abs, LeakyRelu, PRelu with a pair per channel.
struct TwoSlopeBlock {
  static constexpr BlockKind kind = BlockKind::TwoSlope;
  struct Lines {
    FixedLine below, above;
    friend bool operator==(const Lines &, const Lines &) = default;
  };
  CodeType input, result;
  int32_t inputZero = 0, resultZero = 0; ///< z1, z2
  int32_t lo = 0, hi = 0;                ///< inclusive
  std::vector<Lines> channels;           ///< at least one

  int32_t apply(int64_t code, size_t channel = 0) const;
  static Result<TwoSlopeBlock> derive(const UnaryFunction &function,
                                      const Grid &input, const Grid &result,
                                      int32_t multiplierBits = 31);
  /// x < 0 ? slope * x : x, one channel for each slope.
  static Result<TwoSlopeBlock> derive(std::span<const RealSlope> below,
                                      const Grid &input, const Grid &result,
                                      int32_t multiplierBits = 31);
  friend bool operator==(const TwoSlopeBlock &,
                         const TwoSlopeBlock &) = default;
};

/// q2 = below, at or above as q1 is less than, equal to or greater than z1:
/// Sign.
struct ThreeStepBlock {
  static constexpr BlockKind kind = BlockKind::ThreeStep;
  CodeType input, result;
  int32_t inputZero = 0;                ///< z1
  int32_t below = 0, at = 0, above = 0; ///< k-, k0, k+

  int32_t apply(int64_t code) const;
  static Result<ThreeStepBlock> derive(const UnaryFunction &function,
                                       const Grid &input, const Grid &result);
  friend bool operator==(const ThreeStepBlock &,
                         const ThreeStepBlock &) = default;
};

/// q2 = T[q1 mod 256]: any function of codes of at most 8 bits. 4-bit codes
/// repeat their 16 entries, so that the index needs no mask.
struct Table256Block {
  static constexpr BlockKind kind = BlockKind::Table256;
  CodeType input, result;
  std::vector<uint8_t> entries; ///< 256, the results' own bits

  int32_t apply(int64_t code) const;
  static Result<Table256Block> derive(const UnaryFunction &function,
                                      const Grid &input, const Grid &result);
  static Result<Table256Block> of(const UnaryTable &table);
  friend bool operator==(const Table256Block &,
                         const Table256Block &) = default;
};

/// Any function of codes of at most 16 bits. With i = q1 - (smallest code),
/// k = spacing:
///
///   k = 0   q2 = T[i]
///   k > 0   q2 = (T[i >> k] (2^k - r) + T[(i >> k) + 1] r + 2^(k-1)) >> k,
///           r = i mod 2^k
///
/// `bound` is the largest difference to IDEAL over all codes, in codes; 0 for
/// k = 0.
struct TableBlock {
  static constexpr BlockKind kind = BlockKind::Table;
  CodeType input, result;
  int32_t bound = 0;
  int32_t spacing = 0;           ///< k, 0 to 8
  std::vector<uint16_t> entries; ///< (codes >> k) + (k > 0), the results' bits

  int32_t apply(int64_t code) const;
  static Result<TableBlock> derive(const UnaryFunction &function,
                                   const Grid &input, const Grid &result,
                                   int32_t spacing = 0);
  static TableBlock of(const UnaryTable &table, int32_t spacing = 0);
  friend bool operator==(const TableBlock &, const TableBlock &) = default;
};

/// q2 = q1 xor mask: Not, BitwiseNot, and Neg between grids of one scale whose
/// zero points mirror each other (z2 = -1 - z1, for unsigned codes max - z1).
struct XorBlock {
  static constexpr BlockKind kind = BlockKind::Xor;
  CodeType input, result;
  int64_t mask = 0; ///< sign-extended where the type is signed

  int64_t apply(int64_t code) const { return code ^ mask; }
  static Result<XorBlock> derive(const UnaryFunction &function,
                                 const Grid &input, const Grid &result);
  /// Every bit of a plain integer of up to 64 bits.
  static XorBlock flipAll(CodeType type);
  /// A boolean, the byte 0 or 1.
  static XorBlock flipBoolean();
  friend bool operator==(const XorBlock &, const XorBlock &) = default;
};

/// Exactly one kind.
using UnaryBlock = std::variant<AffineBlock, TwoSlopeBlock, ThreeStepBlock,
                                Table256Block, TableBlock, XorBlock>;
BlockKind kindOf(const UnaryBlock &block);
CodeType inputOf(const UnaryBlock &block);
/// The block's meaning; `channel` matters to TwoSlope alone.
int64_t applyBlock(const UnaryBlock &block, int64_t code, size_t channel = 0);
/// applyBlock for every code, as a table.
UnaryTable tableOf(const UnaryBlock &block, size_t channel = 0);

/// Each `derive` fails with the rules of buildUnaryTable, and with
///   BLK-KIND   the kind has no formula for this function
///   BLK-FIT    no integers of the block's widths give IDEAL on all codes: the
///              message names the first code that is missed
///   BLK-WIDTH  codes have more bits than the kind's entries
///
/// The first of `kinds` that fits, verified. Outside of Profile::Ideal only the
/// tables follow the profile's own arithmetic, so only they are tried. Fails
/// with the reasons of all kinds when none fits.
Result<UnaryBlock> deriveBlock(const UnaryFunction &function, const Grid &input,
                               const Grid &result,
                               std::span<const BlockKind> kinds,
                               Profile profile = Profile::Ideal);

/// Encodes the block, decodes the bytes and compares with IDEAL on every code:
/// equal, or for an interpolated table within its bound. Otherwise BLK-VERIFY,
/// an internal error that names the first code. `channel` as in applyBlock.
Status verifyBlock(const UnaryBlock &block, const UnaryTable &ideal,
                   size_t channel = 0);

} // namespace tally::quant

#endif // TALLY_QUANT_UNARYBLOCK_H
