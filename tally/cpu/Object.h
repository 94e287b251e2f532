//===- Object.h - LLVM IR becomes an object file ----------------*- C++ -*-===//

#ifndef TALLY_CPU_OBJECT_H
#define TALLY_CPU_OBJECT_H

#include "tally/cpu/CpuCompiler.h"

#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace tally::cpu {

/// Gives every function of a tier its target features and internal linkage
/// (entry functions and kernels are named by tier), links in the glue text,
/// optimises, and emits position-independent ELF.
Result<std::string> emitObject(std::unique_ptr<llvm::Module> module,
                               const std::string &glue,
                               const CpuOptions &options);

} // namespace tally::cpu

#endif // TALLY_CPU_OBJECT_H
