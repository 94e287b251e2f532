//===- Windows.cpp - import of windows and of pooling ---------------------===//

#include "tally/graph/import/Windows.h"
#include "tally/graph/import/CodeOperands.h"
#include "tally/graph/import/MovementSteps.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// ONNX's SAME: output = ceil(input / stride), the odd pad at the end (UPPER)
/// or at the begin (LOWER).
static void samePads(WindowAttributes &window, ArrayRef<int64_t> input,
                     bool upper) {
  size_t n = input.size();
  for (size_t d = 0; d < n; ++d) {
    int64_t output = (input[d] + window.strides[d] - 1) / window.strides[d];
    int64_t reach = (output - 1) * window.strides[d] +
                    (window.kernel[d] - 1) * window.dilations[d] + 1;
    int64_t total = std::max<int64_t>(reach - input[d], 0);
    window.pads[d] = upper ? total / 2 : total - total / 2;
    window.pads[n + d] = total - window.pads[d];
  }
}

static bool allPositive(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value > 0; });
}

Result<WindowAttributes> tally::nn::windowAttributes(const NodeImport &node,
                                                     ArrayRef<int64_t> input,
                                                     ArrayRef<int64_t> kernel) {
  size_t n = input.size();
  WindowAttributes window;
  window.kernel = kernel.vec();
  window.strides =
      node.intsAttr("strides").value_or(std::vector<int64_t>(n, 1));
  window.dilations =
      node.intsAttr("dilations").value_or(std::vector<int64_t>(n, 1));
  window.pads = node.intsAttr("pads").value_or(std::vector<int64_t>(2 * n, 0));
  if (window.kernel.size() != n || window.strides.size() != n ||
      window.dilations.size() != n || window.pads.size() != 2 * n ||
      !allPositive(window.kernel) || !allPositive(window.strides) ||
      !allPositive(window.dilations))
    return node.failure(FailureKind::Model, "IMP-6",
                        "kernel_shape, strides, dilations and pads must be "
                        "positive and have " +
                            std::to_string(n) + " (pads " +
                            std::to_string(2 * n) + ") entries");
  std::string autoPad = node.stringAttr("auto_pad", "NOTSET");
  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER")
    samePads(window, input, autoPad == "SAME_UPPER");
  else if (autoPad == "VALID")
    window.pads.assign(2 * n, 0);
  else if (autoPad != "NOTSET")
    return node.failure(FailureKind::Model, "IMP-6",
                        "auto_pad '" + autoPad + "' is unknown");
  return window;
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

static Result<WindowAttributes> poolAttributes(NodeImport &node, Value input) {
  ArrayRef<int64_t> shape = shapeOf(input);
  if (shape.size() < 3)
    return node.failure(FailureKind::Model, "POOL-1",
                        "input " + shapeText(shape) +
                            " needs a batch, channels and spatial dimensions");
  auto kernel = node.intsAttr("kernel_shape");
  if (!kernel)
    return node.failure(FailureKind::Model, "IMP-6", "kernel_shape is missing");
  return windowAttributes(node, shape.drop_front(2), *kernel);
}

static Status maxPool(NodeImport &node) {
  Value input = node.operand(0);
  auto window = poolAttributes(node, input);
  if (!window)
    return window.takeError();
  auto flag = [&](const char *name) {
    return node.builder.getBoolAttr(node.intAttr(name, 0) != 0);
  };
  if (node.node.hasOutput(1)) {
    auto indices = node.create<MaxPoolIndicesOp>(
        {}, input, node.i64s(window->kernel), node.i64s(window->strides),
        node.i64s(window->pads), node.i64s(window->dilations),
        flag("ceil_mode"), flag("storage_order"));
    if (!indices)
      return indices.takeError();
    if (Status status = node.bind(1, *indices); !status)
      return status;
  }
  return node.bind(node.create<MaxPoolOp>(
      {}, input, node.i64s(window->kernel), node.i64s(window->strides),
      node.i64s(window->pads), node.i64s(window->dilations),
      flag("ceil_mode")));
}

static Result<Value> makeAveragePool(NodeImport &node, Type element,
                                     Value input) {
  auto window = poolAttributes(node, input);
  if (!window)
    return window.takeError();
  auto flag = [&](const char *name) {
    return node.builder.getBoolAttr(node.intAttr(name, 0) != 0);
  };
  return node.create<AveragePoolOp>(
      element, input, node.i64s(window->kernel), node.i64s(window->strides),
      node.i64s(window->pads), node.i64s(window->dilations), flag("ceil_mode"),
      flag("count_include_pad"));
}

static Status averagePool(NodeImport &node) {
  return node.bind(makeAveragePool(node, {}, node.operand(0)));
}

/// x, its scale and zero point, the result's scale and zero point.
static Status qLinearAveragePool(NodeImport &node) {
  auto x = codesOperand(node, 0, 1, 2);
  if (!x)
    return x.takeError();
  auto element = resultElement(node, 3, 4);
  if (!element)
    return element.takeError();
  int64_t rank = tensorType(*x).getRank();
  if (!node.intAttr("channels_last", 0) || rank < 3)
    return node.bind(makeAveragePool(node, *element, *x));
  SmallVector<int64_t> toFirst = {0, rank - 1}, toLast = {0};
  for (int64_t d = 1; d < rank - 1; ++d) {
    toFirst.push_back(d);
    toLast.push_back(d + 1);
  }
  toLast.push_back(1);
  auto input = transposed(node, *x, toFirst);
  if (!input)
    return input.takeError();
  auto pooled = makeAveragePool(node, *element, *input);
  if (!pooled)
    return pooled.takeError();
  return node.bind(transposed(node, *pooled, toLast));
}

llvm::ArrayRef<ImportRow> tally::nn::windowRows() {
  static const ImportRow rows[] = {
      {"", "AveragePool", 7, averagePool},
      {"", "MaxPool", 1, maxPool},
      {"com.microsoft", "QLinearAveragePool", 1, qLinearAveragePool},
  };
  return rows;
}
