//===- Edits.h - single changes of a graph ----------------------*- C++ -*-===//
//
// What the shrinker tries. Operations and arguments are named by their
// position, which clones share. Edits that change types leave it to `reinfer`
// to carry them on; whether the result is valid is the caller's question.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_EDITS_H
#define TALLY_FUZZ_EDITS_H

#include "tally/fuzz/Generator.h"

#include "llvm/ADT/DenseMap.h"

namespace tally::fuzz {

/// Operations of the body, without the return.
size_t countOperations(const Graph &graph);
mlir::Operation *operationAt(const Graph &graph, size_t index);
mlir::Operation *returnOf(const Graph &graph);

/// Every tensor's value, each operation with its own (float) meaning. Tensors
/// that no operation of this kind could give are left out.
llvm::DenseMap<mlir::Value, eval::Tensor> evaluateAll(const Graph &graph);

/// Appends an input with a value.
mlir::Value addInput(Graph &graph, mlir::Type type, const eval::Tensor &value);

/// Removes what no output needs, operations and inputs, and lets the function's
/// type follow.
void tidy(Graph &graph);

/// A tensor that holds data: an input or a constant.
struct Source {
  mlir::Value value;
  eval::Tensor tensor;
};
std::vector<Source> sourcesOf(const Graph &graph);

/// Gives source `index` other data (and the type that follows from it).
void replaceSource(Graph &graph, size_t index, const eval::Tensor &tensor);

/// The first `size` entries of dimension `axis`, its grids included.
eval::Tensor firstOf(const eval::Tensor &tensor, int64_t axis, int64_t size);

/// Sets all result types to what follows from the operands; false when an
/// operator refuses them.
bool reinfer(Graph &graph);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_EDITS_H
