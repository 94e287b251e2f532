//===- Lower.h - a planned npu.program becomes a program --------*- C++ -*-===//

#ifndef TALLY_EMIT_LOWER_LOWER_H
#define TALLY_EMIT_LOWER_LOWER_H

#include "tally/emit/program/Program.h"
#include "tally/schedule/Npu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::emit {

/// Instructions, constants and metadata of a program whose storages have
/// offsets and whose commands have their synchronization. `function` gives the
/// names and types of the caller's buffers. Fails by the rules of
/// emit/routine (EMIT-n).
Result<isa::Program> lowerProgram(npu::ProgramOp program,
                                  mlir::func::FuncOp function,
                                  const machine::Machine &machine);

} // namespace tally::emit

#endif // TALLY_EMIT_LOWER_LOWER_H
