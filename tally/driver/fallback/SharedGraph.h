//===- SharedGraph.h - a graph that is cut into segments --------*- C++ -*-===//
//
// The function of a model as the partition sees it, nodes and tensors by
// number, and parts of it as modules of their own.
//
// Constants belong to whoever reads them and are copied. A constant that the
// model returns is a node.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_FALLBACK_SHAREDGRAPH_H
#define TALLY_DRIVER_FALLBACK_SHAREDGRAPH_H

#include "tally/runtime/SegmentFile.h"
#include "tally/schedule/Partition.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"

namespace tally {

class SharedGraph {
public:
  /// `function` must outlive the graph. All nodes are the machine's at first.
  explicit SharedGraph(mlir::func::FuncOp function);

  /// A module of one function `main` on the tensors `inputs` that gives
  /// `outputs`, made of `nodes`, which are ascending.
  mlir::OwningOpRef<mlir::ModuleOp>
  outline(llvm::ArrayRef<int64_t> nodes, llvm::ArrayRef<int64_t> inputs,
          llvm::ArrayRef<int64_t> outputs) const;
  /// The same of one node, on all that it reads, with all its results.
  mlir::OwningOpRef<mlir::ModuleOp> outline(int64_t node) const;

  mlir::Operation *operation(int64_t node) const { return nodes[size_t(node)]; }
  std::string nodeName(int64_t node) const;
  /// The model's nodes that a node stands for: those of a chain in order.
  std::vector<std::string> nodeNames(int64_t node) const;
  runtime::TensorInterface tensor(int64_t number) const;
  std::vector<runtime::Port> inputs() const, outputs() const;

  schedule::PartitionGraph parts;

private:
  void addTensor(mlir::Value value, int64_t producer);
  void addNode(mlir::Operation &op);
  void addOutputs();
  mlir::func::FuncOp addMain(mlir::OpBuilder &builder,
                             llvm::ArrayRef<int64_t> inputs,
                             llvm::ArrayRef<int64_t> outputs) const;
  std::string freshName(mlir::Value value);

  mutable mlir::func::FuncOp function; ///< a handle; MLIR's are never const
  llvm::SmallVector<mlir::Operation *> nodes;
  llvm::SmallVector<mlir::Value> values; ///< by tensor
  std::vector<std::string> names;        ///< of tensors, no two the same
  llvm::DenseMap<mlir::Value, int64_t> numbers;
};

} // namespace tally

#endif // TALLY_DRIVER_FALLBACK_SHAREDGRAPH_H
