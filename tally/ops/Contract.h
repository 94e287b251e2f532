//===- Contract.h - what an operator promises -------------------*- C++ -*-===//
//
// One record per operator of the nn dialect, made from the fields of its
// definition (ContractBase.td) by scripts/generate-contracts when Tally is
// built. `tally ops` prints it, the CPU back end takes the kinds of parameter
// blocks from it, and ContractTest.cpp holds every operator to it. Plain C++.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_CONTRACT_H
#define TALLY_OPS_CONTRACT_H

#include "tally/quant/UnaryBlock.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tally::nn {

/// A constraint that the verifier checks and reports with its label.
struct ContractRule {
  std::string_view label, text;
};

/// Operands (for a reduction: the elements) and the result they give; words as
/// in ContractBase.td. `on`: "", "float" or "integer".
struct SpecialValue {
  std::vector<std::string_view> operands;
  std::string_view result, on;
};

/// Tensors and what they give, as Nn_Example in ContractBase.td writes them.
struct TensorExample {
  std::vector<std::string_view> operands, results;
  std::string_view attributes, on;
};

/// How a function of one real runs, in words: see Course.
struct CourseText {
  std::string_view condition; ///< over the attributes; empty: always, or else
  std::vector<std::string_view> pieces, turns;
  std::string_view low, high;
};

enum class Direction {
  Up,   ///< never falls
  Down, ///< never rises
  None,
};

/// How f runs for given attributes: pieces[i] from turns[i - 1], inclusive, to
/// turns[i], exclusive; all values lie in [low, high].
struct Course {
  std::vector<Direction> pieces;
  std::vector<double> turns;
  double low, high;
};

/// What a field of a parameter block is made of. "M" stands for M / 2^S, "B"
/// for B / 2^S without the half that rounds; both up to the derivation's choice
/// among integers that give the same codes.
struct DerivedField {
  std::string_view field, value;
};

struct BlockContract {
  quant::BlockKind kind;
  std::vector<DerivedField> derived;
};

/// Quantizations that a result may have.
enum class ResultGrid {
  None, ///< the result is plain
  Same, ///< the input's
  Free, ///< any; one rounding onto it
};
std::string_view resultGridName(ResultGrid grid); ///< "none", "same", "free"

/// Attributes by name; booleans are 0 and 1.
using Parameters = std::map<std::string_view, double>;

/// The two grids that a block is derived for.
struct GridPair {
  quant::Grid input, result;
  /// The result's code of a real, in double precision: a witness for tests.
  double codeOf(double real) const;
};

using FieldValues = std::vector<std::pair<std::string_view, double>>;

struct Contract {
  std::string_view name;               ///< "abs"
  std::vector<std::string_view> kinds; ///< element kinds: "float", "codes", ..
  std::string_view elements;           ///< the same, or a text
  std::vector<ContractRule> rules;     ///< its own, then its family's
  std::vector<SpecialValue> specials;
  std::vector<TensorExample> examples;
  std::string_view specialNote;
  std::vector<CourseText> courses; ///< of functions of one real
  std::string_view monotone;       ///< of all others
  std::string_view range;
  ResultGrid resultGrid;
  std::string_view gridNote;
  std::vector<BlockContract> blocks; ///< the first that fits is taken

  /// `courses` and `blocks` evaluated; empty functions where there are none.
  std::function<Course(const Parameters &)> course;
  std::function<FieldValues(quant::BlockKind, const GridPair &,
                            const Parameters &)>
      fieldValues;

  bool accepts(std::string_view kind) const;
  std::vector<quant::BlockKind> blockKinds() const;
};

/// All records, by name.
const std::vector<Contract> &contracts();

/// The record of an operator without its dialect's name, or null.
const Contract *findContract(std::string_view name);

} // namespace tally::nn

#endif // TALLY_OPS_CONTRACT_H
