//===- FloatFunctions.cpp - f32 operators by their formulas ---------------===//
//
// Each line is one operation of the operator's float meaning, whose rounding
// and whose answer to NaN it keeps. Choices compare and select, so that a NaN,
// for which no comparison holds, takes the side that the meaning gives it.
//
// Example, leaky_relu: x < 0 ? alpha x : x is a product, a comparison with 0
// and a selection.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/FloatFunctions.h"
#include "tally/ops/Ops.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::Function;

using Operands = llvm::ArrayRef<Tensor>;

/// x < 0 ? low : x.
static void belowZero(Steps &v, const Tensor &x, const Tensor &low,
                      const Tensor &out) {
  v.select(v.floats(Function::FloatLt, {x, v.number(0)}), low, x, &out);
}

/// y < 0 ? 0 : y > 1 ? 1 : y.
static Tensor clampToUnit(Steps &v, const Tensor &y, const Tensor *out) {
  Tensor zero = v.number(0), one = v.number(1);
  Tensor capped = v.select(v.floats(Function::FloatLt, {one, y}), one, y);
  return v.select(v.floats(Function::FloatLt, {y, zero}), zero, capped, out);
}

static Tensor times(Steps &v, const Tensor &x, float factor) {
  return v.floats(Function::FloatMul, {x, v.number(factor)});
}

/// x >= 0 ? x : alpha expm1(argument).
static void exponentialUnit(Steps &v, const Tensor &x, const Tensor &argument,
                            float alpha, const Tensor &out) {
  Tensor low = times(v, v.floats(Function::FloatExpm1, argument), alpha);
  Tensor isHigh = v.floats(Function::FloatLe, {v.number(0), x});
  v.select(isHigh, x, low, &out);
}

static void celu(Steps &v, Operation *op, Operands in, const Tensor &out) {
  float alpha = cast<nn::CeluOp>(op).getAlpha().convertToFloat();
  Tensor argument = v.floats(Function::FloatDiv, {in[0], v.number(alpha)});
  exponentialUnit(v, in[0], argument, alpha, out);
}

static void elu(Steps &v, Operation *op, Operands in, const Tensor &out) {
  float alpha = cast<nn::EluOp>(op).getAlpha().convertToFloat();
  exponentialUnit(v, in[0], in[0], alpha, out);
}

static void selu(Steps &v, Operation *op, Operands in, const Tensor &out) {
  auto selu = cast<nn::SeluOp>(op);
  Tensor low = times(v, v.floats(Function::FloatExpm1, in[0]),
                     selu.getAlpha().convertToFloat());
  Tensor isHigh = v.floats(Function::FloatLt, {v.number(0), in[0]});
  Tensor unit = v.select(isHigh, in[0], low);
  Tensor gamma = v.number(selu.getGamma().convertToFloat());
  v.floats(Function::FloatMul, {gamma, unit}, &out);
}

static void clip(Steps &v, Operation *op, Operands in, const Tensor &out) {
  auto clip = cast<nn::ClipOp>(op);
  Tensor low = v.number(clip.getLow().convertToFloat());
  Tensor high = v.number(clip.getHigh().convertToFloat());
  Tensor isLow = v.floats(Function::FloatLt, {in[0], low});
  Tensor raised = v.select(isLow, low, in[0]);
  Tensor isHigh = v.floats(Function::FloatLt, {high, raised});
  v.select(isHigh, high, raised, &out);
}

static void gelu(Steps &v, Operation *op, Operands in, const Tensor &out) {
  bool isTanh = cast<nn::GeluOp>(op).getTanh();
  v.floats(isTanh ? Function::FloatGeluTanh : Function::FloatGeluErf, in[0],
           &out);
}

static void hardSigmoid(Steps &v, Operation *op, Operands in,
                        const Tensor &out) {
  auto sigmoid = cast<nn::HardSigmoidOp>(op);
  Tensor scaled = times(v, in[0], sigmoid.getAlpha().convertToFloat());
  Tensor beta = v.number(sigmoid.getBeta().convertToFloat());
  clampToUnit(v, v.floats(Function::FloatAdd, {scaled, beta}), &out);
}

static void hardSwish(Steps &v, Operation *, Operands in, const Tensor &out) {
  Tensor scaled = times(v, in[0], 1.0F / 6);
  Tensor half = v.number(0.5F);
  Tensor gate =
      clampToUnit(v, v.floats(Function::FloatAdd, {scaled, half}), nullptr);
  v.floats(Function::FloatMul, {in[0], gate}, &out);
}

static void leakyRelu(Steps &v, Operation *op, Operands in, const Tensor &out) {
  float alpha = cast<nn::LeakyReluOp>(op).getAlpha().convertToFloat();
  belowZero(v, in[0], times(v, in[0], alpha), out);
}

static void mish(Steps &v, Operation *, Operands in, const Tensor &out) {
  Tensor gate =
      v.floats(Function::FloatTanh, v.floats(Function::FloatSoftplus, in[0]));
  v.floats(Function::FloatMul, {in[0], gate}, &out);
}

static void power(Steps &v, Operation *, Operands in, const Tensor &out) {
  v.floats(Function::FloatPow, in, &out);
}

static void prelu(Steps &v, Operation *, Operands in, const Tensor &out) {
  belowZero(v, in[0], v.floats(Function::FloatMul, {in[1], in[0]}), out);
}

static void softsign(Steps &v, Operation *, Operands in, const Tensor &out) {
  Tensor magnitude = v.floats(Function::FloatAbs, in[0]);
  Tensor rest = v.floats(Function::FloatAdd, {v.number(1), magnitude});
  v.floats(Function::FloatDiv, {in[0], rest}, &out);
}

static void swish(Steps &v, Operation *op, Operands in, const Tensor &out) {
  float alpha = cast<nn::SwishOp>(op).getAlpha().convertToFloat();
  Tensor gate = v.floats(Function::FloatSigmoid, times(v, in[0], alpha));
  v.floats(Function::FloatMul, {in[0], gate}, &out);
}

static void thresholdedRelu(Steps &v, Operation *op, Operands in,
                            const Tensor &out) {
  auto relu = cast<nn::ThresholdedReluOp>(op);
  Tensor alpha = v.number(relu.getAlpha().convertToFloat());
  Tensor isAbove = v.floats(Function::FloatLt, {alpha, in[0]});
  v.select(isAbove, in[0], v.number(0), &out);
}

FloatFormula tally::schedule::findFloatFormula(StringRef name) {
  return llvm::StringSwitch<FloatFormula>(name)
      .Case("celu", celu)
      .Case("clip", clip)
      .Case("elu", elu)
      .Case("gelu", gelu)
      .Case("hard_sigmoid", hardSigmoid)
      .Case("hard_swish", hardSwish)
      .Case("leaky_relu", leakyRelu)
      .Case("mish", mish)
      .Case("pow", power)
      .Case("prelu", prelu)
      .Case("selu", selu)
      .Case("softsign", softsign)
      .Case("swish", swish)
      .Case("thresholded_relu", thresholdedRelu)
      .Default(nullptr);
}
