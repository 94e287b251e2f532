//===- AllNodes.cpp - comparing what is inside a graph --------------------===//

#include "tally/driver/AllNodes.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally;

llvm::MapVector<StringRef, Value> tally::namedTensors(func::FuncOp function) {
  llvm::MapVector<StringRef, Value> named;
  for (Operation &op : function.getBody().front().without_terminator())
    for (Value value : op.getResults()) {
      StringRef name = nn::tensorName(value);
      if (isa<nn::ConstantOp>(op) || name.empty())
        continue;
      named.erase(name); // the later one stands in its own place
      named.insert({name, value});
    }
  return named;
}

size_t tally::exposeTensors(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  llvm::StringSet<> taken;
  for (unsigned i = 0; i < results.size(); ++i)
    if (auto name = function.getResultAttrOfType<StringAttr>(i, "nn.name"))
      taken.insert(name.getValue());
  SmallVector<StringRef> added;
  for (auto &[name, value] : namedTensors(function)) {
    if (taken.contains(name))
      continue;
    results.push_back(value);
    added.push_back(name);
  }
  size_t first = results.size() - added.size();
  terminator->setOperands(results);
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(),
                                     ValueRange(results).getTypes()));
  for (auto [i, name] : llvm::enumerate(added))
    function.setResultAttr(first + i, "nn.name",
                           StringAttr::get(function.getContext(), name));
  return added.size();
}

NodeComparison::NodeComparison(std::map<std::string, eval::Tensor> tensors,
                               func::FuncOp function)
    : tensors(std::move(tensors)) {
  for (auto &[name, value] : namedTensors(function))
    names[value] = name.str();
}

static std::string producer(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? nn::nodeName(op) : "";
}

void NodeComparison::observe(Value value, const eval::Tensor &tensor) {
  auto name = names.find(value);
  if (name == names.end())
    return;
  auto found = tensors.find(name->second);
  if (found == tensors.end())
    return;
  const eval::Tensor &ours = found->second;
  if (ours.element != tensor.element || ours.shape != tensor.shape ||
      ours.quant != tensor.quant)
    return;
  ++compared;
  auto difference = compareBits(ours, tensor);
  if (difference && ++different == 1) {
    firstNode = producer(value);
    firstTensor = found->first;
    firstText = describe(*difference, ours, tensor);
  }
  tensors.erase(found); // frees it, and leaves those never seen
}
