//===- FusedKernel.cpp - float nodes that became one on codes -------------===//

#include "tally/driver/diff/FusedKernel.h"
#include "tally/eval/IntegerSoftmax.h"
#include "tally/eval/MatrixProduct.h"

using namespace mlir;
using namespace tally;
using eval::Tensor;

/// The codes below a Dequantize, or null.
static Value codesOf(Value reals) {
  auto dequantize = reals.getDefiningOp<nn::DequantizeOp>();
  return dequantize ? dequantize.getInput() : Value();
}

static eval::Request requestFor(Value codes) {
  eval::Request request;
  request.profile = eval::Profile::OnnxRuntime;
  request.results.push_back(
      nn::describe(cast<RankedTensorType>(codes.getType())));
  return request;
}

static std::optional<Tensor> qLinearSoftmax(nn::SoftmaxOp softmax, Value codes,
                                            eval::TensorOf tensorOf) {
  Value source = codesOf(softmax.getInput());
  if (!source)
    return std::nullopt;
  Tensor input = tensorOf(source);
  eval::Request request = requestFor(codes);
  request.inputs = {&input};
  request.out().allocate();
  auto axis = static_cast<int64_t>(softmax.getAxis());
  if (!eval::evaluateIntegerSoftmax(request, axis))
    return std::nullopt;
  return request.out();
}

/// The leading dimensions taken as one.
static void flatten(Tensor &tensor) {
  tensor.shape = {tensor.count() / tensor.shape.back(), tensor.shape.back()};
}

static std::optional<Tensor> qGemm(nn::MatMulOp product, Value bias,
                                   Value codes, eval::TensorOf tensorOf) {
  Value a = codesOf(product.getA()), b = codesOf(product.getB()),
        c = codesOf(bias);
  if (!a || !b || !c)
    return std::nullopt;
  Tensor rows = tensorOf(a), weight = tensorOf(b), addend = tensorOf(c);
  bool isMatrix = weight.rank() == 2 && rows.rank() >= 2 && addend.rank() == 1;
  if (!isMatrix || product.getTransA() || product.getTransB())
    return std::nullopt;
  eval::Request request = requestFor(codes);
  eval::Shape shape = request.out().shape;
  flatten(rows);
  flatten(request.out());
  request.inputs = {&rows, &weight, &addend};
  request.out().allocate();
  if (!eval::evaluateGemm(request, {}))
    return std::nullopt;
  request.out().shape = shape;
  return request.out();
}

static std::optional<Tensor> qGemm(nn::AddOp add, Value codes,
                                   eval::TensorOf tensorOf) {
  for (unsigned i : {0, 1})
    if (auto product = add->getOperand(i).getDefiningOp<nn::MatMulOp>())
      return qGemm(product, add->getOperand(1 - i), codes, tensorOf);
  return std::nullopt;
}

std::optional<Tensor> tally::fusedKernel(StringRef maker, Value codes,
                                         eval::TensorOf tensorOf) {
  auto quantize = codes.getDefiningOp<nn::QuantizeOp>();
  if (!quantize)
    return std::nullopt;
  Value reals = quantize.getInput();
  if (auto softmax = reals.getDefiningOp<nn::SoftmaxOp>();
      softmax && maker == "QLinearSoftmax")
    return qLinearSoftmax(softmax, codes, tensorOf);
  if (auto add = reals.getDefiningOp<nn::AddOp>(); add && maker == "QGemm")
    return qGemm(add, codes, tensorOf);
  return std::nullopt;
}
