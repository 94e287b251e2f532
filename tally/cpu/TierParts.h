//===- TierParts.h - tiers become machine code side by side -----*- C++ -*-===//

#ifndef TALLY_CPU_TIERPARTS_H
#define TALLY_CPU_TIERPARTS_H

#include "tally/cpu/CpuCompiler.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tally::cpu {

/// Whether a function is a tier's by its name, "avx512vnni" of
/// "model_k3_avx512vnni".
bool belongsTo(llvm::StringRef function, Tier tier);

/// The weakest tier whose code for the same kernel is the same: extensions of
/// some products are no reason to keep all other kernels twice.
Tier codeTier(Tier tier);

/// Optimises `module`, whose functions are those of the options' tiers and what
/// surrounds them, and returns it as one object. Tiers are compiled by as many
/// threads as there are cores; the bytes do not depend on how many. CPU-2.
Result<std::string> emitParts(std::unique_ptr<llvm::Module> module,
                              const CpuOptions &options);

} // namespace tally::cpu

#endif // TALLY_CPU_TIERPARTS_H
