//===- Attribution.h - why an element has another code ----------*- C++ -*-===//
//
// Two executors gave one element different codes. Evidence is gathered by
// computing the element again from the reference's own operands, under each
// rule that the reference may follow; a rule explains the difference only if it
// gives exactly the reference's code. The one rule without an exact outcome is
// fp32 sums in unknown order. Where the reference shows the sum, quantizing it
// must give its code and the exact value must lie within the stated error bound
// of it; where it does not, the exact value must lie within that bound of the
// boundary that the reference crossed.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REPORT_ATTRIBUTION_H
#define TALLY_REPORT_ATTRIBUTION_H

#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace tally::report {

enum class Rule {
#define TALLY_DIFFERENCE_RULE(NAME, CODE, MEANING) NAME,
#include "tally/report/DifferenceRules.def"
};

inline constexpr size_t kRuleCount = 0
#define TALLY_DIFFERENCE_RULE(NAME, CODE, MEANING) +1
#include "tally/report/DifferenceRules.def"
    ;

struct RuleRow {
  Rule rule;
  const char *code;    ///< "TIE-FP32"
  const char *meaning; ///< lower case, without a final stop
};

/// All rules, in the order of the table.
std::span<const RuleRow> ruleRows();
const RuleRow &rowOf(Rule rule);

/// Rules by number.
using RuleSet = std::bitset<kRuleCount>;
RuleSet rules(std::initializer_list<Rule> list);

/// Exact values are known in units of 2^-40 of a step of the grid.
inline constexpr int kFineBits = 40;

/// The grid of a code tensor, without its scale.
struct CodeGrid {
  int64_t zeroPoint = 0, qmin = -128, qmax = 127; ///< both ends included
  /// What the reference adds to a code to store it: 128 for an int8 code that
  /// it keeps as uint8.
  int64_t storedHigher = 0;
};

/// What is known about one element whose codes differ.
struct CodeEvidence {
  int64_t ours = 0, reference = 0;
  /// What the reference may follow, going by what is known of it.
  RuleSet possible = RuleSet().set();
  /// From here on: computed from the reference's own operands.
  int64_t local = 0; ///< our rule's code
  /// Whether an operand of the node differs between the two executors.
  bool operandsDiffer = false;
  /// The float that the reference quantized, where it shows it: over the
  /// scale, times 2^kFineBits, and its code by an fp32 Quantize.
  std::optional<int64_t> shown, shownCode;
  std::optional<int64_t> fp32Scale; ///< code under onnxruntime's kernels
  /// Code under the kernel that it put in the place of several float operators.
  std::optional<int64_t> integerKernel;
  std::optional<int64_t> doubleRounding; ///< code under TFLite's kernels
  std::optional<int64_t> inFloat;        ///< fp32 operator, then fp32 Quantize
  /// The exact real over the scale, before rounding and zero point, times
  /// 2^kFineBits.
  std::optional<int64_t> exact;
  /// How far an fp32 computation in any order may be from `exact`, in the same
  /// unit.
  std::optional<int64_t> floatBound;
};

/// The rule that gives the reference's code, or nothing.
std::optional<Rule> attribute(const CodeEvidence &evidence,
                              const CodeGrid &grid);

} // namespace tally::report

#endif // TALLY_REPORT_ATTRIBUTION_H
