//===- UnaryBlock.cpp - what parameter blocks compute ---------------------===//

#include "tally/quant/UnaryBlock.h"
#include "tally/quant/FixedPointFit.h"
#include "tally/quant/UnaryBlockBytes.h"

#include <algorithm>
#include <cstdlib>

using namespace tally;
using namespace tally::quant;

std::string_view quant::blockKindName(BlockKind kind) {
  switch (kind) {
  case BlockKind::Affine:
    return "affine";
  case BlockKind::TwoSlope:
    return "two-slope";
  case BlockKind::ThreeStep:
    return "three-step";
  case BlockKind::Table256:
    return "table-256";
  case BlockKind::Table:
    return "table";
  case BlockKind::Xor:
    return "xor";
  }
  return "";
}

std::string_view quant::blockFormula(BlockKind kind) {
  switch (kind) {
  case BlockKind::Affine:
    return "v = (q1 - z1) M + B; q = v >> S; if (v mod 2^S <= tie) q -= q mod "
           "2; q2 = clamp(q + z2, lo, hi)";
  case BlockKind::TwoSlope:
    return "as affine, with M, B, S and tie of `below` where q1 < z1, else of "
           "`above`";
  case BlockKind::ThreeStep:
    return "q2 = k- where q1 < z1, k0 where q1 = z1, k+ where q1 > z1";
  case BlockKind::Table256:
    return "q2 = T[q1 mod 256]";
  case BlockKind::Table:
    return "q2 = T[q1 - min], or between T[i >> spacing] and its successor in "
           "a straight line, i = q1 - min";
  case BlockKind::Xor:
    return "q2 = q1 xor mask";
  }
  return "";
}

int64_t FixedLine::round(int64_t x) const {
  return FixedPoint{multiplier, offset, shift, tieWindow}.round(x);
}

int32_t AffineBlock::apply(int64_t code) const {
  return int32_t(
      std::clamp<int64_t>(line.round(code - inputZero) + resultZero, lo, hi));
}

int32_t TwoSlopeBlock::apply(int64_t code, size_t channel) const {
  const Lines &lines = channels[channel];
  const FixedLine &line = code < inputZero ? lines.below : lines.above;
  return int32_t(
      std::clamp<int64_t>(line.round(code - inputZero) + resultZero, lo, hi));
}

int32_t ThreeStepBlock::apply(int64_t code) const {
  return code < inputZero ? below : code == inputZero ? at : above;
}

int32_t Table256Block::apply(int64_t code) const {
  return int32_t(result.fromRawBits(entries[size_t(code) & 255]));
}

int32_t TableBlock::apply(int64_t code) const {
  auto entry = [&](int64_t i) {
    return result.fromRawBits(entries[size_t(i)]);
  };
  int64_t index = code - input.min(), step = index >> spacing;
  if (spacing == 0)
    return int32_t(entry(index));
  int64_t width = int64_t(1) << spacing, rest = index & (width - 1);
  int64_t sum = entry(step) * (width - rest) + entry(step + 1) * rest;
  return int32_t((sum + width / 2) >> spacing);
}

BlockKind quant::kindOf(const UnaryBlock &block) {
  return std::visit([](const auto &b) { return b.kind; }, block);
}

CodeType quant::inputOf(const UnaryBlock &block) {
  return std::visit([](const auto &b) { return b.input; }, block);
}

int64_t quant::applyBlock(const UnaryBlock &block, int64_t code,
                          size_t channel) {
  if (const auto *slopes = std::get_if<TwoSlopeBlock>(&block))
    return slopes->apply(code, channel);
  return std::visit([&](const auto &b) -> int64_t { return b.apply(code); },
                    block);
}

UnaryTable quant::tableOf(const UnaryBlock &block, size_t channel) {
  UnaryTable table{inputOf(block),
                   std::visit([](const auto &b) { return b.result; }, block),
                   {}};
  table.codes.reserve(size_t(table.input.count()));
  for (uint32_t raw = 0; raw < table.input.count(); ++raw)
    table.codes.push_back(
        int32_t(applyBlock(block, table.input.fromRawBits(raw), channel)));
  return table;
}

static Diagnostic mismatch(const UnaryBlock &block, const std::string &what) {
  return {FailureKind::Internal,
          std::string(blockKindName(kindOf(block))) + " block " + what,
          "BLK-VERIFY",
          "",
          "",
          ""};
}

Status quant::verifyBlock(const UnaryBlock &block, const UnaryTable &ideal,
                          size_t channel) {
  Result<UnaryBlock> decoded = decodeBlock(encodeBlock(block));
  if (!decoded)
    return mismatch(block, "does not survive its encoding: " +
                               decoded.error().message);
  const auto *table = std::get_if<TableBlock>(&*decoded);
  int64_t bound = table ? table->bound : 0;
  for (uint32_t raw = 0; raw < ideal.input.count(); ++raw) {
    int64_t code = ideal.input.fromRawBits(raw);
    int64_t found = applyBlock(*decoded, code, channel);
    if (std::abs(found - ideal.codes[raw]) > bound)
      return mismatch(block, "gives " + std::to_string(found) + " for code " +
                                 std::to_string(code) + ", IDEAL is " +
                                 std::to_string(ideal.codes[raw]));
  }
  return Status::success();
}
