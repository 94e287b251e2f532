//===- FusedKernel.h - float nodes that became one on codes -----*- C++ -*-===//
//
// onnxruntime's optimizer replaces some nodes between Dequantize and Quantize
// by one kernel on codes, where the model means floats:
//
//   Q(Softmax(DQ(x)))              QLinearSoftmax
//   Q(Add(MatMul(DQ(x), DQ(w)), DQ(b)))    QGemm
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_DIFF_FUSEDKERNEL_H
#define TALLY_DRIVER_DIFF_FUSEDKERNEL_H

#include "tally/eval/Step.h"

namespace tally {

/// The codes that onnxruntime's kernel `maker` gives in the place of the nodes
/// that make `codes`, from the tensors that `tensorOf` gives. Nothing when they
/// are not the nodes that this kernel replaces.
std::optional<eval::Tensor>
fusedKernel(llvm::StringRef maker, mlir::Value codes, eval::TensorOf tensorOf);

} // namespace tally

#endif // TALLY_DRIVER_DIFF_FUSEDKERNEL_H
