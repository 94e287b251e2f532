//===- Homes.h - which tensors live in global memory ------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_HOMES_H
#define TALLY_SCHEDULE_HOMES_H

#include "tally/schedule/Choices.h"
#include "tally/schedule/lower/Chains.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace tally::schedule {

/// The inputs and results that live in global memory, because what is needed
/// together takes more than choices.residentBytes: the largest first, and only
/// those whose producer and readers work on pieces. Weights and pieces get the
/// rest of SRAM. A view and what it looks at have one home.
/// What only the nodes of one chain read has none.
llvm::DenseSet<mlir::Value> chooseHomes(mlir::func::FuncOp function,
                                        const Arrangement &arrangement,
                                        const Choices &choices);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_HOMES_H
