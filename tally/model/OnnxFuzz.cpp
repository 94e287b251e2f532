//===- OnnxFuzz.cpp - any bytes at all ------------------------------------===//
//
// A libFuzzer program (preset `fuzz`, target OnnxFuzz). Whatever the
// bytes, the reader must return; a refusal must name its rule, and a model
// that is accepted must keep what Model.h promises, which is checked here
// with code of its own. Seeds: make_fuzz_seeds.py.
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxReader.h"

#include <cstdio>
#include <cstdlib>
#include <set>

using namespace tally;
using namespace tally::model;

static void require(bool holds, const char *what, const std::string &about) {
  if (holds)
    return;
  std::fprintf(stderr, "broken promise: %s: %s\n", what, about.c_str());
  std::abort();
}

static void checkTensor(const TensorData &tensor) {
  __int128 bits = elementBits(tensor.type);
  require(bits != 0, "a tensor holds numbers", tensor.name);
  for (int64_t dim : tensor.dims)
    bits *= dim; // cannot wrap when the promise holds: the bytes are there
  require((bits + 7) / 8 == static_cast<__int128>(tensor.bytes.size()),
          "a tensor has the bytes of its shape", tensor.name);
  unsigned char sum = 0;
  for (std::byte byte : tensor.bytes)
    sum ^= std::to_integer<unsigned char>(byte);
  volatile unsigned char sink = sum; // the sanitizer sees each byte read
  (void)sink;
}

namespace {
/// What the whole model has shown so far.
struct Seen {
  std::set<std::string> nodeNames;
  std::set<const Graph *> graphs;
};
} // namespace

static void checkGraph(const Graph &graph, std::set<std::string> visible,
                       Seen &seen, bool isNew);

static void checkNested(const Graph &graph,
                        const std::set<std::string> &visible, Seen &seen) {
  checkGraph(graph, visible, seen, seen.graphs.insert(&graph).second);
}

static void checkNode(const Node &node, const std::set<std::string> &visible,
                      Seen &seen, bool isNew) {
  require(!node.name.empty() && isUtf8(node.name), "nodes have names", "");
  require(!isNew || seen.nodeNames.insert(node.name).second,
          "node names are unique", node.name);
  require(node.opset >= 1, "nodes have an opset", node.name);
  for (const std::string &input : node.inputs)
    require(input.empty() || visible.contains(input),
            "inputs are defined before", input);
  for (const Attribute &attribute : node.attributes) {
    if (auto *tensor = std::get_if<TensorData>(&attribute.value))
      checkTensor(*tensor);
    if (auto *inner = std::get_if<Attribute::GraphPtr>(&attribute.value))
      checkNested(**inner, visible, seen);
    if (auto *list =
            std::get_if<std::vector<Attribute::GraphPtr>>(&attribute.value))
      for (const Attribute::GraphPtr &inner : *list)
        checkNested(*inner, visible, seen);
  }
}

static void checkGraph(const Graph &graph, std::set<std::string> visible,
                       Seen &seen, bool isNew) {
  auto define = [&](const std::string &name) {
    require(visible.insert(name).second, "values are defined once", name);
  };
  for (const ValueInfo &input : graph.inputs)
    define(input.name);
  for (const TensorData &initializer : graph.initializers) {
    define(initializer.name);
    checkTensor(initializer);
  }
  for (const Node &node : graph.nodes) {
    checkNode(node, visible, seen, isNew);
    for (const std::string &output : node.outputs)
      if (!output.empty())
        define(output);
  }
  for (const ValueInfo &output : graph.outputs)
    require(visible.contains(output.name), "outputs are defined", output.name);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Model> model = readOnnxBytes(
      {reinterpret_cast<const std::byte *>(data), size}, {}, {}, "fuzz");
  if (model) {
    Seen seen;
    checkGraph(model->graph, {}, seen, true);
    return 0;
  }
  const Diagnostic &failure = model.error();
  require(!failure.rule.empty(), "a refusal names its rule", failure.message);
  require(isUtf8(failure.str()), "messages are printable", failure.rule);
  require(failure.kind == FailureKind::Model ||
              failure.kind == FailureKind::Unsupported,
          "bytes alone are the model's fault", failure.str());
  return 0;
}
