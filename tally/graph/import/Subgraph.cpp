//===- Subgraph.cpp - copies of a node's nested graphs --------------------===//
//
// Names of a nested graph never hide outer names, so its values stand beside
// the outer ones while a copy is made, and are forgotten after it: the next
// copy, or another graph, defines them anew.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/Subgraph.h"
#include "tally/graph/import/ImportedConstant.h"
#include "tally/graph/import/UnsupportedNodes.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static constexpr int64_t kMaxUnrolled = 1 << 16;

//===----------------------------------------------------------------------===//
// Values with their model types
//===----------------------------------------------------------------------===//

static ImportedValue lookUp(ImportedValues &scope, const std::string &name) {
  auto narrow = scope.narrow.find(name);
  return {scope.values.lookup(name), narrow == scope.narrow.end()
                                         ? std::nullopt
                                         : std::optional(narrow->second)};
}

ImportedValue tally::nn::importedInput(NodeImport &node, size_t i) {
  return lookUp(node.scope(), node.node.inputs[i]);
}

Status tally::nn::bindImported(NodeImport &node, size_t i,
                               const ImportedValue &value) {
  if (Status status = node.bind(i, value.value); !status)
    return status;
  if (value.narrow && node.node.hasOutput(i))
    node.scope().narrow[node.node.outputs[i]] = *value.narrow;
  return Status::success();
}

Status tally::nn::bindAllImported(NodeImport &node,
                                  Result<std::vector<ImportedValue>> values) {
  if (!values)
    return values.takeError();
  for (size_t i = 0; i < values->size(); ++i)
    if (Status status = bindImported(node, i, (*values)[i]); !status)
      return status;
  return Status::success();
}

Status tally::nn::chargeUnrolled(NodeImport &node, int64_t count) {
  int64_t &total = node.scope().unrolled;
  if (count <= kMaxUnrolled - total) {
    total += count;
    return Status::success();
  }
  return node.failure(FailureKind::Unsupported, "FLOW-4",
                      "loops and recurrences unroll to more than " +
                          std::to_string(kMaxUnrolled) + " nodes",
                      "let one call handle fewer steps, and carry the state "
                      "from call to call");
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Result<Subgraph> Subgraph::of(NodeImport &node, const char *name, size_t inputs,
                              size_t outputs) {
  auto graph = node.graphAttr(name);
  if (!graph)
    return graph.takeError();
  auto misfit = [&](const char *what, size_t found, size_t wanted) {
    return node.failure(FailureKind::Model, "FLOW-5",
                        "the graph '" + std::string(name) + "' has " +
                            std::to_string(found) + " " + what + ", not " +
                            std::to_string(wanted));
  };
  if ((*graph)->inputs.size() != inputs)
    return misfit("inputs", (*graph)->inputs.size(), inputs);
  if ((*graph)->outputs.size() != outputs)
    return misfit("outputs", (*graph)->outputs.size(), outputs);
  std::vector<const model::Node *> nodes;
  for (const model::Node &inner : (*graph)->nodes)
    nodes.push_back(&inner);
  if (Status status = checkSupported(nodes); !status)
    return status.takeError();
  return Subgraph(node, **graph);
}

int64_t Subgraph::nodeCount() const {
  int64_t count = 0;
  model::visitNodes(*body, [&](const auto &, const auto &) { ++count; });
  return count;
}

void Subgraph::define(ArrayRef<ImportedValue> inputs) {
  ImportedValues &scope = node->scope();
  for (auto [info, input] : llvm::zip_equal(body->inputs, inputs)) {
    scope.values[info.name] = input.value;
    if (input.narrow)
      scope.narrow[info.name] = *input.narrow;
  }
}

Status Subgraph::importNodes() {
  ImportedValues &scope = node->scope();
  for (const model::TensorData &data : body->initializers)
    if (Status status = importConstant(node->builder, scope, data); !status)
      return status;
  for (const model::Node &inner : body->nodes)
    if (Status status = importNode(node->builder, scope, inner); !status)
      return status;
  return Status::success();
}

std::vector<ImportedValue> Subgraph::results() {
  std::vector<ImportedValue> values;
  for (const model::ValueInfo &output : body->outputs)
    values.push_back(lookUp(node->scope(), output.name));
  return values;
}

void Subgraph::forget() {
  auto forgetName = [&](const std::string &name) {
    node->scope().values.erase(name);
    node->scope().narrow.erase(name);
  };
  for (const model::ValueInfo &input : body->inputs)
    forgetName(input.name);
  for (const model::TensorData &data : body->initializers)
    forgetName(data.name);
  for (const model::Node &inner : body->nodes)
    llvm::for_each(inner.outputs, forgetName);
}

Result<std::vector<ImportedValue>>
Subgraph::copy(ArrayRef<ImportedValue> inputs, const std::string &suffix) {
  auto nodes = static_cast<int64_t>(body->nodes.size());
  if (Status status = chargeUnrolled(*node, nodes); !status)
    return status.takeError();
  std::string outer = node->scope().suffix;
  llvm::scope_exit leave([&] {
    forget();
    node->scope().suffix = outer;
  });
  node->scope().suffix += suffix;
  define(inputs);
  if (Status status = importNodes(); !status)
    return status.takeError();
  return results();
}
