//===- Quantization.cpp - Quantize, Dequantize, tables --------------------===//

#include "tally/cpu/FloatMath.h"
#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/Quotient.h"
#include "tally/cpu/Requantize.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/RealMath.h"
#include "tally/graph/Locations.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// The channel of an element of the result: element / stride % size.
static Value channelOf(KernelBuilder &k, const eval::Tensor &tensor,
                       Value element) {
  if (tensor.quant->perTensor())
    return k.index(0);
  int axis = tensor.quant->axis;
  Value outer = arith::DivUIOp::create(
      k.b, element, k.index(stridesIn(k.resultOrder(), tensor.shape)[axis]));
  return arith::RemUIOp::create(k.b, outer, k.index(tensor.shape[axis]));
}

static Value scales(KernelBuilder &k, const eval::Quantization &grid) {
  return k.constant<float>(grid.scales);
}

static Value zeroPoints(KernelBuilder &k, const eval::Quantization &grid) {
  std::vector<int32_t> values(grid.zeroPoints.begin(), grid.zeroPoints.end());
  return k.constant<int32_t>(values);
}

namespace {
struct DequantizeLowering
    : ElementwiseModel<DequantizeLowering, nn::DequantizeOp> {
  static Result<ElementCode> code(nn::DequantizeOp, KernelBuilder &k) {
    eval::Tensor in = k.operandInfo(0);
    Value scale = scales(k, *in.quant), zero = zeroPoints(k, *in.quant);
    bool isWide = eval::byteSize(in.element) == 4;
    Type stepType = isWide ? k.i64() : k.i32();
    ElementCode code = [=, &k](const ElementInputs &x) -> Value {
      Value channel = channelOf(k, in, x.element);
      Value code = k.widen(x[0], in.element, stepType);
      Value zeroPoint = k.load(zero, channel);
      if (isWide)
        zeroPoint = arith::ExtSIOp::create(k.b, stepType, zeroPoint);
      Value step =
          arith::SubIOp::create(k.b, code, spreadLike(k, code, zeroPoint));
      Value value =
          arith::SIToFPOp::create(k.b, lanesLike(code, k.f32()), step);
      return arith::MulFOp::create(k.b, value,
                                   spreadLike(k, code, k.load(scale, channel)));
    };
    return std::move(code).onWideLanes(in.quant->perTensor());
  }
};

/// RHE of the quotient in the input's type, then the zero point, then
/// saturation; NaN gives the smallest code. Codes of at most 16 bits, so
/// clamping the quotient first in fp32 is exact.
struct QuantizeLowering : ElementwiseModel<QuantizeLowering, nn::QuantizeOp> {
  static Result<ElementCode> code(nn::QuantizeOp, KernelBuilder &k) {
    eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
    bool isInteger = in.element == eval::Element::I32;
    if (in.element == eval::Element::F64 || eval::byteSize(out.element) > 2 ||
        !(isInteger || eval::isFloat(in.element)))
      return k.unsupported(std::string(eval::name(in.element)) + " to " +
                           eval::name(out.element));
    eval::Quantization grid = *out.quant;
    bool isFast = grid.perTensor() && isModerate(grid.scale()) &&
                  hasFastQuotients(k.tier) &&
                  (isInteger || in.element == eval::Element::F32);
    if (isFast)
      return fastCode(k, grid, out.element, isInteger);
    Value scale = scales(k, grid), zero = zeroPoints(k, grid);
    ElementCode code = [=, &k](const ElementInputs &x) {
      Value stored = x[0], channel = channelOf(k, out, x.element);
      FloatMath math(k, lanesOf(stored));
      RealMath type(k, isInteger ? eval::Element::F32 : in.element,
                    lanesOf(stored));
      Value real = isInteger ? math.toFloat(stored) : type.widen(stored);
      Value divisor = spreadLike(k, real, k.load(scale, channel));
      Value quotient = type.widen(type.narrow(math.div(real, divisor)));
      Value rounded = nearestInt32(k, math.clamp(quotient, -0x1p20, 0x1p20));
      Value origin = spreadLike(k, rounded, k.load(zero, channel));
      Value code = arith::AddIOp::create(k.b, rounded, origin);
      return k.narrow(k.clamp(code, grid.qmin, grid.qmax), out.element);
    };
    return std::move(code).onWideLanes(grid.perTensor());
  }

private:
  /// By one scale without a division: a number of more than 2^20 steps has the
  /// code of 2^20 steps, so it is bounded first, and a quotient that is too
  /// small to be exact (Quotient.h) rounds to 0.
  static ElementCode fastCode(KernelBuilder &k, const eval::Quantization &grid,
                              eval::Element element, bool isInteger) {
    ElementCode code = [=, &k](const ElementInputs &x) {
      Value stored = x[0];
      FloatMath math(k, lanesOf(stored));
      float scale = grid.scale();
      double most = std::ldexp(static_cast<double>(scale), 20);
      Value real = isInteger ? math.toFloat(stored) : stored;
      Value steps =
          nearestInt32(k, quotient(math, math.clamp(real, -most, most),
                                   math.f32(scale), math.f32(1.0f / scale)));
      return storedCodesOf(k, {steps, grid.zeroPoint(), grid.qmin, grid.qmax},
                           element);
    };
    return std::move(code).onWideLanes();
  }
};

struct RequantizeLowering
    : ElementwiseModel<RequantizeLowering, nn::RequantizeOp> {
  static Result<ElementCode> code(nn::RequantizeOp op, KernelBuilder &k) {
    return tableCode(k, op.unaryFunction());
  }
};
} // namespace

void tally::cpu::registerQuantizationLowerings(MLIRContext &context) {
  nn::DequantizeOp::attachInterface<DequantizeLowering>(context);
  nn::QuantizeOp::attachInterface<QuantizeLowering>(context);
  nn::RequantizeOp::attachInterface<RequantizeLowering>(context);
}
