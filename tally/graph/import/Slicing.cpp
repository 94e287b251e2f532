//===- Slicing.cpp - import of operators that cut and surround ------------===//

#include "tally/graph/import/MovementSteps.h"
#include "tally/support/CheckedMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

//===----------------------------------------------------------------------===//
// Slice, Split
//===----------------------------------------------------------------------===//

/// ONNX's Slice of one dimension of size `dim`: negative bounds count from the
/// end, then both are clamped to what the direction can reach.
static DimRange rangeOf(int64_t start, int64_t end, int64_t step, int64_t dim) {
  bool isForward = step > 0;
  int64_t low = isForward ? 0 : -1, high = isForward ? dim : dim - 1;
  auto place = [&](int64_t index, int64_t least) {
    index = index < 0 ? std::max<int64_t>(index, -dim - 1) + dim : index;
    return std::clamp(index, least, high);
  };
  if (dim == 0)
    return {0, 0, 1};
  start = place(start, 0);
  end = place(end, low);
  int64_t distance = isForward ? end - start : start - end;
  // A step of more than the dimension reads one element; -2^63 has no
  // negative.
  int64_t stride = isForward ? step : -std::max<int64_t>(step, -dim);
  stride = std::min(stride, dim);
  int64_t size = distance <= 0 ? 0 : (distance - 1) / stride + 1;
  return {size ? start : 0, size, isForward ? stride : -stride};
}

static Status sliceBy(NodeImport &node, const std::vector<int64_t> &starts,
                      const std::vector<int64_t> &ends,
                      std::optional<std::vector<int64_t>> axes,
                      std::optional<std::vector<int64_t>> steps) {
  Value value = node.operand(0);
  ArrayRef<int64_t> input = shapeOf(value);
  if (!axes) {
    axes.emplace();
    for (size_t d = 0; d < starts.size(); ++d)
      axes->push_back(static_cast<int64_t>(d));
  }
  if (!steps)
    steps.emplace(starts.size(), 1);
  if (ends.size() != starts.size() || axes->size() != starts.size() ||
      steps->size() != starts.size() || llvm::is_contained(*steps, 0))
    return node.failure(FailureKind::Model, "IMP-6",
                        "starts, ends, axes and steps must have one length, "
                        "and no step may be 0");
  auto checked = checkedAxes(node, *axes, input.size());
  if (!checked)
    return checked.takeError();
  std::vector<DimRange> ranges = wholeRanges(value);
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t axis = (*checked)[i];
    ranges[axis] = rangeOf(starts[i], ends[i], (*steps)[i], input[axis]);
  }
  return node.bind(sliced(node, value, ranges));
}

/// Before operator set 10 the ranges were attributes, without steps.
static Status sliceByAttributes(NodeImport &node) {
  auto starts = node.intsAttr("starts"), ends = node.intsAttr("ends");
  if (!starts || !ends)
    return node.failure(FailureKind::Model, "IMP-6",
                        "starts and ends are missing");
  return sliceBy(node, *starts, *ends, node.intsAttr("axes"), std::nullopt);
}

static Status sliceByOperands(NodeImport &node) {
  auto starts = node.constantInts(1, "starts");
  if (!starts)
    return starts.takeError();
  auto ends = node.constantInts(2, "ends");
  if (!ends)
    return ends.takeError();
  auto axes = listOf(node, "axes", 3, 10), steps = listOf(node, "steps", 4, 10);
  if (!axes)
    return axes.takeError();
  if (!steps)
    return steps.takeError();
  return sliceBy(node, *starts, *ends, *axes, *steps);
}

/// Equal parts; when the outputs do not divide the dimension, the last one is
/// smaller.
static std::vector<int64_t> equalParts(int64_t dim, int64_t count) {
  int64_t size = (dim + count - 1) / count;
  std::vector<int64_t> parts;
  parts.reserve(count);
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(std::clamp<int64_t>(dim - i * size, 0, size));
  return parts;
}

