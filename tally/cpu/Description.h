//===- Description.h - what a graph's code tells about itself ---*- C++ -*-===//

#ifndef TALLY_CPU_DESCRIPTION_H
#define TALLY_CPU_DESCRIPTION_H

#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/Storage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::cpu {

/// The interface of `function`, whose states have places, but for what the
/// memory plan and the emitted code decide (arena, constants, peak, bytes of
/// states).
runtime::Interface describe(mlir::func::FuncOp function,
                            const CpuOptions &options);

/// The same with what each call writes and copies of states. On the way tells
/// in remarks what is copied, as compiling does.
runtime::Interface describeWithBytes(mlir::func::FuncOp function,
                                     const CpuOptions &options);

/// The index of each operation in Interface::stages.
llvm::DenseMap<mlir::Operation *, size_t> stagesOf(mlir::func::FuncOp function);

/// Sets what each call writes to the states of `interface`, and how much of it
/// is copied and why.
void countStateBytes(mlir::func::FuncOp function, const StorageMap &storage,
                     runtime::Interface &interface);

} // namespace tally::cpu

#endif // TALLY_CPU_DESCRIPTION_H
