//===- AllNodes.h - comparing what is inside a graph ------------*- C++ -*-===//
//
// `tally run --all-nodes`: the tensors that the compiled form keeps become
// outputs of it, and the evaluator, running the graph as imported, is asked for
// the tensors of the same names.
//
// An operation that a node became only in part may carry the node's tensor
// name, too; of several the last in program order is the tensor.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_ALLNODES_H
#define TALLY_DRIVER_ALLNODES_H

#include "tally/driver/tensors/Comparison.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <string>

namespace tally {

/// The tensors that have a name in the model and are made by no constant, in
/// program order.
llvm::MapVector<llvm::StringRef, mlir::Value>
namedTensors(mlir::func::FuncOp function);

/// Appends to the results of `function` every tensor that has a name in the
/// model, is made by an operation that is no constant, and is no result yet.
/// Returns how many.
size_t exposeTensors(mlir::func::FuncOp function);

/// Compares tensors by name as an evaluator computes them.
class NodeComparison {
public:
  /// `tensors` are what the compiled form made, by the model's names;
  /// `function` is the graph that the evaluator will run.
  NodeComparison(std::map<std::string, eval::Tensor> tensors,
                 mlir::func::FuncOp function);

  /// One tensor of the evaluator's; compared if one of that name and type is
  /// known.
  void observe(mlir::Value value, const eval::Tensor &tensor);

  int64_t compared = 0;  ///< tensors seen on both sides
  int64_t different = 0; ///< of these
  /// The first of them in program order: node, tensor and difference.
  std::string firstNode, firstTensor, firstText;

  /// Tensors of the compiled form that the evaluator never showed.
  int64_t missing() const { return static_cast<int64_t>(tensors.size()); }

private:
  std::map<std::string, eval::Tensor> tensors;
  llvm::DenseMap<mlir::Value, std::string> names;
};

} // namespace tally

#endif // TALLY_DRIVER_ALLNODES_H
