//===- EmitCode.h - a module of LLVM IR becomes machine code ----*- C++ -*-===//

#ifndef TALLY_CPU_EMITCODE_H
#define TALLY_CPU_EMITCODE_H

#include "tally/cpu/Target.h"

#include "llvm/Target/TargetMachine.h"

namespace tally::cpu {

/// LLVM's back end of a family, for one thread at a time; null when there is
/// none.
std::unique_ptr<llvm::TargetMachine> makeMachine(Family family);

/// Optimises `module`, whose target and data layout are the machine's, and
/// returns it as a relocatable ELF object of position-independent code. CPU-2.
Result<std::string> emitCode(llvm::Module &module,
                             llvm::TargetMachine &machine);

} // namespace tally::cpu

#endif // TALLY_CPU_EMITCODE_H
