//===- Buffers.h - the caller's buffers and states --------------*- C++ -*-===//

#ifndef TALLY_EMIT_LOWER_BUFFERS_H
#define TALLY_EMIT_LOWER_BUFFERS_H

#include "tally/emit/program/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::emit {

/// The arguments and then the results of `function`, in order: schedule/ has
/// numbered their regions so.
void fillBuffers(mlir::func::FuncOp function, isa::Program &result);

/// The states of the function's module, which have places, and their slots;
/// `result` has its buffers.
void fillStates(mlir::func::FuncOp function, isa::Program &result);

} // namespace tally::emit

#endif // TALLY_EMIT_LOWER_BUFFERS_H
