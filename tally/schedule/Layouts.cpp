//===- Layouts.cpp - which tensors have their channels innermost ----------===//
//
// From the last operator to the first, so that each value asks only its
// readers.
//
// Example: input -> quantize -> conv: the conv reads the codes, so quantize
// reads the input on behalf of a window.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Layouts.h"
#include "tally/ops/Ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;

static bool readsWindows(Operation &op) {
  if (auto fused = llvm::dyn_cast<nn::FusedOp>(op))
    return llvm::isa<nn::ConvOp>(fused.chain().front());
  return llvm::isa<nn::ConvOp, nn::MaxPoolOp, nn::AveragePoolOp>(op);
}

DenseSet<Value> schedule::channelsLastValues(func::FuncOp function) {
  DenseSet<Value> found;
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    bool asks =
        readsWindows(op) || (op.hasTrait<nn::ElementwiseStage>() &&
                             llvm::any_of(op.getResults(), [&](Value result) {
                               return found.contains(result);
                             }));
    for (Value operand : op.getOperands())
      if (asks &&
          llvm::cast<RankedTensorType>(operand.getType()).getRank() >= 4)
        found.insert(operand);
  }
  return found;
}
