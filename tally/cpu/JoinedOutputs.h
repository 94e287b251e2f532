//===- JoinedOutputs.h - outputs that are no parts of others ----*- C++ -*-===//

#ifndef TALLY_CPU_JOINEDOUTPUTS_H
#define TALLY_CPU_JOINEDOUTPUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::cpu {

/// Tells in remarks of outputs that one might take for parts of a joined output
/// of the same node, and are not: the final state of a recurrence over
/// sequences with lengths is that of each sequence's end, and the last row is
/// not.
void tellOutputsApart(mlir::func::FuncOp function);

} // namespace tally::cpu

#endif // TALLY_CPU_JOINEDOUTPUTS_H
