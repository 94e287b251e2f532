//===- ModuleEmitter.h - a graph becomes loops on memory --------*- C++ -*-===//

#ifndef TALLY_CPU_MODULEEMITTER_H
#define TALLY_CPU_MODULEEMITTER_H

#include "tally/cpu/ClockMarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"

namespace tally::cpu {

/// What the emitted module holds: per tier a function `SYMBOL_main_TIER`
/// (inputs, outputs, arena as memrefs; with threads two pointers more), its
/// kernels, and constant globals.
struct EmittedModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  runtime::Interface interface;
  ClockMarks marks;                       ///< of no stage when there are none
  std::vector<ScheduledProduct> products; ///< tier by tier, in program order
  /// Kernels that take part and parts (KernelSteps.h), by name.
  llvm::StringSet<> splitKernels;
};

/// Name of a tier's entry function.
std::string entryName(const std::string &symbol, Tier tier);

/// Whether entry functions read the clock between kernels (ClockMarks.h).
enum class Marks { No, Yes };

/// Emits `function` for all tiers of the options and plans its memory.
Result<EmittedModule> emitModule(mlir::func::FuncOp function,
                                 const CpuOptions &options,
                                 Marks marks = Marks::No);

} // namespace tally::cpu

#endif // TALLY_CPU_MODULEEMITTER_H
