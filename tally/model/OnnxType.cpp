//===- OnnxType.cpp - ONNX value types to ValueInfo -----------------------===//

#include "tally/model/OnnxType.h"

#include "tally/model/OnnxRules.h"

namespace tally::model {

static Result<ElementType> readElementType(int64_t number,
                                           std::string_view value) {
  if (auto type = elementTypeFromNumber(number))
    return *type;
  return breaks(OnnxRule::TypeUnknown,
                "the value has the unknown element type number " +
                    std::to_string(number),
                value);
}

static Result<Dim> readDim(const onnx::TensorShapeProto::Dimension &proto,
                           std::string_view value) {
  if (proto.has_dim_param()) {
    if (!isUtf8(proto.dim_param()))
      return breaks(OnnxRule::NameEncoding,
                    "the dimension name '" + printable(proto.dim_param()) +
                        "' is not UTF-8",
                    value);
    // Exporters write "?" for each dimension they do not know: two of them
    // are not the same symbol.
    return proto.dim_param().empty() || proto.dim_param() == "?"
               ? Dim::unknown()
               : Dim::named(proto.dim_param());
  }
  if (!proto.has_dim_value() || proto.dim_value() == -1)
    return Dim::unknown();
  if (proto.dim_value() < 0)
    return breaks(OnnxRule::TypeNegative,
                  "the value has a dimension of " +
                      std::to_string(proto.dim_value()),
                  value);
  return Dim::fixed(proto.dim_value());
}

static Result<ValueInfo> readTensorType(const onnx::TypeProto::Tensor &proto,
                                        std::string_view value) {
  Result<ElementType> type = readElementType(proto.elem_type(), value);
  if (!type)
    return type.takeError();
  ValueInfo info;
  info.type = *type;
  if (!proto.has_shape())
    return info;
  info.dims.emplace();
  for (const auto &dimProto : proto.shape().dim()) {
    Result<Dim> dim = readDim(dimProto, value);
    if (!dim)
      return dim.takeError();
    info.dims->push_back(std::move(*dim));
  }
  return info;
}

static std::string elementText(int64_t number) {
  auto type = elementTypeFromNumber(number);
  return type ? std::string(elementTypeName(*type))
              : "type " + std::to_string(number);
}

/// "sequence(tensor(float32))" and the like; at most maxMessageDepth deep.
static std::string describe(const onnx::TypeProto &proto) {
  switch (proto.value_case()) {
  case onnx::TypeProto::kTensorType:
    return "tensor(" + elementText(proto.tensor_type().elem_type()) + ")";
  case onnx::TypeProto::kSparseTensorType:
    return "sparse_tensor(" +
           elementText(proto.sparse_tensor_type().elem_type()) + ")";
  case onnx::TypeProto::kSequenceType:
    return "sequence(" + describe(proto.sequence_type().elem_type()) + ")";
  case onnx::TypeProto::kOptionalType:
    return "optional(" + describe(proto.optional_type().elem_type()) + ")";
  case onnx::TypeProto::kMapType:
    return "map(" + elementText(proto.map_type().key_type()) + ", " +
           describe(proto.map_type().value_type()) + ")";
  case onnx::TypeProto::kOpaqueType:
    return "opaque(" + printable(proto.opaque_type().domain()) + "." +
           printable(proto.opaque_type().name()) + ")";
  case onnx::TypeProto::VALUE_NOT_SET:
    break;
  }
  return "unknown";
}

Result<ValueInfo> readType(const onnx::TypeProto &proto,
                           std::string_view value) {
  if (proto.value_case() == onnx::TypeProto::kTensorType)
    return readTensorType(proto.tensor_type(), value);
  ValueInfo info;
  if (proto.value_case() != onnx::TypeProto::VALUE_NOT_SET)
    info.nonTensor = describe(proto);
  return info;
}

} // namespace tally::model
