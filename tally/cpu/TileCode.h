//===- TileCode.h - machine code with tile registers, checked ---*- C++ -*-===//
//
// LLVM allocates tile registers and gives them their shapes. What it does when
// that goes wrong is correct but slow by an order of magnitude: it stores tiles
// to the stack, or configures the registers again behind a call. Since nothing
// else would tell, the machine code itself is read.
//
// Rules, all about one function (Internal):
//   CPU-TILE-CONFIG  tile registers are configured before their first use
//   CPU-TILE-SPILL   no tile is stored to the stack or loaded from it
//   CPU-TILE-LOOP    a loop that adds up products of tiles, which keeps its
//   sums
//                    in registers, neither calls a function nor configures them
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_TILECODE_H
#define TALLY_CPU_TILECODE_H

#include "tally/support/Result.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tally::cpu {

/// Checks the functions of a relocatable x86-64 object that `wants` names.
Status checkTileCode(llvm::StringRef object,
                     llvm::function_ref<bool(llvm::StringRef function)> wants);

} // namespace tally::cpu

#endif // TALLY_CPU_TILECODE_H
