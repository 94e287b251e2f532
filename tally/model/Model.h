//===- Model.h - a network as its file states it ----------------*- C++ -*-===//
//
// Neutral structs between a file format and our dialects. A reader (see
// OnnxReader.h) fills them; nothing here knows protobuf or MLIR.
//
// What a reader guarantees, so that a user of these structs need not check:
//
//   * Every value name is defined once per graph: by an input, an initializer
//     or a node output. Names of a nested graph never hide outer names.
//   * Every non-empty node input is defined in its graph or in an enclosing
//     one, and nodes stand in an order in which definitions come before uses.
//     Uses inside a node's nested graphs count as uses by that node.
//   * Every graph output is such a defined value.
//   * Node names are not empty and unique in the whole model. (A nested graph
//     that a call handed to several nodes of a function is one object that
//     those nodes share.)
//   * Names are valid UTF-8 and may hold any character; `printable` makes one
//     fit for a message.
//   * A tensor has as many bytes as its dimensions and element type need.
//   * There are no calls of model-local functions, no attribute references
//     and no Constant nodes left: bodies are inlined, constants are
//     initializers of the graph where they stood.
//
// Models can be moved; tensor bytes are shared and never change.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_MODEL_MODEL_H
#define TALLY_MODEL_MODEL_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tally::model {

/// Element types, with ONNX's numbers (TensorProto.DataType).
enum class ElementType : uint8_t {
  Undefined = 0,
  Float32 = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Float64 = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
  Float6E2M3 = 27,
  Float6E3M2 = 28,
};

/// The type with ONNX's number, or nothing for a number we do not know.
/// Zero gives Undefined.
std::optional<ElementType> elementTypeFromNumber(int64_t number);

/// "float32", "int4", ...; "undefined" for Undefined.
std::string_view elementTypeName(ElementType type);

/// Bits of one stored element (a Bool takes 8); 0 for String and Undefined.
unsigned elementBits(ElementType type);

/// Signed or unsigned integer of any width; Bool is not one.
bool isInteger(ElementType type);
bool isSignedInteger(ElementType type);

/// Bytes that `count` >= 0 elements take when packed without gaps, rounded up
/// to whole bytes; nothing for String, Undefined, or when it does not fit.
std::optional<int64_t> packedBytes(ElementType type, int64_t count);

/// Constant numbers. Copying one shares the bytes.
///
/// Bytes are row-major and little-endian. Elements below 8 bits are packed
/// without gaps from the low bits up: of two int4 in a byte the first is the
/// low nibble. What the unused high bits of the last byte hold is unspecified.
/// A Bool byte is 0 or 1. There is no alignment promise: read with memcpy.
struct TensorData {
  std::string name; ///< value name; empty for an unnamed attribute
  ElementType type = ElementType::Undefined;
  std::vector<int64_t> dims;        ///< each >= 0; empty for a scalar
  std::span<const std::byte> bytes; ///< valid as long as `owner` lives
  std::shared_ptr<const void> owner;

  /// Product of the dimensions; a reader has checked that it fits.
  int64_t elementCount() const;
};

/// One dimension of a value's shape.
struct Dim {
  enum class Kind { Fixed, Symbol, Unknown };
  Kind kind = Kind::Unknown;
  int64_t size = 0;   ///< Fixed: >= 0
  std::string symbol; ///< Symbol: the model's own name, such as "batch"

  static Dim fixed(int64_t size) { return {Kind::Fixed, size, {}}; }
  static Dim named(std::string symbol) {
    return {Kind::Symbol, 0, std::move(symbol)};
  }
  static Dim unknown() { return {}; }
  bool operator==(const Dim &) const = default;
};

/// What the file says about a value. Inputs and outputs of nested graphs, and
/// outputs of the main graph, may be without type or rank; inputs of the main
/// graph that are tensors always have an element type.
struct ValueInfo {
  std::string name;
  ElementType type = ElementType::Undefined;
  /// Nothing: the rank is not stated. An empty list: a scalar.
  std::optional<std::vector<Dim>> dims;
  /// Not empty for anything but a dense tensor: its description, such as
  /// "sequence(tensor(float32))". `type` and `dims` then say nothing.
  std::string nonTensor;

