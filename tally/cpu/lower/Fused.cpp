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
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/PRelu.h"
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

/// The tensor of a value.
static eval::Tensor tensorOf(Value value) {
  return nn::describe(cast<RankedTensorType>(value.getType()));
}

/// Whether `chain` begins with a Dequantize, a PRelu and a Quantize of what
/// comes before, which have a stage of codes together; it is added then.
static bool addPReluOfCodes(KernelBuilder &k, ArrayRef<Operation *> chain) {
  if (chain.size() < 3)
    return false;
  auto dequantize = dyn_cast<nn::DequantizeOp>(chain[0]);
  auto prelu = dyn_cast<nn::PReluOp>(chain[1]);
  auto quantize = dyn_cast<nn::QuantizeOp>(chain[2]);
  if (!dequantize || !prelu || !quantize ||
      prelu->getOperand(0) != dequantize->getResult(0))
    return false;
  bool isAdded = false;
  k.within(prelu, [&] {
    auto code = preluBetweenCodes(k, tensorOf(dequantize->getOperand(0)),
                                  tensorOf(quantize->getResult(0)));
    isAdded = code.has_value();
    if (isAdded)
      k.addStage(elementStage(k, 0, std::move(*code)));
  });
  return isAdded;
}

namespace {
struct FusedLowering : CpuLowering::ExternalModel<FusedLowering, nn::FusedOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    auto chain = cast<nn::FusedOp>(op).chain();
    for (size_t i = 1; i < chain.size(); ++i) {
      if (addPReluOfCodes(k, ArrayRef(chain).drop_front(i))) {
        i += 2;
        continue;
      }
      if (!isAlias(chain[i]))
        if (Status status = addStage(k, chain[i], chain[i - 1]->getResult(0));
            !status)
          return status;
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
