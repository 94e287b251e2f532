//===- Buffers.h - the caller's buffers and states --------------*- C++ -*-===//

#ifndef TALLY_EMIT_LOWER_BUFFERS_H
#define TALLY_EMIT_LOWER_BUFFERS_H

#include "tally/emit/program/Program.h"
#include "tally/schedule/Npu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::emit {

/// The arguments and then the results of `function`, in order: schedule/ has
/// numbered their regions so.
void fillBuffers(mlir::func::FuncOp function, isa::Program &result);

/// Where in the context a counter is, by its place among nn::countersOf.
inline int64_t wordOfCounter(int64_t counter) { return 4 * counter; }

/// The states of the function's module, which have places, and their slots;
/// `result` has its buffers. Counters become words of the context. What a call
/// writes is what the commands of `program` do, which are placed.
void fillStates(npu::ProgramOp program, mlir::func::FuncOp function,
                const machine::Machine &machine, isa::Program &result);

/// Of each output of `function`, which `program` computes, why it is copied to
/// the caller's memory from other global memory, or never computed; empty where
/// it is stored there from where it was computed.
std::vector<std::string> copiedOutputs(npu::ProgramOp program,
                                       mlir::func::FuncOp function);

} // namespace tally::emit

#endif // TALLY_EMIT_LOWER_BUFFERS_H
