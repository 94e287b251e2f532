//===- Activations.h - functions that a recurrent node names ----*- C++ -*-===//
//
// Rules:
//   RNN-4  each name is one of ONNX's, and there is one for each function and
//          direction
//   RNN-5  the parameters suffice, and none is left over; they are taken in the
//          order of the functions, by those functions alone that have them
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_ACTIVATIONS_H
#define TALLY_GRAPH_IMPORT_ACTIVATIONS_H

#include "tally/graph/import/Terms.h"

namespace tally::nn {

/// A function with its parameters.
struct Activation {
  mlir::Value (*apply)(Terms &terms, mlir::Value value, float alpha,
                       float beta) = nullptr;
  float alpha = 0, beta = 0;

  mlir::Value operator()(Terms &terms, mlir::Value value) const {
    return apply(terms, value, alpha, beta);
  }
};

/// The functions of all directions, one direction's after the other's, from the
/// attributes activations, activation_alpha and activation_beta; `defaults` are
/// those of one direction.
Result<std::vector<Activation>>
activationsOf(NodeImport &node, llvm::ArrayRef<const char *> defaults,
              int64_t directions);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_ACTIVATIONS_H
