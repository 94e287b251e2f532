//===- Formula.h - timing formulas of the tables ----------------*- C++ -*-===//
//
// The tables state times as text, which is what the reference prints and what
// is evaluated: integers, names (letters, digits and dots), + - *, parentheses,
// ceil(a / b), max(a, b), and if(c, a, b), which is a where c is not 0.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ISA_FORMULA_H
#define TALLY_EMIT_ISA_FORMULA_H

#include "tally/support/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tally::isa {

class Formula {
public:
  /// An Internal failure says where the text has no such form.
  static Result<Formula> parse(std::string_view text);

  /// Each name once, in the order of first use.
  const std::vector<std::string> &variables() const { return names; }

  /// values[i] is that of variables()[i]. Saturates; b of ceil(a / b) is
  /// positive wherever it is evaluated.
  int64_t evaluate(std::span<const int64_t> values) const;

private:
  friend class FormulaParser;
  enum class Operation : uint8_t { Number, Name, Add, Sub, Mul, Ceil, Max, If };
  struct Node {
    Operation operation;
    int64_t number = 0;           ///< Number: it; Name: place in names
    uint32_t a = 0, b = 0, c = 0; ///< places of operands
  };
  int64_t evaluate(uint32_t node, std::span<const int64_t> values) const;

  std::vector<Node> nodes;
  uint32_t root = 0;
  std::vector<std::string> names;
};

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_FORMULA_H
