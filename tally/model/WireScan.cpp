//===- WireScan.cpp - a look at a file before it is parsed ----------------===//
//
// Idea: protobuf's wire format is a list of fields, each a number and a wire
// type; a field of wire type 2 states its length. Which of those are messages
// only the schema knows, so one small table lists the message fields of ours.
// Everything else is skipped, tensor data included, so the walk costs a few
// percent of the parse.
//
// Example: 3A 02 0A 00 is field 7 (a model's graph), 2 bytes long, holding
// field 1 (a node) of no bytes: two objects, the deepest at level two.
//
// Source: the encoding page of the protobuf documentation.
//
//===----------------------------------------------------------------------===//

#include "tally/model/WireScan.h"

#include "tally/model/OnnxRules.h"
#include "tally/model/onnx.pb.h"

#include <google/protobuf/io/coded_stream.h>

#include <string_view>
#include <vector>

namespace tally::model {

namespace {

enum class Kind : uint8_t {
  Model,
  OperatorSet,
  Entry,
  Function,
  Graph,
  Node,
  Attribute,
  Tensor,
  Segment,
  SparseTensor,
  ValueInfo,
  Type,
  TensorType,
  SequenceType,
  MapType,
  OpaqueType,
  Shape,
  Dimension,
};

struct MessageField {
  Kind parent;
  uint32_t number;
  Kind child;
};

constexpr MessageField messageFields[] = {
    {Kind::Model, 7, Kind::Graph},
    {Kind::Model, 8, Kind::OperatorSet},
    {Kind::Model, 14, Kind::Entry},
    {Kind::Model, 25, Kind::Function},
    {Kind::Function, 7, Kind::Node},
    {Kind::Function, 9, Kind::OperatorSet},
    {Kind::Function, 11, Kind::Attribute},
    {Kind::Function, 12, Kind::ValueInfo},
    {Kind::Graph, 1, Kind::Node},
    {Kind::Graph, 5, Kind::Tensor},
    {Kind::Graph, 11, Kind::ValueInfo},
    {Kind::Graph, 12, Kind::ValueInfo},
    {Kind::Graph, 13, Kind::ValueInfo},
    {Kind::Graph, 15, Kind::SparseTensor},
    {Kind::Node, 5, Kind::Attribute},
    {Kind::Attribute, 5, Kind::Tensor},
    {Kind::Attribute, 6, Kind::Graph},
    {Kind::Attribute, 10, Kind::Tensor},
    {Kind::Attribute, 11, Kind::Graph},
    {Kind::Attribute, 14, Kind::Type},
    {Kind::Attribute, 15, Kind::Type},
    {Kind::Attribute, 22, Kind::SparseTensor},
    {Kind::Attribute, 23, Kind::SparseTensor},
    {Kind::Tensor, 3, Kind::Segment},
    {Kind::Tensor, 13, Kind::Entry},
    {Kind::SparseTensor, 1, Kind::Tensor},
    {Kind::ValueInfo, 2, Kind::Type},
    {Kind::Type, 1, Kind::TensorType},
    {Kind::Type, 4, Kind::SequenceType},
    {Kind::Type, 5, Kind::MapType},
    {Kind::Type, 7, Kind::OpaqueType},
    {Kind::Type, 8, Kind::TensorType},
    {Kind::Type, 9, Kind::SequenceType},
    {Kind::TensorType, 2, Kind::Shape},
    {Kind::SequenceType, 1, Kind::Type},
    {Kind::MapType, 2, Kind::Type},
    {Kind::Shape, 1, Kind::Dimension},
};

struct KindFacts {
  std::string_view name;
  size_t objectBytes; ///< in protobuf's memory
};

constexpr KindFacts kindFacts[] = {
    {"model", sizeof(onnx::ModelProto)},
    {"opset_import", sizeof(onnx::OperatorSetIdProto)},
    {"entry", sizeof(onnx::StringStringEntryProto)},
    {"function", sizeof(onnx::FunctionProto)},
    {"graph", sizeof(onnx::GraphProto)},
    {"node", sizeof(onnx::NodeProto)},
    {"attribute", sizeof(onnx::AttributeProto)},
    {"tensor", sizeof(onnx::TensorProto)},
    {"segment", sizeof(onnx::TensorProto::Segment)},
    {"sparse tensor", sizeof(onnx::SparseTensorProto)},
    {"value info", sizeof(onnx::ValueInfoProto)},
    {"type", sizeof(onnx::TypeProto)},
    {"tensor type", sizeof(onnx::TypeProto::Tensor)},
    {"sequence type", sizeof(onnx::TypeProto::Sequence)},
    {"map type", sizeof(onnx::TypeProto::Map)},
    {"opaque type", sizeof(onnx::TypeProto::Opaque)},
    {"shape", sizeof(onnx::TensorShapeProto)},
    {"dimension", sizeof(onnx::TensorShapeProto::Dimension)},
};

class Scanner {
public:
  Scanner(google::protobuf::io::CodedInputStream &input, uint64_t size)
      : input(input), objectLimit(32 * size + (64u << 20)) {}

