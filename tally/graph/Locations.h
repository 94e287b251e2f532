//===- Locations.h - the model's own names on operations --------*- C++ -*-===//
//
// Every operation made from a model carries a fused location with a metadata
// dictionary {node = "conv1", op = "Conv", outputs = ["y"]}: the node's name,
// its operator type in the model, and the model's names of its results.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_LOCATIONS_H
#define TALLY_GRAPH_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace tally::nn {

/// The location of an operation made from a node of the model.
mlir::Location nodeLocation(mlir::MLIRContext *context, llvm::StringRef node,
                            llvm::StringRef opType,
                            llvm::ArrayRef<std::string> outputs);

/// The node's name, or the operation's own name when it has none.
std::string nodeName(mlir::Operation *op);
/// The operator type in the model, such as "Conv"; empty when unknown.
llvm::StringRef nodeOpType(mlir::Operation *op);
/// The model's name of a tensor; empty when it has none.
llvm::StringRef tensorName(mlir::Value value);

/// `op`'s location with other result names: used when a rewrite makes `op`
/// stand for a later tensor.
mlir::Location withOutputs(mlir::Location location,
                           llvm::ArrayRef<std::string> outputs);

} // namespace tally::nn

#endif // TALLY_GRAPH_LOCATIONS_H
