//===- LocalStep.cpp - one node again, from given operands ----------------===//
//
// The evaluator rounds an exact real once onto whatever grid is wanted. On a
// grid 2^40 times as fine as the result's, its code is the real before
// rounding, to 2^-41 of a step:
//
//   scale 0.5, real 6.2500001: code 13 (12.5000002 rounded), and on the scale
//   0.5 * 2^-40 the code 12.5000002 * 2^40.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/diff/LocalStep.h"
#include "tally/eval/RuntimeQuantization.h"
#include "tally/ops/Cost.h"
#include "tally/report/Attribution.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using eval::Element;
using eval::Tensor;

Result<LocalStep> LocalStep::of(Value result, eval::TensorOf tensorOf) {
  LocalStep local;
  local.op = result.getDefiningOp();
  local.like = nn::describe(cast<RankedTensorType>(result.getType()));
  if (auto quantize = dyn_cast<nn::QuantizeOp>(local.op))
    local.group = nn::findQuantizedGroup(quantize);
  if (!local.group) {
    local.step = eval::stepOf(local.op, tensorOf);
    return local;
  }
  auto step = eval::stepOf(*local.group, tensorOf, eval::Profile::Ideal);
  if (!step)
    return step.takeError();
  local.step = std::move(*step);
  return local;
}

SmallVector<Value> LocalStep::sources() const {
  SmallVector<Value> values;
  if (!group)
    return SmallVector<Value>(op->getOperands());
  for (const nn::GroupOperand &operand : group->operands)
    if (operand.source)
      values.push_back(operand.source);
  return values;
}

Value LocalStep::floatResult() const {
  return group ? op->getOperand(0) : Value();
}

/// A step of an operator with several results is not asked again.
static Result<Tensor> evaluate(const eval::Step &step, const Tensor &like,
                               eval::Profile profile) {
  if (!step.core || step.core->getNumResults() == 1)
    return eval::evaluateStep(step, like, profile);
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.message = "an operator with several results";
  return failure;
}

Result<Tensor> LocalStep::codes(eval::Profile profile) const {
  return evaluate(step, like, profile);
}

Result<Tensor> LocalStep::exact() const {
  Tensor fine = like;
  fine.element = Element::I64;
  int64_t limit = int64_t(1) << 62;
  fine.quant =
      eval::Quantization{-limit,
                         limit,
                         {std::ldexp(like.quant->scale(), -report::kFineBits)},
                         {0},
                         -1};
  return evaluate(step, fine, eval::Profile::Ideal);
}

//===----------------------------------------------------------------------===//
// In floats
//===----------------------------------------------------------------------===//

/// DequantizeLinear in fp32; tensors without a grid stay.
static Tensor dequantized(const Tensor &tensor) {
  if (!tensor.isQuantized())
    return tensor;
  Tensor result = tensor;
  result.quant.reset();
  result.element = Element::F32;
  result.allocate();
  eval::AxisIndex channel(tensor.shape, tensor.quant->axis);
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    int64_t c = channel(i);
    auto steps = static_cast<float>(eval::loadInt(tensor, i) -
                                    tensor.quant->zeroPoint(c));
    result.data<float>()[i] = steps * tensor.quant->scale(c);
  }
  return result;
}

/// A copy with the sign taken off every float.
static Tensor magnitudesOf(const Tensor &tensor) {
  if (tensor.element != Element::F32)
    return tensor;
  Tensor result = tensor;
  result.allocate();
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    result.data<float>()[i] = std::fabs(tensor.data<float>()[i]);
  return result;
}

static eval::Step inFloats(const eval::Step &step) {
  eval::Step result = step;
  for (std::optional<Tensor> &operand : result.operands)
    if (operand)
      operand = dequantized(*operand);
  return result;
}

Result<Tensor> LocalStep::inFloat() const {
  Tensor real; // f32, no grid
  auto reals = evaluate(inFloats(step), real, eval::Profile::Ideal);
  if (!reals)
    return reals;
  Tensor result = like;
  result.shape = reals->shape;
  result.allocate();
  const eval::Quantization &grid = *like.quant;
  for (int64_t i = 0, e = reals->count(); i < e; ++i)
    eval::storeInt(result, i,
                   eval::quantizeFloat(reals->data<float>()[i], grid.scale(),
                                       grid.zeroPoint(), grid.qmin, grid.qmax));
  return result;
}

//===----------------------------------------------------------------------===//
// Error bound
//===----------------------------------------------------------------------===//

static bool isFunctionOfOneCode(Operation *core) {
  return isa_and_nonnull<nn::TableOperator>(core);
}

/// Of products and sums: what they give on the operands' magnitudes. Clamps
/// are left out, since they only bring values closer together.
Result<Tensor> LocalStep::magnitudes() const {
  eval::Step floats = inFloats(step);
  bool isFunction = isFunctionOfOneCode(step.core);
  for (std::optional<Tensor> &operand : floats.operands)
    if (operand && !isFunction)
      operand = magnitudesOf(*operand);
  llvm::erase_if(floats.after, [](Operation *after) {
    return isa<nn::ReluOp, nn::ClipOp>(after);
  });
  auto result = evaluate(floats, Tensor(), eval::Profile::Ideal);
  if (!result)
    return result;
  return magnitudesOf(*result);
}

/// How many numbers one element of the core's result sums up.
int64_t LocalStep::terms() const {
  if (!step.core)
    return 1;
  int64_t results = std::max<int64_t>(
      cast<RankedTensorType>(step.core->getResult(0).getType())
          .getNumElements(),
      1);
  if (auto macs = nn::multiplyAdds(step.core))
    return (*macs + results - 1) / results;
  if (auto pool = dyn_cast<nn::AveragePoolOp>(step.core)) {
    int64_t taps = 1;
    for (int64_t size : pool.getKernel())
      taps *= size;
    return taps;
  }
  int64_t most = 1;
  for (const std::optional<Tensor> &operand : step.operands)
    if (operand)
      most = std::max(most, (operand->count() + results - 1) / results);
  return most;
}

Result<Tensor> LocalStep::floatBound() const {
  auto sums = magnitudes();
  if (!sums)
    return sums;
  bool isFunction = isFunctionOfOneCode(step.core);
  double unit = isFunction ? 32 : static_cast<double>(terms() + 8);
  Tensor result = *sums;
  result.element = Element::I64;
  result.allocate();
  double scale = like.quant->scale();
  for (int64_t i = 0, e = result.count(); i < e; ++i) {
    double magnitude = sums->data<float>()[i] + (isFunction ? 1.0 : 0.0);
    double steps = unit * 0x1p-24 * magnitude / scale;
    result.data<int64_t>()[i] = static_cast<int64_t>(
        std::min(std::ceil(std::ldexp(steps, report::kFineBits)), 0x1p60));
  }
  return result;
}
