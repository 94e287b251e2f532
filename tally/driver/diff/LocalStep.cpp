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
    local.read = cast<nn::Operator>(local.op).positionalOperands();
    return local;
  }
  for (const nn::GroupOperand &operand : local.group->operands)
    local.read.push_back(operand.source);
  auto step = eval::stepOf(*local.group, tensorOf, eval::Profile::Ideal);
  if (!step)
    return step.takeError();
  local.step = std::move(*step);
  return local;
}

SmallVector<Value> LocalStep::sources() const {
  return llvm::to_vector(
      llvm::make_filter_range(read, [](Value value) { return bool(value); }));
}

Value LocalStep::floatResult() const {
  return isa<nn::QuantizeOp>(op) ? op->getOperand(0) : Value();
}

bool LocalStep::isInterpolation() const {
  return isa_and_nonnull<nn::ResizeOp>(step.core);
}

static Result<Tensor> refused(const char *why) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.message = why;
  return failure;
}

/// A step of an operator with several results is not asked again.
static Result<Tensor> evaluate(const eval::Step &step, const Tensor &like,
                               eval::Profile profile) {
  if (step.core && step.core->getNumResults() != 1)
    return refused("an operator with several results");
  return eval::evaluateStep(step, like, profile);
}

Result<Tensor> LocalStep::codes(eval::Profile profile) const {
  return evaluate(step, like, profile);
}

/// `tensor` as `element`, every code and zero point `offset` higher.
static Tensor moved(const Tensor &tensor, Element element, int64_t offset) {
  Tensor result = tensor;
  result.element = element;
  if (result.quant) {
    result.quant->qmin += offset;
    result.quant->qmax += offset;
    for (int64_t &zeroPoint : result.quant->zeroPoints)
      zeroPoint += offset;
  }
  if (!tensor.storage)
    return result;
  result.allocate();
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    eval::storeInt(result, i, eval::loadInt(tensor, i) + offset);
  return result;
}

Result<Tensor>
LocalStep::unsignedCodes(eval::Profile profile,
                         llvm::function_ref<bool(Value)> isUnsigned) const {
  constexpr int64_t kOffset = 128;
  eval::Step higher = step;
  for (auto [value, operand] : llvm::zip(read, higher.operands))
    if (operand && operand->element == Element::I8 && isUnsigned(value))
      operand = moved(*operand, Element::U8, kOffset);
  auto result = evaluate(higher, moved(like, Element::U8, kOffset), profile);
  if (!result)
    return result;
  return moved(*result, Element::I8, -kOffset);
}

Result<Tensor> LocalStep::exact() const {
  if (!like.quant && !isInterpolation())
    return refused("plain integers are exact");
  Tensor fine = like;
  fine.element = Element::I64;
  int64_t limit = int64_t(1) << 62;
  eval::Quantization unit{0, 0, {1}, {0}, -1};
  fine.quant = like.quant.value_or(unit);
  fine.quant->qmin = -limit;
  fine.quant->qmax = limit;
  for (float &scale : fine.quant->scales)
    scale = std::ldexp(scale, -report::kFineBits);
  fine.quant->zeroPoints = {0};
  return evaluate(step, fine, eval::Profile::Ideal);
}

//===----------------------------------------------------------------------===//
// In floats
//===----------------------------------------------------------------------===//