  Status scan(Kind kind);

private:
  Status scanField(Kind kind, uint32_t tag);
  Status scanLengthDelimited(Kind kind, uint32_t number);
  Status damaged(std::string_view what) const;

  google::protobuf::io::CodedInputStream &input;
  uint64_t objectLimit;
  uint64_t objectBytes = 0;
  std::vector<Kind> inside;
};

} // namespace

static const Kind *childKind(Kind parent, uint32_t number) {
  for (const MessageField &field : messageFields)
    if (field.parent == parent && field.number == number)
      return &field.child;
  return nullptr;
}

Status Scanner::damaged(std::string_view what) const {
  std::string where;
  size_t shown = 0;
  for (Kind kind : inside) {
    where += where.empty() ? "" : " > ";
    where += kindFacts[static_cast<size_t>(kind)].name;
    if (++shown == 8)
      break;
  }
  return breaks(OnnxRule::FileDamaged,
                "not a well-formed ONNX file: " + std::string(what) +
                    " at byte " + std::to_string(input.CurrentPosition()) +
                    " (inside " + where + ")");
}

Status Scanner::scan(Kind kind) {
  if (static_cast<int>(inside.size()) >= maxMessageDepth)
    return breaks(OnnxRule::LimitDepth, "the file nests messages more than " +
                                            std::to_string(maxMessageDepth) +
                                            " levels deep");
  objectBytes += kindFacts[static_cast<size_t>(kind)].objectBytes + 16;
  if (objectBytes > objectLimit)
    return breaks(OnnxRule::LimitObjects,
                  "the objects of the file would take more than " +
                      std::to_string(objectLimit) + " bytes of memory");
  inside.push_back(kind);
  while (uint32_t tag = input.ReadTag())
    if (Status field = scanField(kind, tag); !field)
      return field;
  if (!input.ConsumedEntireMessage())
    return damaged("a broken field number");
  inside.pop_back();
  return Status::success();
}

Status Scanner::scanField(Kind kind, uint32_t tag) {
  uint64_t ignored;
  if (tag >> 3 == 0)
    return damaged("a field numbered 0");
  switch (tag & 7) {
  case 0:
    return input.ReadVarint64(&ignored) ? Status::success()
                                        : damaged("a cut-off number");
  case 1:
    return input.Skip(8) ? Status::success() : damaged("a cut-off number");
  case 2:
    return scanLengthDelimited(kind, tag >> 3);
  case 5:
    return input.Skip(4) ? Status::success() : damaged("a cut-off number");
  default: // groups (3 and 4) never occur in ONNX; 6 and 7 do not exist
    return damaged("a field of an unknown kind");
  }
}

Status Scanner::scanLengthDelimited(Kind kind, uint32_t number) {
  uint32_t length;
  if (!input.ReadVarint32(&length))
    return damaged("a cut-off length");
  if (length > INT32_MAX)
    return damaged("a length above 2 GiB");
  const Kind *child = childKind(kind, number);
  if (!child)
    return input.Skip(static_cast<int>(length))
               ? Status::success()
               : damaged("data ends too early: " + std::to_string(length) +
                         " bytes are announced");
  auto outer = input.PushLimit(static_cast<int>(length));
  if (input.BytesUntilLimit() != static_cast<int>(length))
    return damaged("a message reaches past the one around it");
  if (Status inner = scan(*child); !inner)
    return inner;
  if (input.BytesUntilLimit() != 0)
    return damaged("a message ends too early");
  input.PopLimit(outer);
  return Status::success();
}

Status scanModelWire(google::protobuf::io::CodedInputStream &input,
                     uint64_t size) {
  auto outer = input.PushLimit(static_cast<int>(size));
  Status status = Scanner(input, size).scan(Kind::Model);
  input.PopLimit(outer);
  return status;
}

} // namespace tally::model
