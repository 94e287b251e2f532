//===- Simplify.cpp - transposes and reshapes that need not be ------------===//
//
// Passes over the function in program order until none changes anything. Each
// change removes an operation or moves a reader closer to an input.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/layout/Simplify.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Inference.h"
#include "tally/ops/QuantizedGroup.h"
#include "tally/rewrite/CleanUp.h"
#include "tally/rewrite/Remarks.h"
#include "tally/rewrite/layout/Commute.h"
#include "tally/rewrite/layout/Permutation.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

/// Two in a row are one: dimension d is dimension second[d] of the middle,
/// which is dimension first[second[d]] of the input.
static bool joinTwo(TransposeOp second) {
  auto first = second.getInput().getDefiningOp<TransposeOp>();
  if (!first)
    return false;
  Permutation joined =
      applyPermutation(first.getPermutation(), second.getPermutation());
  remarkAt(second, RemarkCode::TransposeVanished)
      << edge(second.getInput()) << other(first)
      << because("'{0}' before it and it are one permutation", nodeName(first));
  second.getInputMutable().set(first.getInput());
  second.setPermutation(joined);
  return true;
}

static bool dropIdle(TransposeOp transpose) {
  Value input = transpose.getInput();
  if (!keepsBytes(shapeOf(input), transpose.getPermutation()))
    return false;
  Value same = input;
  if (!isIdentityPermutation(transpose.getPermutation())) {
    OpBuilder builder(transpose);
    same = permutedValue(builder, transpose.getLoc(), input,
                         transpose.getPermutation());
  }
  if (Operation *made = same.getDefiningOp();
      made && isa<TransposeOp>(made) && same != input) {
    made->erase(); // a per-axis grid that no reshape can carry
    return false;
  }
  remarkAt(transpose, RemarkCode::TransposeVanished)
      << edge(transpose.getOutput())
      << because("only dimensions of size 1 move");
  transpose.getOutput().replaceAllUsesWith(same);
  return true;
}

/// Readers that take the tensor before the transpose.
static bool giveAway(TransposeOp transpose) {
  SmallVector<int64_t> back =
      invertPermutationVector(transpose.getPermutation());
  bool changed = false;
  for (OpOperand &use :
       llvm::make_early_inc_range(transpose.getOutput().getUses())) {
    if (!absorbs(use, back))
      continue;
    remarkAt(transpose, RemarkCode::TransposeVanished)
        << edge(transpose.getOutput()) << other(use.getOwner())
        << because("'{0}' reads either order", nodeName(use.getOwner()));
    absorb(use, back, transpose.getInput());
    changed = true;
  }
  return changed;
}

static bool joinReshapes(ReshapeOp second) {
  auto first = second.getInput().getDefiningOp<ReshapeOp>();
  if (!first)
    return false;
  RankedTensorType input = first.getInput().getType();
  if (input == second.getType()) {
    second.getOutput().replaceAllUsesWith(first.getInput());
    return true;
  }
  if (movedType(second, input) != second.getType())
    return false;
  second.getInputMutable().set(first.getInput());
  return true;
}

static bool simplifyOne(Operation *op) {
  if (op->use_empty())
    return false;
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return joinReshapes(reshape);
  auto transpose = dyn_cast<TransposeOp>(op);
  return transpose &&
         (dropIdle(transpose) || joinTwo(transpose) || giveAway(transpose));
}

void tally::rewrite::simplifyTransposes(func::FuncOp function) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
      changed |= simplifyOne(&op);
    removeDead(function);
  }
}
