//===- Fused.cpp - an anchor and its epilogue in one kernel ---------------===//
//
// The stages are prepared first, so that their tables and records are kernel
// arguments; then the anchor's own lowering runs, and each element that it
// stores passes through them on the way (KernelBuilder::storeResult). A
// reshape in between changes no element's flat position.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/CodeReaders.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/Storage.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/graph/Locations.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// The operand of `op` that comes from the operation before it in the chain.
static size_t chainedOperand(Operation *op, Value previous) {
  auto operands = cast<nn::Operator>(op).positionalOperands();
  return llvm::find(operands, previous) - operands.begin();
}

static Status addStage(KernelBuilder &k, Operation *op, Value previous) {
  std::optional<Result<ElementStage>> stage;
  k.within(op, [&] {
    stage = cast<CpuLowering>(op).stage(k, chainedOperand(op, previous));
  });
  if (!*stage)
    return stage->takeError();
  k.addStage(std::move(**stage));
  return Status::success();
}

namespace {
struct FusedLowering : CpuLowering::ExternalModel<FusedLowering, nn::FusedOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    auto chain = cast<nn::FusedOp>(op).chain();
    Value previous = chain.front()->getResult(0);
    for (Operation *stage : llvm::drop_begin(chain)) {
      if (!isAlias(stage))
        if (Status status = addStage(k, stage, previous); !status)
          return status;
      previous = stage->getResult(0);
    }
    Status status;
    k.within(chain.front(),
             [&] { status = cast<CpuLowering>(chain.front()).lower(k); });
    return status;
  }

  /// Those of the anchor, where each stage can do the same.
  Orders orders(Operation *op) const {
    auto chain = cast<nn::FusedOp>(op).chain();
    auto canFollow = [](Operation *stage) {
      if (isAlias(stage))
        return keepsChannels(shapeOf(stage->getOperand(0)),
                             shapeOf(stage->getResult(0)));
      auto lowering = dyn_cast<CpuLowering>(stage);
      return lowering && lowering.orders() != Orders::Plain;
    };
    auto anchor = dyn_cast<CpuLowering>(chain.front());
    if (!anchor || !llvm::all_of(llvm::drop_begin(chain), canFollow))
      return Orders::Plain;
    return anchor.orders();
  }

private:
  static eval::Shape shapeOf(Value value) {
    return nn::describe(cast<RankedTensorType>(value.getType())).shape;
  }
};
} // namespace

bool tally::cpu::canFuse(Operation *op) {
  registerLowerings(*op->getContext());
  auto lowering = dyn_cast<CpuLowering>(op);
  return !isReadAsCodes(op) &&
         (isAlias(op) || (lowering && lowering.takesEpilogue()));
}

void tally::cpu::registerFusedLowering(MLIRContext &context) {
  nn::FusedOp::attachInterface<FusedLowering>(context);
}
