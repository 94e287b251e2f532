//===- EmulatedTiles.h - tiles in memory ------------------------*- C++ -*-===//
//
// A tile of AMX as 1 KiB of the stack, and an instruction on it as a call of a
// function that is linked into the module (Emulation.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_EMULATEDTILES_H
#define TALLY_CPU_EMULATEDTILES_H

#include "tally/support/Result.h"

#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace tally::cpu {

/// Links in the functions that stand for instructions on tiles. Their names
/// begin with `symbol` and end as those of kernels for AMX do, so that they are
/// compiled with these. CPU-2.
Status addTileFunctions(llvm::Module &module, const std::string &symbol);

/// After addTileFunctions: leaves no tile in `function`, which is as lowered,
/// not optimised.
void putTilesInMemory(llvm::Function &function, const std::string &symbol);

} // namespace tally::cpu

#endif // TALLY_CPU_EMULATEDTILES_H
