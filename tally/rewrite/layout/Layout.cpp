//===- Layout.cpp - weights, transposes and copies in their place ---------===//

#include "tally/rewrite/layout/Layout.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Inference.h"
#include "tally/rewrite/CleanUp.h"
#include "tally/rewrite/Remarks.h"
#include "tally/rewrite/layout/Placement.h"
#include "tally/rewrite/layout/Simplify.h"
#include "tally/rewrite/layout/Weights.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

/// Who needs a transpose that stays, and what would make it unnecessary.
static void reportStaying(TransposeOp transpose) {
  Operation *user = *transpose.getOutput().user_begin();
  auto remark = remarkAt(transpose, RemarkCode::TransposeStays);
  remark << edge(transpose.getOutput());
  int64_t bytes = describe(transpose.getType()).byteCount();
  if (isa<func::ReturnOp>(user))
    remark << because("an output has this order; {0} bytes", bytes)
           << instead("give the output the order of its operand");
  else if (isa<ReshapeOp>(user))
    remark << other(user)
           << because("'{0}' joins or splits dimensions in this order; {1} "
                      "bytes",
                      nodeName(user), bytes)
           << instead("reshape before transposing");
  else
    remark << other(user)
           << because("'{0}' reads this order, and no place costs less than "
                      "{1} bytes",
                      nodeName(user), bytes)
           << instead("give both sides one order of dimensions");
}

static void layoutFunction(func::FuncOp function) {
  shareEqual(function);
  foldConstants(function);
  weightsToTheRight(function);
  foldConstants(function);
  simplifyTransposes(function);
  placeTransposes(function);
  foldTransposes(function);
  foldConstants(function);
  shareEqual(function);
  removeDead(function);
  for (auto transpose : function.getBody().front().getOps<TransposeOp>())
    reportStaying(transpose);
}

void tally::rewrite::layout(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      layoutFunction(function);
}

namespace {
struct LayoutPass : PassWrapper<LayoutPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LayoutPass)
  StringRef getArgument() const override { return "nn-layout"; }
  StringRef getDescription() const override {
    return "put weights on the right and transposes where they cost least";
  }
  void runOnOperation() override { rewrite::layout(getOperation()); }
};
} // namespace

void tally::rewrite::registerLayoutPass() { PassRegistration<LayoutPass>(); }
