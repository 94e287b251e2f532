//===- OpsCatalog.h - the operators and their contracts ---------*- C++ -*-===//
//
// Everything comes from the operators' definitions (ops/*.td), by way of the
// documentation that TableGen makes of them at build time.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_OPSCATALOG_H
#define TALLY_DRIVER_OPSCATALOG_H

#include <string>
#include <string_view>
#include <vector>

namespace tally {

struct OperatorField {
  std::string name, type;
};

struct OperatorContract {
  std::string name;    ///< "conv", without "nn."
  std::string summary; ///< one line
  std::string text;    ///< shapes, meanings, rules
  std::vector<std::string> operands, results;
  std::vector<OperatorField> attributes;
  bool isQuantizable = false; ///< can be the core of a quantized group
  bool isTable = false;       ///< a table on codes
};

/// Parses TableGen's operator documentation.
std::vector<OperatorContract> parseContracts(std::string_view documentation);

/// The nn operator that a model's operator is named after: QLinearConv and
/// ConvInteger after conv; null when there is none.
const OperatorContract *
contractNamedLike(const std::vector<OperatorContract> &contracts,
                  const std::string &modelOperator);

} // namespace tally

#endif // TALLY_DRIVER_OPSCATALOG_H
