//===- Summary.h - a tensor in a few lines ----------------------*- C++ -*-===//

#ifndef TALLY_DRIVER_TENSORS_SUMMARY_H
#define TALLY_DRIVER_TENSORS_SUMMARY_H

#include "tally/runtime/Interface.h"

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
}
} // namespace llvm

namespace tally {

/// "1x3x224x224"; "scalar" for an empty shape.
std::string shapeText(const eval::Shape &shape);

/// "float32 1x10", "int8 1x10 codes, scale 0.5, zero point -3",
/// "... 64 scales along axis 0".
std::string typeText(const runtime::TensorInterface &tensor);

/// Facts worth a glance. Floats ignore NaN in the extremes and count it.
struct TensorSummary {
  double min = 0, max = 0; ///< 0 when there is no element (but NaN)
  int64_t nans = 0;
  std::vector<double> first; ///< up to 8 elements
  /// Positions of the 5 greatest, greatest first, equal ones in order; only of
  /// a vector (all dimensions but the last are 1) of more than 5 elements.
  std::vector<int64_t> top;
};
TensorSummary summarize(const eval::Tensor &tensor);

/// Two or three lines.
void printSummary(llvm::raw_ostream &os,
                  const runtime::TensorInterface &interface,
                  const eval::Tensor &tensor);

/// The members of an open JSON object: name, type, shape, min, max, ...
void writeSummary(llvm::json::OStream &os,
                  const runtime::TensorInterface &interface,
                  const eval::Tensor &tensor);

} // namespace tally

#endif // TALLY_DRIVER_TENSORS_SUMMARY_H
