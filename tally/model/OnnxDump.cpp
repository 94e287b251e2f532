//===- OnnxDump.cpp - a model as lines of text ----------------------------===//
//
// The test program beside the reader: prints what was read in a form that
// onnx_round_trip.py can make from the same file with the onnx package, or the
// refusal (exit status 1).
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxReader.h"

#include <cstdio>
#include <cstring>

using namespace tally;
using namespace tally::model;

/// The bytes as one number, the last the highest, modulo 2^61 - 1: what Python
/// has in one expression.
static uint64_t remainderOf(std::span<const std::byte> bytes) {
  constexpr uint64_t prime = (uint64_t(1) << 61) - 1;
  uint64_t rest = 0;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    __extension__ using Wide = unsigned __int128;
    rest = static_cast<uint64_t>(
        (Wide(rest) * 256 + std::to_integer<uint64_t>(*byte)) % prime);
  }
  return rest;
}

static std::string text(const TensorData &tensor) {
  std::string out(elementTypeName(tensor.type));
  for (int64_t dim : tensor.dims)
    out += " " + std::to_string(dim);
  char hash[20];
  std::snprintf(hash, sizeof(hash), "%016llx",
                static_cast<unsigned long long>(remainderOf(tensor.bytes)));
  return out + " #" + hash;
}

static std::string text(const ValueInfo &info) {
  if (!info.isTensor())
    return "non-tensor";
  std::string out(elementTypeName(info.type));
  if (!info.dims)
    return out + " ?";
  for (const Dim &dim : *info.dims)
    out += " " + (dim.kind == Dim::Kind::Fixed    ? std::to_string(dim.size)
                  : dim.kind == Dim::Kind::Symbol ? dim.symbol
                                                  : std::string("_"));
  return out;
}

static std::string text(int64_t number) { return std::to_string(number); }
static std::string text(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return std::to_string(bits);
}
static std::string text(const std::string &string) { return string; }
static std::string text(const Attribute::GraphPtr &graph) {
  return "graph " + std::to_string(graph->nodes.size());
}
template <typename T> static std::string text(const std::vector<T> &list) {
  std::string out;
  for (size_t i = 0; i < list.size(); ++i)
    out += (i == 0 ? "" : ",") + text(list[i]);
  return out;
}

static void print(const Node &node) {
  std::printf("node %s %s %lld (%s) -> (%s)\n", node.name.c_str(),
              node.fullOpType().c_str(), static_cast<long long>(node.opset),
              text(node.inputs).c_str(), text(node.outputs).c_str());
  for (const Attribute &attribute : node.attributes)
    std::printf(
        "  %s %s\n", attribute.name.c_str(),
        std::visit([](const auto &held) { return text(held); }, attribute.value)
            .c_str());
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: tally-onnx-dump MODEL [--map]\n");
    return 2;
  }
  bool map = argc == 3 && std::strcmp(argv[2], "--map") == 0;
  Result<Model> model =
      readOnnxFile(argv[1], {map ? ExternalData::Map : ExternalData::Copy});
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error().str().c_str());
    return 1;
  }
  for (const auto &[domain, version] : model->opsets)
    std::printf("opset '%s' %lld\n", domain.c_str(),
                static_cast<long long>(version));
  const Graph &graph = model->graph;
  for (const ValueInfo &input : graph.inputs)
    std::printf("input %s %s\n", input.name.c_str(), text(input).c_str());
  for (const ValueInfo &output : graph.outputs)
    std::printf("output %s %s\n", output.name.c_str(), text(output).c_str());
  for (const TensorData &tensor : graph.initializers)
    std::printf("initializer %s %s\n", tensor.name.c_str(),
                text(tensor).c_str());
  for (const Node &node : graph.nodes)
    print(node);
  return 0;
}
