//===- Emulation.h - tiers on processors that lack them ---------*- C++ -*-===//
//
// A kernel for AMX is right or wrong on any machine: what it loads, adds up and
// stores is decided before LLVM chooses instructions. So the few instructions
// that a tier has beyond AVX2 can be put in terms of AVX2, and the kernel runs,
// slowly, where no such processor is at hand. Its bits are the real ones; its
// speed, its registers and its machine code say nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_EMULATION_H
#define TALLY_CPU_EMULATION_H

#include "tally/cpu/CpuCompiler.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tally::cpu {

/// Whether a tier needs more than AVX2 and can do without: avxvnni,
/// avx512vnni, amx.
bool canEmulate(Tier tier);

/// The tier that has the instructions which code of `tier` is made of.
Tier instructionsOf(Tier tier, const CpuOptions &options);

/// Whether this machine lacks a tier's own instructions.
bool mustEmulate(Tier tier);

/// The tiers whose code runs on this machine, where it must be emulated,
/// weakest first.
std::vector<Tier> tiersWithEmulation();

/// With CpuOptions::emulate: puts all that functions of such tiers call beyond
/// AVX2 in its terms. The module's target and data layout are set; its
/// functions have no target features yet and are as lowered, not optimised.
/// CPU-2.
Status emulateTiers(llvm::Module &module, const CpuOptions &options);

} // namespace tally::cpu

#endif // TALLY_CPU_EMULATION_H
