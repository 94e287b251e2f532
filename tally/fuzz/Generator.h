//===- Generator.h - random graphs ------------------------------*- C++ -*-===//
//
// A graph follows from its seed alone: a few recipes (Recipes.h) after one
// another, each working on what the ones before made. Several graphs can
// share a function, so that one compilation serves all: they share no tensor.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_GENERATOR_H
#define TALLY_FUZZ_GENERATOR_H

#include "tally/eval/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace tally::fuzz {

/// A module with one function `main`, as the importer would leave it, and the
/// values of its inputs.
struct Graph {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<eval::Tensor> inputs;
  int64_t dropped = 0; ///< operations that broke a rule and were left out

  mlir::func::FuncOp main() const;
  Graph clone() const;
};

/// The graphs of `seeds` side by side, each with at least one result.
Graph generate(mlir::MLIRContext &context, llvm::ArrayRef<uint64_t> seeds);

/// Loads the dialects that graphs are made of.
void loadDialects(mlir::MLIRContext &context);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_GENERATOR_H
