//===- Convolutions.cpp - import of convolutions --------------------------===//

#include "tally/graph/import/CodeOperands.h"
#include "tally/graph/import/Windows.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// The kernel's sizes, or none for a tensor of too low rank (whose operator
/// then reports its own rule).
static ArrayRef<int64_t> spatial(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  return shape.size() > 2 ? shape.drop_front(2) : ArrayRef<int64_t>();
}

static IntegerAttr group(NodeImport &node) {
  return node.builder.getI64IntegerAttr(node.intAttr("group", 1));
}

static Result<Value> makeConv(NodeImport &node, Type element, Value input,
                              Value weight, Value bias) {
  auto window = windowAttributes(node, spatial(input), spatial(weight));
  if (!window)
    return window.takeError();
  return node.create<ConvOp>(
      element, input, weight, bias, node.i64s(window->strides),
      node.i64s(window->pads), node.i64s(window->dilations), group(node));
}

static Status conv(NodeImport &node) {
  return node.bind(
      makeConv(node, {}, node.operand(0), node.operand(1), node.operand(2)));
}

/// The i32 sums of plain codes; operands by position.
static Result<Value> convSums(NodeImport &node, size_t x, size_t w,
                              size_t xZeroPoint, size_t wZeroPoint) {
  Value input = node.operand(x), weight = node.operand(w);
  auto window = windowAttributes(node, spatial(input), spatial(weight));
  if (!window)
    return window.takeError();
  return node.create<ConvIntegerOp>(
      {}, input, weight, node.operand(xZeroPoint), node.operand(wZeroPoint),
      node.i64s(window->strides), node.i64s(window->pads),
      node.i64s(window->dilations), group(node));
}

static Status convInteger(NodeImport &node) {
  return node.bind(convSums(node, 0, 1, 2, 3));
}

/// QLinearConv whose scales or zero points are computed.
static Status runtimeConv(NodeImport &node) {
  auto sums = convSums(node, 0, 3, 2, 5);
  if (sums && node.hasInput(8)) {
    SmallVector<int64_t> shape(tensorType(*sums).getRank() - 1, 1);
    shape[0] = shapeOf(*sums)[1];
    auto bias = node.create<ReshapeOp>({}, node.operand(8), node.i64s(shape));
    if (!bias)
      return bias.takeError();
    sums = node.create<AddOp>({}, *sums, *bias);
  }
  if (!sums)
    return sums.takeError();
  return node.bind(requantizedSums(node, *sums, 1, 4, {std::nullopt, 1}, 6, 7));
}

