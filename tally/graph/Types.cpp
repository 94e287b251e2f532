//===- Types.cpp - tensor types, grids and host tensors -------------------===//

#include "tally/graph/Types.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

QuantizedType tally::nn::quantizedElement(Type tensorType) {
  return dyn_cast<QuantizedType>(getElementTypeOrSelf(tensorType));
}

Type tally::nn::storageElement(Type elementType) {
  auto quantized = dyn_cast<QuantizedType>(elementType);
  if (!quantized)
    return elementType;
  unsigned bits = quantized.getStorageTypeIntegralWidth();
  unsigned stored = bits <= 8 ? 8 : bits <= 16 ? 16 : 32;
  return IntegerType::get(elementType.getContext(), stored,
                          quantized.isSigned() ? IntegerType::Signless
                                               : IntegerType::Unsigned);
}

RankedTensorType tally::nn::storageType(RankedTensorType type) {
  return type.clone(storageElement(type.getElementType()));
}

static std::optional<eval::Element> integerElement(IntegerType type) {
  using eval::Element;
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return Element::Bool;
  case 8:
    return isUnsigned ? Element::U8 : Element::I8;
  case 16:
    return isUnsigned ? Element::U16 : Element::I16;
  case 32:
    return isUnsigned ? Element::U32 : Element::I32;
  case 64:
    return isUnsigned ? Element::U64 : Element::I64;
  default:
    return std::nullopt;
  }
}

std::optional<eval::Element> tally::nn::elementOf(Type elementType) {
  Type stored = storageElement(elementType);
  if (auto integer = dyn_cast<IntegerType>(stored))
    return integerElement(integer);
  if (stored.isF32())
    return eval::Element::F32;
  if (stored.isF64())
    return eval::Element::F64;
  if (stored.isF16())
    return eval::Element::F16;
  if (stored.isBF16())
    return eval::Element::BF16;
  return std::nullopt;
}

Type tally::nn::typeOf(MLIRContext *context, eval::Element element) {
  using eval::Element;
  switch (element) {
  case Element::Bool:
    return IntegerType::get(context, 1);
  case Element::F16:
    return Float16Type::get(context);
  case Element::BF16:
    return BFloat16Type::get(context);
  case Element::F32:
    return Float32Type::get(context);
  case Element::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, 8 * eval::byteSize(element),
                            eval::isSigned(element) ? IntegerType::Signless
                                                    : IntegerType::Unsigned);
  }
}

eval::Quantization tally::nn::gridOf(QuantizedType type) {
  eval::Quantization grid;
  grid.qmin = type.getStorageTypeMin();
  grid.qmax = type.getStorageTypeMax();
  if (auto tensor = dyn_cast<UniformQuantizedType>(type)) {
    grid.scales = {static_cast<float>(tensor.getScale())};
    grid.zeroPoints = {tensor.getZeroPoint()};
    return grid;
  }
  auto axis = cast<UniformQuantizedPerAxisType>(type);
  grid.axis = axis.getQuantizedDimension();
  grid.scales.assign(axis.getScales().begin(), axis.getScales().end());
  grid.zeroPoints.assign(axis.getZeroPoints().begin(),
                         axis.getZeroPoints().end());
  return grid;
}

QuantizedType tally::nn::quantizedType(MLIRContext *context,
                                       const eval::Quantization &grid) {
  bool isSigned = grid.qmin < 0;
  int64_t levels = isSigned ? -2 * grid.qmin : grid.qmax + 1;
  unsigned bits = 64 - __builtin_clzll(static_cast<uint64_t>(levels - 1));
  unsigned flags = isSigned ? mlir::quant::QuantizationFlags::Signed : 0;
  Type storage = IntegerType::get(context, bits);
  Type expressed = Float32Type::get(context);
  if (grid.perTensor())
    return UniformQuantizedType::get(flags, storage, expressed, grid.scales[0],
                                     grid.zeroPoints[0], grid.qmin, grid.qmax);
  SmallVector<double> scales(grid.scales.begin(), grid.scales.end());
  return UniformQuantizedPerAxisType::get(flags, storage, expressed, scales,
                                          grid.zeroPoints, grid.axis, grid.qmin,
                                          grid.qmax);
}

