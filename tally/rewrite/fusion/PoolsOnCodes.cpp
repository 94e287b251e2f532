//===- PoolsOnCodes.cpp - a max pool behind its Quantize ------------------===//
//
// That no element is NaN follows from where it comes from: codes of at most 16
// bits times a scale below 2^60, then clamps and slopes of at most 2^10, a few
// of them: 2^(16 + 60 + 4 * 10) is a number. Padding takes no part in a pool,
// and a window without any element gives -infinity or the smallest code, which
// is that of -infinity.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/fusion/PoolsOnCodes.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Folding.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/Remarks.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

static constexpr int kMostSteps = 4;
static constexpr float kMostScale = 0x1p60f, kMostSlope = 0x1p10f;

static bool hasSmallSlopes(Value slope) {
  auto values = constantValue(slope);
  if (!values || values->isQuantized() || !eval::isFloat(values->element))
    return false;
  for (int64_t i = 0, e = values->count(); i < e; ++i)
    if (!(std::abs(eval::loadFloat(*values, i)) <= kMostSlope))
      return false;
  return true;
}

/// Whether `op` keeps numbers that are no NaN so, and not much larger.
static bool keepsNumbers(Operation *op) {
  if (auto leaky = dyn_cast<LeakyReluOp>(op))
    return std::abs(leaky.getAlpha().convertToFloat()) <= kMostSlope;
  if (auto prelu = dyn_cast<PReluOp>(op))
    return hasSmallSlopes(prelu.getSlope());
  return isa<ReluOp, ClipOp>(op);
}

static bool isNeverNan(Value value) {
  Operation *op = value.getDefiningOp();
  for (int step = 0; op && step < kMostSteps; ++step) {
    if (auto dequantize = dyn_cast<DequantizeOp>(op)) {
      eval::Quantization grid =
          gridOf(quantizedElement(dequantize.getInput().getType()));
      return grid.qmax - grid.qmin < (1 << 16) &&
             llvm::all_of(
                 grid.scales, [](float scale) { return scale < kMostScale; });
    }
    if (!keepsNumbers(op))
      return false;
    op = op->getOperand(0).getDefiningOp();
  }
  return false;
}

/// The pool whose result `quantize` reads, when the two can change places.
static MaxPoolOp poolBefore(QuantizeOp quantize) {
  auto pool = quantize.getInput().getDefiningOp<MaxPoolOp>();
  auto element = quantizedElement(quantize.getType());
  if (!pool || !pool->hasOneUse() || !pool.getInput().hasOneUse() ||
      !gridOf(element).perTensor() || !isNeverNan(pool.getInput()))
    return {};
  return pool;
}

static void exchange(QuantizeOp quantize, MaxPoolOp pool) {
  OpBuilder builder(quantize);
  Type grid = quantizedElement(quantize.getType());
  auto input = cast<RankedTensorType>(pool.getInput().getType());
  // Only the last of the two carries the tensor's name.
  Location unnamed = withOutputs(quantize.getLoc(), {std::string()});
  auto codes =
      QuantizeOp::create(builder, unnamed, input.clone(grid), pool.getInput());
  auto moved = cast<MaxPoolOp>(builder.clone(*pool));
  moved.getInputMutable().assign(codes);
  moved.getOutput().setType(cast<RankedTensorType>(quantize.getType()));
  moved->setLoc(
      withOutputs(pool.getLoc(), {tensorName(quantize.getResult()).str()}));
  remarkAt(moved, RemarkCode::PoolOnCodes) << edge(quantize.getResult());
  quantize.getResult().replaceAllUsesWith(moved.getOutput());
  quantize->erase();
  pool->erase();
}

void tally::rewrite::poolCodes(func::FuncOp function) {
  for (QuantizeOp quantize : llvm::make_early_inc_range(
           function.getBody().front().getOps<QuantizeOp>()))
    if (MaxPoolOp pool = poolBefore(quantize))
      exchange(quantize, pool);
}
