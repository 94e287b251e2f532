//===- CacheRows.h - a model for fewer rows of its cache --------*- C++ -*-===//
//
// Rules (FailureKind::Usage):
//   GROW-7  the dimension of the rows is one that --dim or --shape binds, to at
//           least 3
//   GROW-8  all caches of a model are of one kind
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_CACHEROWS_H
#define TALLY_DRIVER_CACHEROWS_H

#include "tally/driver/ModelArguments.h"
#include "tally/rewrite/state/Grow.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace tally {

/// Imports the model of the arguments, without states.
using Import = std::function<Result<mlir::OwningOpRef<mlir::ModuleOp>>(
    const ModelArguments &)>;

/// Makes the inputs of `pairs` caches of fixed capacity in `module`, which
/// `import` made of `model`. GROW-7 and those of rewrite/state/Grow.h.
Result<rewrite::RowCount>
growCaches(mlir::ModuleOp module, const ModelArguments &model,
           const std::vector<rewrite::StatePair> &pairs, rewrite::Growth growth,
           const Import &import);

} // namespace tally

#endif // TALLY_DRIVER_CACHEROWS_H
