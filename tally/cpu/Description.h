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

/// What a call stores to the caller's memory and to that of states.
struct Stores {
  runtime::Interface interface; ///< with the bytes of states
  /// Of each output why it is copied to the caller's memory; empty where the
  /// operator that computes it stores it there.
  std::vector<std::string> copiedOutputs;
};

/// The same of `function` compiled for any tier. On the way tells in remarks
/// what is copied, as compiling does.
Stores storesOf(mlir::func::FuncOp function);

/// The index of each operation in Interface::stages.
llvm::DenseMap<mlir::Operation *, size_t> stagesOf(mlir::func::FuncOp function);

/// Sets what each call writes to the states of `interface`, and how much of it
/// is copied and why.
void countStateBytes(mlir::func::FuncOp function, const StorageMap &storage,
                     runtime::Interface &interface);

} // namespace tally::cpu

#endif // TALLY_CPU_DESCRIPTION_H