  bool isTensor() const { return nonTensor.empty(); }
};

struct Graph;

/// A named setting of a node. Nested graphs are shared and never change.
struct Attribute {
  using GraphPtr = std::shared_ptr<const Graph>;
  using Value =
      std::variant<int64_t, float, std::string, TensorData, GraphPtr, ValueInfo,
                   std::vector<int64_t>, std::vector<float>,
                   std::vector<std::string>, std::vector<TensorData>,
                   std::vector<GraphPtr>, std::vector<ValueInfo>>;

  std::string name;
  /// ValueInfo stands for a type attribute and has no name.
  Value value;

  /// "int", "floats", "tensor", ... : the kind of `value`, for messages.
  std::string_view kindName() const;
};

/// One operator application.
struct Node {
  std::string domain; ///< "" for the standard operators ("ai.onnx")
  std::string opType;
  /// Version of `domain`'s operator set that gives this node its meaning.
  /// Bodies of functions may import another version than the model does.
  int64_t opset = 0;
  /// The file's name or a made-up "Conv_12" (position in its graph); inside
  /// an inlined body it is prefixed by the call's name and a slash.
  std::string name;
  std::vector<std::string> inputs;   ///< "" where an optional one is left out
  std::vector<std::string> outputs;  ///< "" where an optional one is left out
  std::vector<Attribute> attributes; ///< distinct names, in the file's order
  std::string doc;

  /// "Conv" or "com.microsoft.QLinearAdd".
  std::string fullOpType() const;

  /// The attribute's value, or null when there is none of that name.
  const Attribute *attribute(std::string_view name) const;

  /// The attribute's value when present with that kind, or null; a caller
  /// that must tell "absent" from "of another kind" asks `attribute`.
  template <typename T> const T *attributeAs(std::string_view name) const {
    const Attribute *found = attribute(name);
    return found ? std::get_if<T>(&found->value) : nullptr;
  }

  /// Whether input `index` exists and is not left out.
  bool hasInput(size_t index) const {
    return index < inputs.size() && !inputs[index].empty();
  }
  bool hasOutput(size_t index) const {
    return index < outputs.size() && !outputs[index].empty();
  }
};

/// A main or nested graph.
struct Graph {
  std::string name;
  /// Without the inputs that only announce an initializer.
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs; ///< distinct names
  std::vector<TensorData> initializers;
  std::vector<Node> nodes; ///< definitions before uses
  /// What the file says about other values; distinct names, a hint only.
  std::vector<ValueInfo> valueInfos;
  std::string doc;
};

/// Calls `visit` with all names that `node` and the graphs in it read. Names
/// defined in those graphs come along; they are none of the node's own graph.
void visitReads(const Node &node,
                const std::function<void(const std::string &)> &visit);

/// Calls `visit` with all nodes of `graph` and of the graphs in it, each with
/// the graph where it stands, outer nodes before inner ones.
void visitNodes(const Graph &graph,
                const std::function<void(const Graph &, const Node &)> &visit);

/// A whole model.
struct Model {
  int64_t irVersion = 0;
  std::map<std::string, int64_t> opsets; ///< domain -> version; "" = standard
  std::string producerName;
  std::string producerVersion;
  std::string domain;
  int64_t modelVersion = 0;
  std::string doc;
  std::map<std::string, std::string> metadata;
  Graph graph;
};

/// `text` for a message: control characters, backslashes and bytes
/// that are not UTF-8 become \xNN, and long text is cut in the middle with
/// "..." so that at most about `limit` bytes remain.
std::string printable(std::string_view text, size_t limit = 120);

/// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates).
bool isUtf8(std::string_view text);

} // namespace tally::model

#endif // TALLY_MODEL_MODEL_H
