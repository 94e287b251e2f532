//===- Expression.h - numbers in assembly -----------------------*- C++ -*-===//

#ifndef TALLY_EMIT_ASM_EXPRESSION_H
#define TALLY_EMIT_ASM_EXPRESSION_H

#include "tally/emit/asm/Line.h"

#include <cstdint>
#include <map>
#include <optional>

namespace tally::isa {

/// A label: its section and offset there.
struct LabelPlace {
  int64_t space = 0; ///< as Symbol::space
  int64_t offset = 0;
  uint32_t line = 0;
};
using Labels = std::map<std::string, LabelPlace, std::less<>>;

/// The value of
///
///   expression = ['-'] term (('+' | '-') term)*
///   term = number | label | '%hi(' expression ')' | '%lo(' expression ')'
///        | '%f32(' decimal ')'
///
/// A label is its offset in its section. %lo is the low 12 bits, signed, and
/// %hi what `lui` then has to load, so that (%hi(x) << 12) + %lo(x) = x; %f32
/// the bits of the nearest f32. Failures: ASM-1, ASM-4.
Result<int64_t> takeExpression(Line &line, const Labels &labels);

/// A number alone, decimal or 0x; nothing if the word is none.
std::optional<int64_t> numberOf(std::string_view word);

} // namespace tally::isa

#endif // TALLY_EMIT_ASM_EXPRESSION_H
