//===- Homes.h - which tensors live in global memory ------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_HOMES_H
#define TALLY_SCHEDULE_HOMES_H

#include "tally/machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace tally::schedule {

/// The results that live in the arena, in global memory, because what is needed
/// together does not fit in SRAM: the largest first, and only those whose
/// producer and readers work band by band (convolutions and pools). Weights get
/// the rest of SRAM.
llvm::DenseSet<mlir::Value> chooseHomes(mlir::func::FuncOp function,
                                        const machine::Machine &machine);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_HOMES_H
