//===- Windows.cpp - import of convolution and pooling --------------------===//

#include "tally/graph/import/Windows.h"

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

/// The spatial dimensions, or none for a tensor of too low rank (whose
/// operator then reports its own rule).
static ArrayRef<int64_t> spatial(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  return shape.size() > 2 ? shape.drop_front(2) : ArrayRef<int64_t>();
}

static Status conv(NodeImport &node) {
  Value input = node.operand(0), weight = node.operand(1);
  auto window = windowAttributes(node, spatial(input), spatial(weight));
  if (!window)
    return window.takeError();
  return node.bind(node.create<ConvOp>(
      {}, input, weight, node.operand(2), node.i64s(window->strides),
      node.i64s(window->pads), node.i64s(window->dilations),
      node.builder.getI64IntegerAttr(node.intAttr("group", 1))));
}

llvm::ArrayRef<ImportRow> tally::nn::windowRows() {
  static const ImportRow rows[] = {
      {"", "Conv", 1, conv},
  };
  return rows;
}
