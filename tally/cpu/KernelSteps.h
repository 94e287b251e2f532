//===- KernelSteps.h - a kernel whose loops are split -----------*- C++ -*-===//
//
// A kernel with loops that KernelBuilder::parallelLoop split becomes steps:
// functions with the kernel's arguments that are called one after the other,
// each when the one before is complete. A step with a split loop takes two more
// arguments, part and parts (index): it does part `part` of the loop's work,
// and its calls with part = 0 ... parts - 1, in any order or at the same time,
// do all of it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELSTEPS_H
#define TALLY_CPU_KERNELSTEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::cpu {

/// Marks of a kernel under construction: a loop that is split, and the
/// constants that stand for part (0) and parts (1) in it.
inline constexpr const char *kSplitLoop = "tally.split";
inline constexpr const char *kPart = "tally.part";
inline constexpr const char *kParts = "tally.parts";

struct KernelStep {
  mlir::func::FuncOp function;
  bool isSplit = false;
};

/// An operation in a split loop of `kernel` that writes at a place which
/// depends on neither the iteration nor the part, so that parts write over each
/// other; null for none. What it finds is a fault of the lowering, which costs
/// speed and no bits: the kernel is not split then.
mlir::Operation *findSharedWrite(mlir::func::FuncOp kernel);

/// The steps of `kernel`, a complete function, which is used up. `isReadOnly`
/// tells arguments whose memory the kernel does not write. Without split loops,
/// where a step needs what an earlier one has in registers, or where parts
/// would write over each other, the whole kernel is one step that is not split.
std::vector<KernelStep>
splitSteps(mlir::func::FuncOp kernel,
           llvm::function_ref<bool(unsigned argument)> isReadOnly);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELSTEPS_H
