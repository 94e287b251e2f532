//===- Quantization.cpp - import of Quantize and Dequantize ---------------===//
//
// Constant scales become part of a type (nn.quantize, nn.dequantize). Scales
// that are computed, lie in blocks, or are not fp32 on the way back to reals
// stay operands (nn.quantize_runtime, nn.dequantize_runtime).
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/ModelTensor.h"
#include "tally/graph/import/NodeImport.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static bool hasConstantGrid(NodeImport &node) {
  return node.intAttr("block_size", 0) == 0 && node.isConstant(1) &&
         (!node.hasInput(2) || node.isConstant(2));
}

/// Axis of a scale with several entries.
static Result<int64_t> scaleAxis(NodeImport &node, int64_t rank) {
  int64_t axis = node.intAttr("axis", 1);
  if (auto normalized = normalizeAxis(axis, rank))
    return *normalized;
  if (tensorType(node.rawOperand(1)).getNumElements() == 1)
    return 0;
  return node.failure(FailureKind::Model, "IMP-8",
                      "axis " + std::to_string(axis) +
                          " is outside a tensor of rank " +
                          std::to_string(rank));
}

/// The type named by output_dtype, or u8 without one.
static Result<model::ElementType> outputType(NodeImport &node) {
  int64_t number = node.intAttr("output_dtype", 0);
  if (number == 0)
    return model::ElementType::UInt8;
  auto type = model::elementTypeFromNumber(number);
  if (!type || !model::isInteger(*type))
    return node.unsupported(
        "output type " +
        (type ? std::string(model::elementTypeName(*type))
              : "of unknown number " + std::to_string(number)) +
        " is not supported; only integer codes are");
  return *type;
}

/// The type of the division: that of the scale, or float32 where the node says
/// so. Another one would round the scale, too.
static Result<Type> divisionType(NodeImport &node) {
  int64_t precision = node.intAttr("precision", 0);
  Type scale = elementType(node.rawOperand(1));
  if (precision == 0)
    return scale;
  if (precision == static_cast<int64_t>(model::ElementType::Float32))
    return Type(Float32Type::get(node.context()));
  auto type = model::elementTypeFromNumber(precision);
  auto element = type ? elementOfModel(*type) : std::nullopt;
  if (element && typeOf(node.context(), *element) == scale)
    return scale;
  return node.unsupported("divisions in another type than the scale's or "
                          "float32 are not supported (precision)");
}

/// The input as it is divided. Codes of other nodes and integers are left to
/// nn.quantize, which divides them in float32.
static Result<Value> dividend(NodeImport &node) {
  Value input = node.operand(0);
  auto type = divisionType(node);
  if (!type)
    return type.takeError();
  if (!isa<FloatType>(elementType(input)) || elementType(input) == *type)
    return input;
  return node.create<CastOp>(*type, input);
}

//===----------------------------------------------------------------------===//
// QuantizeLinear
//===----------------------------------------------------------------------===//

static Status quantizeRuntime(NodeImport &node, Value input, CodeRange codes) {
  Value zeroPoint = node.operand(2);
  auto axis = scaleAxis(node, tensorType(input).getRank());
  if (!axis)
    return axis.takeError();
  if (node.hasInput(2))
    codes = node.codeRange(2);
  if (codes.qmax - codes.qmin >= 65536)
    return node.unsupported("a computed or blocked scale with codes of more "
                            "than 16 bits is not supported");
  auto bits = static_cast<unsigned>(
      llvm::Log2_64(static_cast<uint64_t>(codes.qmax - codes.qmin + 1)));
  bool isStored = bits == 8 || bits == 16;
  auto &builder = node.builder;
  Type element = IntegerType::get(node.context(), bits <= 8 ? 8 : 16,
                                  codes.qmin < 0 ? IntegerType::Signless
                                                 : IntegerType::Unsigned);
  auto result = node.create<QuantizeRuntimeOp>(
      {}, input, node.operand(1), zeroPoint, TypeAttr::get(element),
      builder.getI64IntegerAttr(*axis),
      builder.getI64IntegerAttr(node.intAttr("block_size", 0)),
      builder.getI64IntegerAttr(isStored ? 0 : bits));
  if (!result)
    return result.takeError();
  node.markCodes(0, codes);
  return node.bind(0, *result);
}

static Status quantizeLinear(NodeImport &node) {
  auto input = dividend(node);
  if (!input)
    return input.takeError();
  auto type = outputType(node);
  if (!type)
    return type.takeError();
  CodeRange codes = CodeRange::of(*type);
  if (!hasConstantGrid(node))
    return quantizeRuntime(node, *input, codes);
  auto grid = node.grid(1, 2, codes, node.intAttr("axis", 1),
                        tensorType(*input).getRank());
  if (!grid)
    return grid.takeError();
  return node.bind(
      node.create<QuantizeOp>(quantizedType(node.context(), *grid), *input));
}

//===----------------------------------------------------------------------===//
// DequantizeLinear
//===----------------------------------------------------------------------===//

static Status dequantizeRuntime(NodeImport &node) {
  Value input = node.operand(0), scale = node.operand(1);
  auto axis = scaleAxis(node, tensorType(input).getRank());
  if (!axis)
    return axis.takeError();
  auto &builder = node.builder;
  return node.bind(node.create<DequantizeRuntimeOp>(
      {}, input, scale, node.operand(2), builder.getI64IntegerAttr(*axis),
      builder.getI64IntegerAttr(node.intAttr("block_size", 0))));
}

/// output_dtype may only repeat the scale's type.
static Status checkResultType(NodeImport &node) {
  int64_t number = node.intAttr("output_dtype", 0);
  if (number == 0)
    return Status::success();
  Type scale = elementType(node.rawOperand(1));
  model::ElementType own = scale.isF16()    ? model::ElementType::Float16
                           : scale.isBF16() ? model::ElementType::BFloat16
                                            : model::ElementType::Float32;
  if (number == static_cast<int64_t>(own))
    return Status::success();
  return node.unsupported("an output_dtype other than the scale's type is not "
                          "supported");
}

static Status dequantizeLinear(NodeImport &node) {
  if (Status status = checkResultType(node); !status)
    return status;
  if (!hasConstantGrid(node) || !elementType(node.rawOperand(1)).isF32())
    return dequantizeRuntime(node);
  auto grid = node.grid(1, 2, node.codeRange(0), node.intAttr("axis", 1),
                        tensorType(node.rawOperand(0)).getRank());
  if (!grid)
    return grid.takeError();
  auto codes = node.codes(0, *grid);
  if (!codes)
    return codes.takeError();
  return node.bind(node.create<DequantizeOp>({}, *codes));
}

//===----------------------------------------------------------------------===//
// DynamicQuantizeLinear
//===----------------------------------------------------------------------===//

static Status dynamicQuantizeLinear(NodeImport &node) {
  return node.bindAll(
      node.create<DynamicQuantizeLinearOp>({}, node.operand(0)));
}

llvm::ArrayRef<ImportRow> tally::nn::quantizationRows() {
  static const ImportRow rows[] = {
      {"", "DequantizeLinear", 10, dequantizeLinear, 2},
      {"", "DynamicQuantizeLinear", 11, dynamicQuantizeLinear},
      {"", "QuantizeLinear", 10, quantizeLinear, 2},
      {"com.microsoft", "DequantizeLinear", 1, dequantizeLinear, 2},
      {"com.microsoft", "QuantizeLinear", 1, quantizeLinear, 2},
  };
  return rows;
}
