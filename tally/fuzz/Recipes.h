//===- Recipes.h - how operators come into random graphs --------*- C++ -*-===//
//
// A recipe adds one operator, with operands and attributes as models have
// them, and publishes what it makes. One table per family; a graph is a few
// recipes drawn by weight.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_RECIPES_H
#define TALLY_FUZZ_RECIPES_H

#include "tally/fuzz/GraphBuilder.h"

namespace tally::fuzz {

struct Recipe {
  int64_t weight;
  void (*make)(GraphBuilder &);
};

llvm::ArrayRef<Recipe> productRecipes();
llvm::ArrayRef<Recipe> elementwiseRecipes();
llvm::ArrayRef<Recipe> windowRecipes();
llvm::ArrayRef<Recipe> reductionRecipes();
llvm::ArrayRef<Recipe> movementRecipes();
llvm::ArrayRef<Recipe> normalizationRecipes();
llvm::ArrayRef<Recipe> integerRecipes();
llvm::ArrayRef<Recipe> indexingRecipes();

/// The shape of an operand that broadcasts to `shape`: often the same.
eval::Shape drawBroadcast(Random &random, llvm::ArrayRef<int64_t> shape);

/// `value` through one movement (reshape, transpose, slice, ...), of the same
/// element type; null when the one that was drawn does not fit.
mlir::Value moved(GraphBuilder &graph, mlir::Value value);

/// `value` (reals) through one unary operator with random attributes.
mlir::Value unary(GraphBuilder &graph, mlir::Value value);

/// Adds what reads the tensor published last and keeps its shape, so that a
/// chain may grow: a unary operator or a clamp, through a movement or not, an
/// addition with another tensor, the next grid.
void follow(GraphBuilder &graph);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_RECIPES_H
