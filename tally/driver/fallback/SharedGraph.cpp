//===- SharedGraph.cpp - a graph that is cut into segments ----------------===//

#include "tally/driver/fallback/SharedGraph.h"
#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/ops/Cost.h"
#include "tally/ops/Ops.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;

static eval::Tensor described(Value value) {
  return nn::describe(cast<RankedTensorType>(value.getType()));
}

/// Multiply-adds, and one operation for each element that is stored.
static int64_t operationsOf(Operation &op) {
  if (llvm::isa<nn::ConstantOp>(op))
    return 0;
  int64_t operations = nn::multiplyAdds(&op).value_or(0);
  for (Value result : op.getResults())
    operations += described(result).count();
  return operations;
}

SharedGraph::SharedGraph(func::FuncOp function) : function(function) {
  for (BlockArgument argument : function.getArguments())
    addTensor(argument, -1);
  Operation *terminator = function.getBody().front().getTerminator();
  for (Operation &op : function.getBody().front().without_terminator()) {
    bool isReturned = llvm::is_contained(op.getUsers(), terminator);
    if (!llvm::isa<nn::ConstantOp>(op) || isReturned)
      addNode(op);
  }
  addOutputs();
}

/// The model's name; numbered where it has none or another tensor has it, as
/// after a rewrite that makes several operations of a node.
std::string SharedGraph::freshName(Value value) {
  std::string name = nn::tensorName(value).str();
  if (name.empty())
    name = "tensor";
  std::string fresh = name;
  for (int64_t i = 2; llvm::is_contained(names, fresh); ++i)
    fresh = name + "#" + std::to_string(i);
  return fresh;
}

void SharedGraph::addTensor(Value value, int64_t producer) {
  numbers[value] = int64_t(values.size());
  names.push_back(freshName(value));
  values.push_back(value);
  parts.tensors.push_back({described(value).byteCount(), producer, false});
}

void SharedGraph::addNode(Operation &op) {
  schedule::PartitionNode node;
  for (Value operand : op.getOperands()) {
    auto number = numbers.find(operand);
    if (!operand.getDefiningOp<nn::ConstantOp>() &&
        !llvm::is_contained(node.reads, number->second))
      node.reads.push_back(number->second);
  }
  node.operations = operationsOf(op);
  for (Value result : op.getResults())
    addTensor(result, int64_t(nodes.size()));
  nodes.push_back(&op);
  parts.nodes.push_back(std::move(node));
}

void SharedGraph::addOutputs() {
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    parts.tensors[size_t(numbers[result])].isOutput = true;
}

std::string SharedGraph::nodeName(int64_t node) const {
  return nn::nodeName(nodes[size_t(node)]);
}

std::vector<std::string> SharedGraph::nodeNames(int64_t node) const {
  std::vector<std::string> result;
  if (auto fused = dyn_cast<nn::FusedOp>(nodes[size_t(node)]))
    for (Operation *stage : fused.chain())
      result.push_back(nn::nodeName(stage));
  else
    result.push_back(nodeName(node));
  return result;
}

runtime::TensorInterface SharedGraph::tensor(int64_t number) const {
  eval::Tensor tensor = described(values[size_t(number)]);
  return {names[size_t(number)], tensor.element, tensor.shape, tensor.quant};
}

static std::string nameOf(StringAttr name, const char *kind, int64_t i) {
  return name ? name.str() : kind + std::to_string(i);
}

std::vector<runtime::Port> SharedGraph::inputs() const {
  std::vector<runtime::Port> ports;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    ports.push_back({nameOf(function.getArgAttrOfType<StringAttr>(i, "nn.name"),
                            "input", i),
                     int64_t(i)});
  return ports;
}

std::vector<runtime::Port> SharedGraph::outputs() const {
  std::vector<runtime::Port> ports;
  auto results = function.getBody().front().getTerminator()->getOperands();
  for (auto [i, result] : llvm::enumerate(results))
    ports.push_back(
        {nameOf(function.getResultAttrOfType<StringAttr>(i, "nn.name"),
                "output", int64_t(i)),
         numbers.lookup(result)});
  return ports;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static void copyNode(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  for (Value operand : op->getOperands())
    if (auto constant = operand.getDefiningOp<nn::ConstantOp>();
        constant && !mapping.contains(operand))
      builder.clone(*constant, mapping);
  if (!llvm::isa<nn::ConstantOp>(op) || !mapping.contains(op->getResult(0)))
    builder.clone(*op, mapping);
}

func::FuncOp SharedGraph::addMain(OpBuilder &builder, ArrayRef<int64_t> inputs,
                                  ArrayRef<int64_t> outputs) const {
  auto typesOf = [&](ArrayRef<int64_t> tensors) {
    return llvm::map_to_vector(
        tensors, [&](int64_t t) { return values[size_t(t)].getType(); });
  };
  auto main = func::FuncOp::create(
      builder, function.getLoc(), "main",
      builder.getFunctionType(typesOf(inputs), typesOf(outputs)));
  for (auto [i, tensor] : llvm::enumerate(inputs))
    main.setArgAttr(i, "nn.name", builder.getStringAttr(names[size_t(tensor)]));
  for (auto [i, tensor] : llvm::enumerate(outputs))
    main.setResultAttr(i, "nn.name",
                       builder.getStringAttr(names[size_t(tensor)]));
  builder.setInsertionPointToStart(main.addEntryBlock());
  return main;
}

OwningOpRef<ModuleOp> SharedGraph::outline(ArrayRef<int64_t> part,
                                           ArrayRef<int64_t> inputs,
                                           ArrayRef<int64_t> outputs) const {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  OpBuilder builder(module->getBodyRegion());
  func::FuncOp main = addMain(builder, inputs, outputs);
  IRMapping mapping;
  for (auto [i, tensor] : llvm::enumerate(inputs))
    mapping.map(values[size_t(tensor)], main.getArgument(i));
  for (int64_t node : part)
    copyNode(builder, nodes[size_t(node)], mapping);
  SmallVector<Value> results;
  for (int64_t tensor : outputs)
    results.push_back(mapping.lookup(values[size_t(tensor)]));
  func::ReturnOp::create(builder, function.getLoc(), results);
  return module;
}

OwningOpRef<ModuleOp> SharedGraph::outline(int64_t node) const {
  SmallVector<int64_t> results;
  for (Value result : nodes[size_t(node)]->getResults())
    results.push_back(numbers.lookup(result));
  return outline({node}, parts.nodes[size_t(node)].reads, results);
}
