//===- SupportedOperators.h - what the importer reads -----------*- C++ -*-===//

#ifndef TALLY_GRAPH_IMPORT_SUPPORTEDOPERATORS_H
#define TALLY_GRAPH_IMPORT_SUPPORTEDOPERATORS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tally::nn {

/// A model's operator that has an import row.
struct SupportedOperator {
  std::string domain; ///< "" for ONNX's own
  std::string opType;
  int64_t sinceOpset = 0;

  /// "Conv" or "com.microsoft.QGemm".
  std::string fullName() const {
    return domain.empty() ? opType : domain + "." + opType;
  }
};

/// All of them, by full name and operator set.
std::vector<SupportedOperator> supportedOperators();

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_SUPPORTEDOPERATORS_H
