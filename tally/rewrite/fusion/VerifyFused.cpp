//===- VerifyFused.cpp - chains still mean what the graph means -----------===//

#include "tally/graph/Locations.h"
#include "tally/ops/QuantizedGroup.h"
#include "tally/rewrite/fusion/Fusion.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// A Quantize that closes a group once the chains of a module are taken apart,
/// and that does not get the group's meaning as things are; or null.
static QuantizeOp hiddenGroup(ModuleOp module) {
  IRMapping twins;
  OwningOpRef<ModuleOp> apart(cast<ModuleOp>(module->clone(twins)));
  rewrite::unfuse(*apart);
  QuantizeOp hidden;
  module.walk([&](QuantizeOp quantize) {
    auto twin = cast<QuantizeOp>(twins.lookup(quantize.getOperation()));
    bool hasMeaning = !quantize->getParentOfType<FusedOp>() &&
                      findQuantizedGroup(quantize).has_value();
    if (hasMeaning || !findQuantizedGroup(twin))
      return WalkResult::advance();
    hidden = quantize;
    return WalkResult::interrupt();
  });
  return hidden;
}

Status tally::rewrite::verifyFused(ModuleOp module) {
  bool anyFused = module.walk([](FusedOp) { return WalkResult::interrupt(); })
                      .wasInterrupted();
  QuantizeOp hidden = anyFused ? hiddenGroup(module) : QuantizeOp();
  if (!hidden)
    return Status::success();
  tally::Diagnostic failure;
  failure.kind = FailureKind::Internal;
  failure.rule = "FUSEDMODULE-1";
  failure.node = nodeName(hidden);
  failure.message = "it closes a group of dequantized operands, whose exact "
                    "meaning its nn.fused does not have";
  failure.hint = "quantize before fusing";
  return failure;
}
