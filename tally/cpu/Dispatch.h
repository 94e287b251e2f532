//===- Dispatch.h - split kernels through the caller's threads --*- C++ -*-===//

#ifndef TALLY_CPU_DISPATCH_H
#define TALLY_CPU_DISPATCH_H

#include "tally/cpu/CpuCompiler.h"

#include "llvm/ADT/StringSet.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tally::cpu {

/// Calls `splitKernels`, whose last arguments are part and parts, through
/// SYMBOL_each (Glue.cpp), wherever an entry function calls them.
void dispatchSteps(llvm::Module &module, const llvm::StringSet<> &splitKernels,
                   const CpuOptions &options);

} // namespace tally::cpu

#endif // TALLY_CPU_DISPATCH_H