static Status split(NodeImport &node) {
  Value value = node.operand(0);
  ArrayRef<int64_t> input = shapeOf(value);
  auto axis = checkedAxis(node, node.intAttr("axis", 0), input.size());
  if (!axis)
    return axis.takeError();
  auto given = listOf(node, "split", 1, 13);
  if (!given)
    return given.takeError();
  auto outputs = static_cast<int64_t>(node.node.outputs.size());
  int64_t count = node.intAttr("num_outputs", outputs), total = 0;
  bool isValid = count == outputs;
  auto parts = given->value_or(isValid ? equalParts(input[*axis], count)
                                       : std::vector<int64_t>());
  for (int64_t part : parts) {
    isValid &= part >= 0 && part <= input[*axis] - total;
    total += isValid ? part : 0;
  }
  if (!isValid || total != input[*axis] ||
      static_cast<int64_t>(parts.size()) != outputs)
    return node.failure(FailureKind::Model, "IMP-6",
                        "dimension " + std::to_string(*axis) + " of size " +
                            std::to_string(input[*axis]) +
                            " is not split into the node's " +
                            std::to_string(outputs) + " outputs");
  std::vector<DimRange> ranges = wholeRanges(value);
  int64_t start = 0;
  for (int64_t i = 0; i < outputs; ++i) {
    ranges[*axis] = {start, parts[i], 1};
    start += parts[i];
    if (node.node.hasOutput(i))
      node.loc = node.outputLocation(i);
    auto part = sliced(node, value, ranges);
    if (!part)
      return part.takeError();
    if (Status status = node.bind(i, *part); !status)
      return status;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Pad, CenterCropPad
//===----------------------------------------------------------------------===//

namespace {
/// New elements in front of and behind each dimension; negative ones crop.
struct Borders {
  std::vector<int64_t> before, after;
};
} // namespace

static Result<Value> padded(NodeImport &node, Value value, Value border,
                            const Borders &borders) {
  return node.create<PadOp>({}, value, border, node.i64s(borders.before),
                            node.i64s(borders.after));
}

/// The index that position `i` (in front of 0 or behind the end included) of a
/// dimension of `size` repeats. Reflect turns back at the first and last
/// element without repeating them, with period 2 (size - 1).
static int64_t repeatedIndex(const std::string &mode, int64_t i, int64_t size) {
  if (mode == "edge")
    return std::clamp<int64_t>(i, 0, size - 1);
  int64_t period = mode == "wrap" ? size : std::max<int64_t>(2 * size - 2, 1);
  int64_t phase = ((i % period) + period) % period;
  return phase < size ? phase : period - phase;
}

/// Negative pads crop first; what is left is repeated.
static Result<Value> padByRepeating(NodeImport &node, Value value,
                                    const std::string &mode,
                                    const Borders &borders) {
  std::vector<DimIndices> dims;
  for (auto [d, size] : llvm::enumerate(shapeOf(value))) {
    int64_t before = borders.before[d], after = borders.after[d];
    if (before == 0 && after == 0)
      continue;
    int64_t first = std::max<int64_t>(-before, 0);
    int64_t kept = size - first - std::max<int64_t>(-after, 0);
    int64_t front = std::max<int64_t>(before, 0);
    auto total = checkedAdd(before, size);
    total = total ? checkedAdd(*total, after) : std::nullopt;
    bool needsSource = before > 0 || after > 0;
    if (!total || kept < (needsSource ? 1 : 0) || *total > INT32_MAX)
      return node.failure(FailureKind::Model, "IMP-6",
                          "dimension " + std::to_string(d) + " of size " +
                              std::to_string(size) + " cannot be padded by " +
                              std::to_string(before) + " and " +
                              std::to_string(after) + " in mode " + mode);
    DimIndices dim{static_cast<int64_t>(d), {}};
    for (int64_t i = 0; i < *total; ++i)
      dim.indices.push_back(first + repeatedIndex(mode, i - front, kept));
    dims.push_back(std::move(dim));
  }
  return selected(node, value, dims);
}

/// Pads of all dimensions: ONNX lists the begins of the axes, then their ends.
static Result<Borders> bordersOf(NodeImport &node, size_t rank) {
  auto pads = listOf(node, "pads", 1, 11);
  if (!pads)
    return pads.takeError();
  auto axes = listOf(node, "axes", 3, 18);
  if (!axes)
    return axes.takeError();
  std::vector<int64_t> all(rank);
  for (size_t d = 0; d < rank; ++d)
    all[d] = static_cast<int64_t>(d);
  bool hasAxes = node.node.opset >= 18 && *axes;
  auto checked =
      checkedAxes(node, hasAxes ? **axes : all, static_cast<int64_t>(rank));
  if (!checked)
    return checked.takeError();
  size_t n = checked->size();
  if (!*pads || (*pads)->size() != 2 * n)
    return node.failure(FailureKind::Model, "IMP-6",
                        "pads need " + std::to_string(2 * n) +
                            " entries, a begin and an end per axis");
  Borders borders{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  for (size_t i = 0; i < n; ++i) {
    borders.before[(*checked)[i]] = (**pads)[i];
    borders.after[(*checked)[i]] = (**pads)[n + i];
  }
  return borders;
}

/// The value of new elements: an operand since operator set 11, before that
/// an attribute; null stands for 0.
static Value padValue(NodeImport &node, Type element) {
  if (node.node.opset >= 11)
    return node.operand(2);
  float value = node.floatAttr("value", 0);
  auto type = elementOf(element);
  if (value == 0 || !type || !eval::isFloat(*type))
    return {};
  eval::Tensor tensor;
  tensor.element = *type;
  tensor.allocate();
  eval::storeFloat(tensor, 0, value);
  return node.makeConstant(tensor, element);
}

static Status pad(NodeImport &node) {
  Value value = node.operand(0);
  auto borders = bordersOf(node, shapeOf(value).size());
  if (!borders)
    return borders.takeError();
  auto isZero = [](int64_t pad) { return pad == 0; };
  if (llvm::all_of(borders->before, isZero) &&
      llvm::all_of(borders->after, isZero))
    return node.bind(0, value);
  std::string mode = node.stringAttr("mode", "constant");
  if (mode == "edge" || mode == "reflect" || mode == "wrap")
    return node.bind(padByRepeating(node, value, mode, *borders));
  if (mode != "constant")
    return node.failure(FailureKind::Model, "IMP-6",
                        "mode '" + mode + "' is unknown");
  return node.bind(
      padded(node, value, padValue(node, elementType(value)), *borders));
}

/// Both sides get half of what is cropped or added, the end the odd one.
static Status centerCropPad(NodeImport &node) {
  auto target = node.constantInts(1, "the shape");
  if (!target)
    return target.takeError();
  Value value = node.operand(0);
  ArrayRef<int64_t> input = shapeOf(value);
  size_t rank = input.size();
  std::vector<int64_t> all(rank);
  for (size_t d = 0; d < rank; ++d)
    all[d] = static_cast<int64_t>(d);
  auto axes = checkedAxes(node, node.intsAttr("axes").value_or(all),
                          static_cast<int64_t>(rank));
  if (!axes)
    return axes.takeError();
  auto isSize = [](int64_t size) { return size >= 0; };
  if (target->size() != axes->size() || !llvm::all_of(*target, isSize))
    return node.failure(FailureKind::Model, "IMP-6",
                        "the shape needs " + std::to_string(axes->size()) +
                            " sizes, one per axis");
  Borders borders{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  bool grows = false;
  std::vector<DimRange> ranges = wholeRanges(value);
  for (auto [axis, size] : llvm::zip(*axes, *target)) {
    int64_t dim = input[axis];
    ranges[axis] = {std::max<int64_t>(dim - size, 0) / 2, std::min(dim, size),
                    1};
    int64_t missing = std::max<int64_t>(size - dim, 0);
    borders.before[axis] = missing / 2;
    borders.after[axis] = missing - missing / 2;
    grows |= missing > 0;
  }
  auto part = sliced(node, value, ranges);
  if (part && grows)
    part = padded(node, *part, Value(), borders);
  return node.bind(std::move(part));
}

llvm::ArrayRef<ImportRow> tally::nn::slicingRows() {
  static const ImportRow rows[] = {
      {"", "CenterCropPad", 18, centerCropPad, 2},
      {"", "Pad", 2, pad},
      {"", "Slice", 1, sliceByAttributes},
      {"", "Slice", 10, sliceByOperands, 3},
      {"", "Split", 2, split},
  };
  return rows;
}
