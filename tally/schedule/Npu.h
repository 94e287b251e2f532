//===- Npu.h - the npu dialect ----------------------------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_NPU_H
#define TALLY_SCHEDULE_NPU_H

#include "tally/emit/isa/Command.h"
#include "tally/emit/isa/Effects.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "tally/schedule/NpuDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tally/schedule/NpuTypes.h.inc"
#define GET_OP_CLASSES
#include "tally/schedule/NpuOps.h.inc"

namespace tally::npu {

/// The command as the instruction table knows it. Offsets count from the
/// storages' first bytes, or from their memory's once storages have offsets and
/// `placed` is set. Spaces are the storages'.
isa::Command commandOf(CommandOp op, bool placed);

/// The bytes that the command reads and writes; of one that moves with a
/// counter, a hull of those of all values.
std::vector<isa::Access>
accessesOf(CommandOp op, const machine::Machine &machine, bool placed);

/// The storage that a field prefix ("in") names, or null.
StorageOp storageOf(CommandOp op, llvm::StringRef prefix);

} // namespace tally::npu

#endif // TALLY_SCHEDULE_NPU_H
