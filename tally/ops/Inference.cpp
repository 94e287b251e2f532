//===- Inference.cpp - shape and type rules shared by operators -----------===//

#include "tally/ops/Inference.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tally::nn;

LogicalResult tally::nn::reject(MaybeLocation location, StringRef rule,
                                const Twine &message) {
  return emitOptionalError(location, message, " [", rule, "]");
}

std::string tally::nn::shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text;
}

static std::string printed(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

/// "int8", "uint16", "bool", "bfloat16".
static std::string plainText(Type type) {
  if (type.isInteger(1))
    return "bool";
  if (auto integer = dyn_cast<IntegerType>(type))
    return (integer.isUnsigned() ? "uint" : "int") +
           std::to_string(integer.getWidth());
  if (type.isBF16())
    return "bfloat16";
  if (auto real = dyn_cast<FloatType>(type))
    return "float" + std::to_string(real.getWidth());
  return printed(type);
}

/// Nine digits tell every fp32 from the others.
static std::string realText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
  return text;
}

/// The integers that hold `codes`.
static Type storedAs(QuantizedType codes) {
  return IntegerType::get(
      codes.getContext(), codes.getStorageTypeIntegralWidth(),
      codes.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
}

/// Where the scales of `codes` hold, and one that holds everywhere.
static std::string gridText(QuantizedType codes) {
  if (auto perTensor = dyn_cast<UniformQuantizedType>(codes))
    return llvm::formatv("of scale {0}, zero point {1}",
                         realText(perTensor.getScale()),
                         perTensor.getZeroPoint());
  if (auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(codes))
    return llvm::formatv("with {0} scales along axis {1}",
                         perAxis.getScales().size(),
                         perAxis.getQuantizedDimension());
  return "with a scale per block";
}

std::string tally::nn::typeText(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::string shape;
  if (tensor && tensor.getRank() > 0)
    shape = "[" + shapeText(tensor.getShape()) + "]";
  Type element = tensor ? tensor.getElementType() : type;
  auto codes = dyn_cast<QuantizedType>(element);
  std::string text = plainText(codes ? storedAs(codes) : element) + shape;
  return codes ? text + " codes " + gridText(codes) : text;
}

void tally::nn::infer(Inferred &inferred, ArrayRef<int64_t> shape,
                      Type element) {
  inferred.emplace_back(shape, element);
}

std::optional<SmallVector<int64_t>> tally::nn::broadcast(ArrayRef<int64_t> a,
                                                         ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &dim = shape[lead + i];
    if (dim == 1)
      dim = b[i];
    else if (b[i] != 1 && b[i] != dim)
      return std::nullopt;
  }
  return shape;
}

std::optional<int64_t> tally::nn::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

bool tally::nn::sameKind(Type a, Type b) {
  bool quantizedA = isa<QuantizedType>(a);
  return quantizedA == isa<QuantizedType>(b) && (quantizedA || a == b);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool tally::nn::isPlainByte(Type element) {
  return element.isSignlessInteger(8) || element.isUnsignedInteger(8);
}

std::string tally::nn::factorText(Factor factor) {
  return shapeText(shapeOf(factor.value)) +
         (factor.isTransposed ? " (transposed)" : "");
}

LogicalResult tally::nn::inferMatrixProduct(MaybeLocation location,
                                            StringRef innerRule,
                                            StringRef batchRule, Factor a,
                                            Factor b,
                                            SmallVectorImpl<int64_t> &shape) {
  ArrayRef<int64_t> left = shapeOf(a.value), right = shapeOf(b.value);
  auto rankA = static_cast<int64_t>(left.size());
  auto rankB = static_cast<int64_t>(right.size());
  if (rankA < 2 || rankB < 2 ||
      left[columnAxis(rankA, a.isTransposed)] !=
          right[rowAxis(rankB, b.isTransposed)])
    return reject(location, innerRule,
                  "cannot multiply " + factorText(a) + " by " + factorText(b));
  auto batch = broadcast(left.drop_back(2), right.drop_back(2));
  if (!batch)
    return reject(location, batchRule,
                  "leading dimensions of " + shapeText(left) + " and " +
                      shapeText(right) + " do not broadcast");
  shape.assign(batch->begin(), batch->end());
  shape.push_back(left[rowAxis(rankA, a.isTransposed)]);
  shape.push_back(right[columnAxis(rankB, b.isTransposed)]);
  return success();
}

bool tally::nn::hasGridAlong(Type element, int64_t axis) {
  auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(element);
  return isa<UniformQuantizedType>(element) ||
         (perAxis && perAxis.getQuantizedDimension() == axis);
}

bool tally::nn::areFactors(Type a, int64_t axisA, Type b, int64_t axisB,
                           Type addend) {
  if (isa<FloatType>(a))
    return a == b && (!addend || addend == a);
  return hasGridAlong(a, axisA) && hasGridAlong(b, axisB) &&
         (!addend || isa<FloatType, QuantizedType>(addend));
}

std::string tally::nn::addendText(Type addend) {
  return addend ? " and an addend of " + typeText(addend) : std::string();
}

bool tally::nn::isQuantizedFactor(RankedTensorType type, int64_t axis) {
  auto quantized = type ? quantizedElement(type) : QuantizedType();
  if (!quantized || quantized.getStorageTypeIntegralWidth() > 16)
    return false;
  auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(quantized);
  return !perAxis || perAxis.getQuantizedDimension() == axis;
}

bool tally::nn::isQuantizedProduct(ArrayRef<RankedTensorType> operands,
                                   RankedTensorType result, int64_t inputAxis,
                                   int64_t weightAxis) {
  if (!allPerTensor({}, result) || !isQuantizedFactor(operands[0], inputAxis) ||
      !isQuantizedFactor(operands[1], weightAxis))
    return false;
  if (operands.size() < 3 || !operands[2])
    return true;
  Type addend = operands[2].getElementType();
  auto codes = dyn_cast<QuantizedType>(addend);
  return addend.isF32() || (codes && codes.getStorageTypeIntegralWidth() == 32);
}
