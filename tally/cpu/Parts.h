//===- Parts.h - tensors inside of the memory of others ---------*- C++ -*-===//
//
// An operand of a concatenation that is one range of the result's memory is
// computed there, and a slice that is one range of its input's memory is read
// there; neither has a byte moved. Where the result of a concatenation is
// stored several times (an output, a state), so are its operands, by their
// kernels.
//
// What stays a copy, with a remark that says why: pieces with gaps between
// them; values on another grid; inputs, constants, parts of other tensors; what
// has its place already and a kernel that stores to one place only; what would
// be written over a state's old value before that is read; and what would make
// the arena larger, because a part needs the memory of the whole.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_PARTS_H
#define TALLY_CPU_PARTS_H

#include "tally/cpu/Layouts.h"
#include "tally/cpu/Storage.h"

namespace tally::cpu {

/// Finds the parts among the tensors of `function`, whose outputs `map` has
/// placed, and notes them in it: StorageMap::parts, `copied`, and more of
/// `alsoStored`.
void placeParts(mlir::func::FuncOp function, const Layouts &layouts,
                StorageMap &map);

} // namespace tally::cpu

#endif // TALLY_CPU_PARTS_H
