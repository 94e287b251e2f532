//===- Edits.cpp - single changes of a graph ------------------------------===//

#include "tally/fuzz/Edits.h"
#include "tally/eval/Evaluator.h"
#include "tally/graph/Rejection.h"
#include "tally/ops/Inference.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/CleanUp.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

static Block &bodyOf(const Graph &graph) {
  return graph.main().getBody().front();
}

size_t fuzz::countOperations(const Graph &graph) {
  return std::distance(bodyOf(graph).begin(), bodyOf(graph).end()) - 1;
}

Operation *fuzz::operationAt(const Graph &graph, size_t index) {
  return &*std::next(bodyOf(graph).begin(), static_cast<int64_t>(index));
}

Operation *fuzz::returnOf(const Graph &graph) {
  return bodyOf(graph).getTerminator();
}

llvm::DenseMap<Value, eval::Tensor> fuzz::evaluateAll(const Graph &graph) {
  llvm::DenseMap<Value, eval::Tensor> values;
  for (auto [argument, tensor] :
       llvm::zip(graph.main().getArguments(), graph.inputs))
    values[argument] = tensor;
  for (Operation &op : bodyOf(graph).without_terminator()) {
    std::vector<const eval::Tensor *> operands;
    bool isKnown = true;
    for (Value operand : cast<nn::Operator>(op).positionalOperands()) {
      isKnown &= !operand || values.contains(operand);
      operands.push_back(operand ? &values[operand] : nullptr);
    }
    if (!isKnown)
      continue;
    if (auto results = eval::evaluateOperation(&op, operands))
      for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
        values[value] = std::move(tensor);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

static void updateType(const Graph &graph) {
  func::FuncOp main = graph.main();
  main.setType(FunctionType::get(main.getContext(),
                                 bodyOf(graph).getArgumentTypes(),
                                 returnOf(graph)->getOperandTypes()));
}

Value fuzz::addInput(Graph &graph, Type type, const eval::Tensor &value) {
  func::FuncOp main = graph.main();
  unsigned index = main.getNumArguments();
  (void)main.insertArgument(index, type, {}, main.getLoc());
  graph.inputs.push_back(value);
  return main.getArgument(index);
}

void fuzz::tidy(Graph &graph) {
  func::FuncOp main = graph.main();
  rewrite::removeDead(main);
  for (unsigned i = main.getNumArguments(); i-- > 0;) {
    if (!main.getArgument(i).use_empty())
      continue;
    (void)main.eraseArgument(i);
    graph.inputs.erase(graph.inputs.begin() + i);
  }
  updateType(graph);
}

//===----------------------------------------------------------------------===//
// Data and shapes
//===----------------------------------------------------------------------===//

std::vector<Source> fuzz::sourcesOf(const Graph &graph) {
  std::vector<Source> sources;
  for (auto [argument, tensor] :
       llvm::zip(graph.main().getArguments(), graph.inputs))
    sources.push_back({argument, tensor});
  for (auto constant : bodyOf(graph).getOps<nn::ConstantOp>())
    sources.push_back({constant.getResult(),
                       nn::hostTensor(constant.getValue(),
                                      nn::tensorType(constant.getResult()))});
  return sources;
}

void fuzz::replaceSource(Graph &graph, size_t index,
                         const eval::Tensor &tensor) {
  Source source = sourcesOf(graph)[index];
  MLIRContext *context = graph.module->getContext();
  Type element = nn::elementType(source.value);
  if (tensor.quant)
    element = nn::quantizedType(context, *tensor.quant);
  source.value.setType(RankedTensorType::get(tensor.shape, element));
  if (auto argument = dyn_cast<BlockArgument>(source.value))
    graph.inputs[argument.getArgNumber()] = tensor;
  else
    source.value.getDefiningOp<nn::ConstantOp>().setValueAttr(
        nn::elementsAttr(context, tensor, "c"));
}

eval::Tensor fuzz::firstOf(const eval::Tensor &tensor, int64_t axis,
                           int64_t size) {
  eval::Tensor result = tensor;
  result.shape[axis] = size;
  result.allocate();
  if (result.quant && result.quant->axis == axis) {
    result.quant->scales.resize(size);
    result.quant->zeroPoints.resize(size);
  }
  int64_t row = eval::byteSize(tensor.element);
  for (size_t d = axis + 1; d < tensor.shape.size(); ++d)
    row *= tensor.shape[d];
  int64_t blocks = row && size ? result.byteCount() / (row * size) : 0;
  for (int64_t block = 0; block < blocks; ++block)
    std::memcpy(result.storage.get() + block * row * size,
                tensor.storage.get() + block * row * tensor.shape[axis],
                row * size);
  return result;
}

bool fuzz::reinfer(Graph &graph) {
  nn::CapturedRejection rejection(graph.module->getContext());
  for (Operation &op : bodyOf(graph).without_terminator()) {
    auto interface = dyn_cast<InferShapedTypeOpInterface>(op);
    if (!interface || isa<nn::ConstantOp>(op))
      continue;
    SmallVector<ShapedTypeComponents> components;
    if (failed(interface.inferReturnTypeComponents(
            op.getContext(), op.getLoc(), ValueShapeRange(op.getOperands()),
            op.getDiscardableAttrDictionary(), op.getPropertiesStorage(),
            op.getRegions(), components)))
      return false;
    for (auto [result, inferred] : llvm::zip(op.getResults(), components)) {
      Type element = nn::elementType(result);
      // A grid per axis has a size, too, and its own rule says which.
      if (isa<nn::UniformQuantizedPerAxisType>(element) &&
          inferred.getElementType())
        element = inferred.getElementType();
      result.setType(RankedTensorType::get(inferred.getDims(), element));
    }
  }
  updateType(graph);
  return true;
}
