//===- Cache.h - a cache between its input and its output -------*- C++ -*-===//

#ifndef TALLY_REWRITE_STATE_CACHE_H
#define TALLY_REWRITE_STATE_CACHE_H

#include "tally/ops/Ops.h"
#include "tally/rewrite/state/Declare.h"

namespace tally::rewrite {

/// An input, and the output that is it with rows behind.
struct Cache {
  StatePair pair;
  unsigned argument = 0, result = 0;
  int64_t axis = 0, enters = 0; ///< the dimension of rows; rows of a call
  llvm::SmallVector<mlir::Operation *> before; ///< input to concatenation
  nn::ConcatOp concat;
  llvm::SmallVector<mlir::Operation *> after; ///< concatenation to output
};

/// The cache that `pair` is by the types of function `main`; its operations are
/// not looked for. GROW-4, STATE-5.
Result<Cache> findCache(mlir::func::FuncOp function, const StatePair &pair);

/// Finds the operations of `cache`. GROW-5.
Status findOperations(mlir::func::FuncOp function, Cache &cache);

/// A refusal that names the input of `pair`.
tally::Diagnostic cacheRefusal(FailureKind kind, const char *rule,
                               const StatePair &pair, std::string message);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_STATE_CACHE_H
