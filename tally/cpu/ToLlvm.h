//===- ToLlvm.h - loops on memory become LLVM IR ----------------*- C++ -*-===//

#ifndef TALLY_CPU_TOLLVM_H
#define TALLY_CPU_TOLLVM_H

#include "tally/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tally::cpu {

/// Converts the emitted module in place (scf, memref, vector, ... to the LLVM
/// dialect, memrefs as bare pointers) and translates it.
Result<std::unique_ptr<llvm::Module>> toLlvm(mlir::ModuleOp module,
                                             llvm::LLVMContext &context);

/// Loads the dialects that kernels are written in.
void loadLoweringDialects(mlir::MLIRContext &context);

} // namespace tally::cpu

#endif // TALLY_CPU_TOLLVM_H