/// x, its scale and zero point, w likewise, the result's scale and zero point,
/// an i32 bias in units of the product's scale.
static Status qLinearConv(NodeImport &node) {
  if (node.intAttr("channels_last", 0))
    return node.unsupported("channels_last is not supported");
  if (Status status = node.need({0, 1, 3, 4, 6}); !status)
    return status;
  if (!areConstant(node, {1, 2, 4, 5, 6, 7}))
    return runtimeConv(node);
  auto x = codesOperand(node, 0, 1, 2);
  if (!x)
    return x.takeError();
  auto w = codesOperand(node, 3, 4, 5, /*axis=*/0);
  if (!w)
    return w.takeError();
  auto bias =
      biasOperand(node, 8, gridOf(quantizedElement(x->getType())).scale(),
                  gridOf(quantizedElement(w->getType())));
  if (!bias)
    return bias.takeError();
  auto element = resultElement(node, 6, 7);
  if (!element)
    return element.takeError();
  return node.bind(makeConv(node, *element, *x, *w, *bias));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

namespace {
struct TransposeAttributes {
  std::vector<int64_t> strides, dilations, outputPadding, pads;
};
} // namespace

/// Splits what must be cut off to reach the wanted size: SAME_UPPER cuts the
/// odd element at the end, everything else at the begin. A size a little beyond
/// what the window reaches is more output padding. For one farther beyond, the
/// formula of ONNX has pads below zero and onnxruntime puts every missing
/// element at the end: there is no one meaning to follow.
static Status padsForOutput(NodeImport &node, TransposeAttributes &window,
                            ArrayRef<int64_t> input, ArrayRef<int64_t> kernel,
                            ArrayRef<int64_t> output, bool upper) {
  size_t n = input.size();
  for (size_t d = 0; d < n; ++d) {
    int64_t full = window.strides[d] * (input[d] - 1) +
                   window.outputPadding[d] +
                   (kernel[d] - 1) * window.dilations[d] + 1;
    int64_t total = full - output[d];
    if (total < 0) {
      window.outputPadding[d] -= total;
      if (window.outputPadding[d] >=
          std::max(window.strides[d], window.dilations[d]))
        return node.unsupported(
            "output_shape " + std::to_string(output[d]) +
            " lies beyond what the window of spatial dimension " +
            std::to_string(d) + " reaches, " + std::to_string(full) +
            ", by more than an output_padding may be");
      total = 0;
    }
    window.pads[d] = upper ? total / 2 : total - total / 2;
    window.pads[n + d] = total - window.pads[d];
  }
  return Status::success();
}

static Result<TransposeAttributes> readTranspose(NodeImport &node,
                                                 ArrayRef<int64_t> input,
                                                 ArrayRef<int64_t> kernel) {
  size_t n = input.size();
  auto list = [&](const char *name, int64_t fallback, size_t size) {
    return node.intsAttr(name).value_or(std::vector<int64_t>(size, fallback));
  };
  TransposeAttributes window{list("strides", 1, n), list("dilations", 1, n),
                             list("output_padding", 0, n),
                             list("pads", 0, 2 * n)};
  if (window.strides.size() != n || window.dilations.size() != n ||
      window.outputPadding.size() != n || window.pads.size() != 2 * n ||
      kernel.size() != n)
    return node.failure(FailureKind::Model, "IMP-6",
                        "strides, dilations, output_padding and pads need " +
                            std::to_string(n) + " (pads " +
                            std::to_string(2 * n) + ") entries");
  std::string autoPad = node.stringAttr("auto_pad", "NOTSET");
  auto output = node.intsAttr("output_shape");
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!same && autoPad != "VALID" && autoPad != "NOTSET")
    return node.failure(FailureKind::Model, "IMP-6",
                        "auto_pad '" + autoPad + "' is unknown");
  if (autoPad == "VALID")
    window.pads.assign(2 * n, 0);
  if (same && !output) {
    output.emplace();
    for (size_t d = 0; d < n; ++d)
      output->push_back(input[d] * window.strides[d]);
  }
  if (output && output->size() > n) // may name batch and channels too
    output->erase(output->begin(), output->end() - static_cast<long>(n));
  if (output && output->size() != n)
    return node.failure(FailureKind::Model, "IMP-6",
                        "output_shape needs " + std::to_string(n) + " entries");
  if (output)
    if (Status status = padsForOutput(node, window, input, kernel, *output,
                                      autoPad == "SAME_UPPER");
        !status)
      return status.takeError();
  return window;
}

static Status convTranspose(NodeImport &node) {
  Value input = node.operand(0), weight = node.operand(1);
  auto window = readTranspose(node, spatial(input), spatial(weight));
  if (!window)
    return window.takeError();
  return node.bind(node.create<ConvTransposeOp>(
      {}, input, weight, node.operand(2), node.i64s(window->strides),
      node.i64s(window->pads), node.i64s(window->dilations),
      node.i64s(window->outputPadding), group(node)));
}

llvm::ArrayRef<ImportRow> tally::nn::convolutionRows() {
  static const ImportRow rows[] = {
      {"", "Conv", 1, conv, 2},
      {"", "ConvInteger", 10, convInteger, 2},
      {"", "ConvTranspose", 1, convTranspose, 2},
      {"", "QLinearConv", 10, qLinearConv},
      {"com.microsoft", "QLinearConv", 1, qLinearConv},
  };
  return rows;
}