/// DequantizeLinear in fp32; tensors without a grid stay, unless plain integers
/// are wanted as reals, too.
static Tensor dequantized(const Tensor &tensor, bool integersToo) {
  if (!tensor.isQuantized() && !(integersToo && !eval::isFloat(tensor.element)))
    return tensor;
  Tensor result = tensor;
  result.quant.reset();
  result.element = Element::F32;
  result.allocate();
  eval::Quantization unit{0, 0, {1}, {0}, -1};
  const eval::Quantization &grid = tensor.quant ? *tensor.quant : unit;
  eval::AxisIndex channel(tensor.shape, grid.axis);
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    int64_t c = channel(i);
    auto steps =
        static_cast<float>(eval::loadInt(tensor, i) - grid.zeroPoint(c));
    result.data<float>()[i] = steps * grid.scale(c);
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

eval::Step LocalStep::inFloats() const {
  eval::Step result = step;
  for (std::optional<Tensor> &operand : result.operands)
    if (operand)
      operand = dequantized(*operand, isInterpolation());
  return result;
}

/// Whether the operator can be asked on floats instead of codes.
bool LocalStep::hasFloatForm() const {
  return !step.core || isa<nn::Quantizable>(step.core);
}

/// The reals that a Quantize reads: what the step gives in floats, or, of a
/// Quantize by itself, its operand.
Result<Tensor> LocalStep::reals() const {
  if (isa_and_nonnull<nn::QuantizeOp>(step.core))
    return *step.operands[0];
  if (!hasFloatForm())
    return refused("an operator on codes only");
  return evaluate(inFloats(), Tensor(), eval::Profile::Ideal);
}

Tensor tally::quantizedInFloat(const Tensor &reals, const Tensor &like) {
  Tensor result = like;
  result.shape = reals.shape;
  result.allocate();
  const eval::Quantization &grid = *like.quant;
  eval::AxisIndex channel(result.shape, grid.axis);
  for (int64_t i = 0, e = reals.count(); i < e; ++i) {
    int64_t c = channel(i);
    eval::storeInt(result, i,
                   eval::quantizeFloat(reals.data<float>()[i], grid.scale(c),
                                       grid.zeroPoint(c), grid.qmin,
                                       grid.qmax));
  }
  return result;
}

Result<Tensor> LocalStep::inFloat() const {
  if (!like.quant)
    return refused("plain integers have no Quantize");
  auto floats = reals();
  if (!floats || floats->element != Element::F32)
    return floats ? refused("reals of another type") : std::move(floats);
  return quantizedInFloat(*floats, like);
}

//===----------------------------------------------------------------------===//
// Error bound
//===----------------------------------------------------------------------===//

static bool isFunctionOfOneCode(Operation *core) {
  return isa_and_nonnull<nn::TableOperator>(core);
}

/// The largest magnitude everywhere, twice: the weights of an interpolation add
/// up to 1, their magnitudes (cubic, two axes) to less than 2.
static Tensor twiceTheLargest(const Tensor &operand, const Tensor &shape) {
  float largest = 0;
  for (float value : operand.values<float>())
    largest = std::max(largest, std::fabs(value));
  Tensor result = shape;
  result.allocate();
  for (float &value : result.values<float>())
    value = 2 * largest;
  return result;
}

/// Of products and sums: what they give on the operands' magnitudes. Clamps
/// are left out, since they only bring values closer together.
Result<Tensor> LocalStep::magnitudes() const {
  if (isa_and_nonnull<nn::QuantizeOp>(step.core))
    return magnitudesOf(*step.operands[0]);
  if (!hasFloatForm())
    return refused("an operator on codes only");
  eval::Step floats = inFloats();
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
  return isInterpolation() ? twiceTheLargest(*floats.operands[0], *result)
                           : magnitudesOf(*result);
}

/// Of an interpolation: the neighbours of an element, and 4 for each step of a
/// coordinate, which is an fp32 number up to an axis's length.
static int64_t interpolationTerms(nn::ResizeOp resize) {
  auto type = cast<RankedTensorType>(resize.getInput().getType());
  int64_t neighbours = 1, lengths = 0;
  for (auto [axis, size, sources] :
       llvm::zip(resize.getAxes(), resize.getSizes(),
                 resize.getSources().getAsRange<DenseI64ArrayAttr>())) {
    neighbours *= sources.size() / std::max<int64_t>(size, 1);
    lengths += type.getDimSize(axis);
  }
  return neighbours + 4 * lengths;
}

/// How many numbers one element of the core's result sums up.
int64_t LocalStep::terms() const {
  if (!step.core)
    return 1;
  if (auto resize = dyn_cast<nn::ResizeOp>(step.core))
    return interpolationTerms(resize);
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

double LocalStep::boundUnits() const {
  if (isFunctionOfOneCode(step.core))
    return 32;
  if (isa_and_nonnull<nn::QuantizeOp>(step.core))
    return 2;
  return static_cast<double>(terms() + 8);
}

Result<Tensor> LocalStep::floatBound() const {
  auto sums = magnitudes();
  if (!sums || sums->element != Element::F32)
    return sums ? refused("reals of another type") : std::move(sums);
  double units = boundUnits(), one = isFunctionOfOneCode(step.core) ? 1 : 0;
  Tensor result = *sums;
  result.element = Element::I64;
  result.allocate();
  eval::Quantization unit{0, 0, {1}, {0}, -1};
  const eval::Quantization &grid = like.quant ? *like.quant : unit;
  eval::AxisIndex channel(result.shape, grid.axis);
  for (int64_t i = 0, e = result.count(); i < e; ++i) {
    double magnitude = sums->data<float>()[i] + one;
    double steps = units * 0x1p-24 * magnitude / grid.scale(channel(i));
    result.data<int64_t>()[i] = static_cast<int64_t>(
        std::min(std::ceil(std::ldexp(steps, report::kFineBits)), 0x1p60));
  }
  return result;
}
