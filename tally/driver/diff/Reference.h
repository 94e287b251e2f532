//===- Reference.h - whose tensors ours are compared with -------*- C++ -*-===//
//
// What `tally diff --ref` names:
//
//   onnxruntime   that runtime through its Python package, on the same inputs,
//                 every tensor shown
//   FILE.onnx     another model, usually the float original, in the exact
//                 evaluator; its reals become codes on our grids
//   FILE.npz      tensors by name, whoever made them
//
// Rules: DIFF-1 the reference is one of these (Usage); DIFF-2 the Python
// packages onnxruntime and onnx can be imported (System); DIFF-3 the runtime
// accepts the model and its inputs (Unsupported); DIFF-4 another model takes
// our inputs (Model).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_DIFF_REFERENCE_H
#define TALLY_DRIVER_DIFF_REFERENCE_H

#include "tally/driver/ModelArguments.h"
#include "tally/driver/diff/FindDifferences.h"

namespace tally {

/// What a reference is asked for.
struct ReferenceRequest {
  std::string source; ///< onnxruntime, FILE.onnx or FILE.npz
  ModelArguments model;
  bool optimized = false;      ///< onnxruntime with its graph optimizations
  mlir::func::FuncOp function; ///< the graph as imported
  std::vector<eval::Tensor> inputs; ///< one per argument of `function`
};

Result<Reference> makeReference(const ReferenceRequest &request);

/// onnxruntime's part of it.
Result<Reference> onnxruntimeReference(const ReferenceRequest &request);

} // namespace tally

#endif // TALLY_DRIVER_DIFF_REFERENCE_H
