//===- CodeOperands.cpp - operands with scale and zero point --------------===//

#include "tally/graph/import/CodeOperands.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// The grid of the codes in operand `like`, or of such as it has.
static Result<eval::Quantization> gridOperands(NodeImport &node, size_t scale,
                                               size_t zeroPoint, size_t like,
                                               std::optional<int64_t> axis) {
  if (Status status = node.need({like, scale}); !status)
    return status.takeError();
  for (size_t i : {scale, zeroPoint}) {
    Value entries = axis ? Value() : node.rawOperand(i);
    if (entries && tensorType(entries).getNumElements() != 1)
      return node.failure(FailureKind::Model, "IMP-8",
                          "operand " + std::to_string(i) +
                              ": the operator takes one scale per tensor");
  }
  return node.grid(scale, zeroPoint, node.codeRange(like), axis.value_or(0),
                   tensorType(node.rawOperand(like)).getRank());
}

Result<Value> tally::nn::codesOperand(NodeImport &node, size_t x, size_t scale,
                                      size_t zeroPoint,
                                      std::optional<int64_t> axis) {
  auto grid = gridOperands(node, scale, zeroPoint, x, axis);
  if (!grid)
    return grid.takeError();
  return node.codes(x, *grid);
}

Result<Type> tally::nn::resultElement(NodeImport &node, size_t scale,
                                      size_t zeroPoint, size_t like) {
  auto grid = gridOperands(node, scale, zeroPoint, like, std::nullopt);
  if (!grid)
    return grid.takeError();
  return Type(quantizedType(node.context(), *grid));
}

Result<Value> tally::nn::biasOperand(NodeImport &node, size_t bias,
                                     float scaleA,
                                     const eval::Quantization &weight) {
  if (!node.hasInput(bias))
    return Value();
  eval::Quantization grid;
  grid.qmin = INT32_MIN;
  grid.qmax = INT32_MAX;
  for (float scaleB : weight.scales)
    grid.scales.push_back(scaleA * scaleB);
  grid.zeroPoints.assign(grid.scales.size(), 0);
  if (grid.scales.size() > 1)
    grid.axis =
        static_cast<int>(tensorType(node.rawOperand(bias)).getRank() - 1);
  return node.codes(bias, grid);
}

//===----------------------------------------------------------------------===//
// Scales known only when run
//===----------------------------------------------------------------------===//

bool tally::nn::areConstant(NodeImport &node, ArrayRef<size_t> operands) {
  return llvm::all_of(operands, [&](size_t i) {
    return !node.hasInput(i) || node.isConstant(i);
  });
}

/// A scale operand in fp32, exact for a half.
static Result<Value> floatScale(NodeImport &node, size_t i) {
  if (Status status = node.need(i); !status)
    return status.takeError();
  Value scale = node.operand(i);
  Type f32 = node.builder.getF32Type();
  if (elementType(scale) == f32)
    return scale;
  return node.create<CastOp>(f32, scale);
}

/// The axis of the one scale with several entries; 0 when there is none.
static Result<int64_t> axisOfScales(NodeImport &node, Value a, Value b,
                                    ScaleAxes axes) {
  bool manyA = tensorType(a).getNumElements() != 1;
  bool manyB = tensorType(b).getNumElements() != 1;
  auto axis = manyA ? axes.a : manyB ? axes.b : 0;
  if ((manyA && manyB) || !axis)
    return node.unsupported("computed scales of this granularity are not "
                            "supported");
  return *axis;
}

Result<Value> tally::nn::requantizedSums(NodeImport &node, Value sums,
                                         size_t scaleA, size_t scaleB,
                                         ScaleAxes axes, size_t resultScale,
                                         size_t resultZeroPoint) {
  auto a = floatScale(node, scaleA), b = floatScale(node, scaleB),
       result = floatScale(node, resultScale);
  for (auto *scale : {&a, &b, &result})
    if (!*scale)
      return scale->takeError();
  auto axis = axisOfScales(node, *a, *b, axes);
  if (!axis)
    return axis.takeError();
  auto unit = node.create<MulOp>({}, *a, *b);
  if (!unit)
    return unit;
  auto &builder = node.builder;
  auto none = builder.getI64IntegerAttr(0);
  auto reals = node.create<DequantizeRuntimeOp>(
      {}, sums, *unit, Value(), builder.getI64IntegerAttr(*axis), none);
  if (!reals)
    return reals;
  Value zero = node.operand(resultZeroPoint);
  Type element = elementType(zero ? zero : node.operand(0));
  return node.create<QuantizeRuntimeOp>(
      {}, *reals, *result, zero, TypeAttr::get(element), none, none, none);
}
