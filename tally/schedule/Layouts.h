//===- Layouts.h - which tensors have their channels innermost --*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LAYOUTS_H
#define TALLY_SCHEDULE_LAYOUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace tally::schedule {

/// The values that convolutions or pools read, at most through elementwise
/// operators: these engines want the channels of a pixel side by side.
llvm::DenseSet<mlir::Value> channelsLastValues(mlir::func::FuncOp function);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LAYOUTS_H
