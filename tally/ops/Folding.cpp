//===- Folding.cpp - operations on constants ------------------------------===//

#include "tally/ops/Folding.h"
#include "tally/ops/Ops.h"

#include <cstring>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

using Contents = llvm::function_ref<std::optional<eval::Tensor>(Value)>;

static std::optional<eval::Tensor> evaluateAs(Operator node,
                                              eval::Request request,
                                              RankedTensorType type,
                                              eval::Profile profile) {
  request.profile = profile;
  request.results.push_back(describe(type));
  request.out().allocate();
  if (!node.evaluate(request))
    return std::nullopt;
  return request.out();
}

using Evaluation = llvm::function_ref<std::optional<eval::Tensor>(
    Operator, const eval::Request &)>;

/// `evaluate` on a request with the operands of `op`, whose contents `of`
/// knows.
static std::optional<eval::Tensor> evaluateWith(Operation *op, Contents of,
                                                Evaluation evaluate) {
  auto node = dyn_cast<Operator>(op);
  if (!node || isa<ConstantOp>(op) || op->getNumResults() != 1)
    return std::nullopt;
  SmallVector<Value> operands = node.positionalOperands();
  std::vector<eval::Tensor> tensors;
  tensors.reserve(operands.size());
  eval::Request request;
  for (Value operand : operands) {
    auto contents = operand ? of(operand) : std::nullopt;
    if (operand && !contents)
      return std::nullopt;
    if (contents)
      tensors.push_back(std::move(*contents));
    request.inputs.push_back(contents ? &tensors.back() : nullptr);
  }
  return evaluate(node, request);
}

/// The result that every profile gives, or nothing.
static std::optional<eval::Tensor> evaluateAlike(Operator node,
                                                 const eval::Request &request) {
  auto type = cast<RankedTensorType>(node->getResult(0).getType());
  auto result = evaluateAs(node, request, type, eval::Profile::Ideal);
  if (!result || !quantizedElement(type))
    return result;
  for (auto profile : {eval::Profile::OnnxRuntime, eval::Profile::TfLite}) {
    auto other = evaluateAs(node, request, type, profile);
    if (!other || std::memcmp(other->storage.get(), result->storage.get(),
                              result->byteCount()))
      return std::nullopt;
  }
  return result;
}

/// The result of `op` on operands whose contents `of` knows.
static std::optional<eval::Tensor> evaluateOn(Operation *op, Contents of) {
  return evaluateWith(op, of, evaluateAlike);
}

static std::optional<eval::Tensor> contentsOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return std::nullopt;
  return hostTensor(constant.getValue(), constant.getType());
}

std::optional<eval::Tensor> tally::nn::evaluateConstant(Operation *op) {
  return evaluateOn(op, contentsOf);
}

std::optional<eval::Tensor> tally::nn::constantValue(Value value) {
  if (auto contents = contentsOf(value))
    return contents;
  Operation *op = value.getDefiningOp();
  return op ? evaluateOn(op, constantValue) : std::nullopt;
}

std::optional<eval::Tensor> tally::nn::evaluateIdeal(Operation *op,
                                                     Contents of) {
  return evaluateWith(op, of, [](Operator node, const eval::Request &request) {
    auto type = cast<RankedTensorType>(node->getResult(0).getType());
    return evaluateAs(node, request, type, eval::Profile::Ideal);
  });
}

static RankedTensorType lineOfCodes(Value value) {
  return RankedTensorType::get(
      {256}, cast<RankedTensorType>(value.getType()).getElementType());
}

/// A line where an operand is one; an operation on constants alone gives one
/// element for all codes.
static RankedTensorType resultOnCodes(Operation *op,
                                      const eval::Request &request) {
  RankedTensorType line = lineOfCodes(op->getResult(0));
  bool isLine = llvm::any_of(request.inputs, [](const eval::Tensor *input) {
    return input && !input->shape.empty();
  });
  return isLine ? line : RankedTensorType::get({}, line.getElementType());
}

using ResultType =
    llvm::function_ref<RankedTensorType(Operation *, const eval::Request &)>;

/// What the last operation of `body` gives under the ideal profile, with
/// `contents` for `input`.
static std::optional<eval::Tensor>
evaluateBody(ArrayRef<Operation *> body, Value input, eval::Tensor contents,
             Contents constants, ResultType typeOf) {
  DenseMap<Value, eval::Tensor> known;
  known.insert({input, std::move(contents)});
  auto of = [&](Value value) -> std::optional<eval::Tensor> {
    auto found = known.find(value);
    return found != known.end() ? found->second : constants(value);
  };
  for (Operation *op : body) {
    auto result = evaluateWith(op, of, [&](auto node, const auto &request) {
      return evaluateAs(node, request, typeOf(op, request),
                        eval::Profile::Ideal);
    });
    if (!result)
      return std::nullopt;
    known.insert({op->getResult(0), std::move(*result)});
  }
  return known.lookup(body.back()->getResult(0));
}

std::optional<eval::Tensor>
tally::nn::evaluateOnCodes(ArrayRef<Operation *> body, Value input) {
  eval::Tensor codes = describe(lineOfCodes(input));
  codes.allocate();
  for (int i = 0; i < 256; ++i)
    reinterpret_cast<uint8_t *>(codes.storage.get())[i] = uint8_t(i);
  auto oneElement = [&](Value value) -> std::optional<eval::Tensor> {
    auto constant = contentsOf(value);
    if (constant && constant->count() == 1)
      constant->shape.clear();
    return constant;
  };
  return evaluateBody(body, input, std::move(codes), oneElement, resultOnCodes);
}

std::optional<eval::Tensor>
tally::nn::evaluateOnRows(ArrayRef<Operation *> body, Value input,
                          const eval::Tensor &contents,
                          llvm::function_ref<RankedTensorType(Value)> typeOf) {
  return evaluateBody(body, input, contents, constantValue,
                      [&](Operation *op, const eval::Request &) {
                        return typeOf(op->getResult(0));
                      });
}