eval::Tensor tally::nn::describe(RankedTensorType type) {
  eval::Tensor tensor;
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  tensor.element = *elementOf(type.getElementType());
  if (auto quantized = quantizedElement(type))
    tensor.quant = gridOf(quantized);
  return tensor;
}

static LogicalResult verifyGrid(const eval::Quantization &grid,
                                llvm::function_ref<InFlightDiagnostic()> emit) {
  for (float scale : grid.scales)
    if (!(scale > 0) || !std::isfinite(scale))
      return emit() << "scale " << scale
                    << " is not finite and positive [QT-2]";
  for (int64_t zeroPoint : grid.zeroPoints)
    if (zeroPoint < grid.qmin || zeroPoint > grid.qmax)
      return emit() << "zero point " << zeroPoint << " is outside ["
                    << grid.qmin << ", " << grid.qmax << "] [QT-3]";
  return success();
}

LogicalResult tally::nn::verifyQuantizedTensor(
    RankedTensorType type, llvm::function_ref<InFlightDiagnostic()> emit) {
  auto quantized = quantizedElement(type);
  if (!quantized)
    return success();
  unsigned bits = quantized.getStorageTypeIntegralWidth();
  if (bits < 2 || bits > 32 || !quantized.getExpressedType().isF32() ||
      !isa<UniformQuantizedType, UniformQuantizedPerAxisType>(quantized))
    return emit() << "quantized type " << Type(quantized)
                  << " is not 2 to 32 bits over f32, per tensor or per axis "
                     "[QT-1]";
  eval::Quantization grid = gridOf(quantized);
  if (isa<UniformQuantizedPerAxisType>(quantized)) {
    if (grid.axis < 0 || grid.axis >= type.getRank() ||
        type.getDimSize(grid.axis) != static_cast<int64_t>(grid.scales.size()))
      return emit() << grid.scales.size() << " scales along axis " << grid.axis
                    << " do not fit the shape [" << type.getShape()
                    << "] [QT-4]";
  }
  return verifyGrid(grid, emit);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Storage that borrows memory owned by the context.
static std::shared_ptr<std::byte[]> borrow(ArrayRef<char> bytes) {
  auto *data = reinterpret_cast<std::byte *>(const_cast<char *>(bytes.data()));
  return {std::shared_ptr<void>(), data};
}

static void fillFromDense(DenseElementsAttr dense, eval::Tensor &tensor) {
  tensor.allocate();
  if (tensor.count() == 0)
    return;
  if (tensor.element == eval::Element::Bool) {
    int64_t i = 0;
    for (bool value : dense.getValues<bool>())
      tensor.data<uint8_t>()[i++] = value;
    return;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    std::memcpy(tensor.storage.get(), raw.data(), tensor.byteCount());
    return;
  }
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    std::memcpy(tensor.storage.get() + i * raw.size(), raw.data(), raw.size());
}

eval::Tensor tally::nn::hostTensor(ElementsAttr attribute,
                                   RankedTensorType type) {
  eval::Tensor tensor = describe(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
      tensor.storage = borrow(blob->getData());
      return tensor;
    }
    tensor.allocate();
    return tensor;
  }
  fillFromDense(cast<DenseElementsAttr>(attribute), tensor);
  return tensor;
}

ElementsAttr tally::nn::elementsAttr(MLIRContext *context,
                                     const eval::Tensor &tensor,
                                     StringRef name) {
  constexpr int64_t kInlineBytes = 256;
  auto type =
      RankedTensorType::get(tensor.shape, typeOf(context, tensor.element));
  if (tensor.element == eval::Element::Bool) {
    auto bytes = tensor.values<uint8_t>();
    SmallVector<bool> values(bytes.begin(), bytes.end());
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  auto *data = reinterpret_cast<const char *>(tensor.storage.get());
  ArrayRef<char> raw(data, tensor.byteCount());
  if (tensor.byteCount() <= kInlineBytes)
    return DenseElementsAttr::getFromRawBuffer(type, raw);
  auto keepAlive = tensor.storage;
  AsmResourceBlob blob(
      raw, eval::byteSize(tensor.element),
      [keepAlive](void *, size_t, size_t) mutable { keepAlive.reset(); },
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}
