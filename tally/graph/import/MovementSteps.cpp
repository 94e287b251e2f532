//===- MovementSteps.cpp - single steps of moving elements ----------------===//

#include "tally/graph/import/MovementSteps.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static Result<Value> folded(NodeImport &node, Result<Value> value) {
  if (!value)
    return value;
  return node.fold(*value);
}

Result<Value> tally::nn::reshaped(NodeImport &node, Value value,
                                  ArrayRef<int64_t> shape) {
  if (shapeOf(value) == shape)
    return value;
  return folded(node, node.create<ReshapeOp>({}, value, node.i64s(shape)));
}

Result<Value> tally::nn::transposed(NodeImport &node, Value value,
                                    ArrayRef<int64_t> permutation) {
  bool isIdentity = permutation.size() == shapeOf(value).size();
  for (auto [i, axis] : llvm::enumerate(permutation))
    isIdentity &= axis == static_cast<int64_t>(i);
  if (isIdentity)
    return value;
  return folded(node,
                node.create<TransposeOp>({}, value, node.i64s(permutation)));
}

Result<Value> tally::nn::expanded(NodeImport &node, Value value,
                                  ArrayRef<int64_t> shape) {
  if (shapeOf(value) == shape)
    return value;
  return folded(node, node.create<ExpandOp>({}, value, node.i64s(shape)));
}

std::vector<DimRange> tally::nn::wholeRanges(Value value) {
  std::vector<DimRange> ranges;
  for (int64_t size : shapeOf(value))
    ranges.push_back({0, size, 1});
  return ranges;
}

Result<Value> tally::nn::sliced(NodeImport &node, Value value,
                                ArrayRef<DimRange> ranges) {
  std::vector<int64_t> starts, sizes, steps;
  bool isWhole = true;
  for (auto [range, size] : llvm::zip(ranges, shapeOf(value))) {
    isWhole &= range.size == size && (size == 0 || range.start == 0) &&
               (size <= 1 || range.step == 1);
    starts.push_back(range.start);
    sizes.push_back(range.size);
    steps.push_back(range.step);
  }
  if (isWhole)
    return value;
  return folded(node, node.create<SliceOp>({}, value, node.i64s(starts),
                                           node.i64s(sizes), node.i64s(steps)));
}

/// Triples (first, count, step), each as long as the indices advance evenly.
static std::vector<int64_t> segmentsOf(ArrayRef<int64_t> indices) {
  std::vector<int64_t> segments;
  for (size_t i = 0; i < indices.size();) {
    size_t end = i + 1;
    int64_t step = end < indices.size() ? indices[end] - indices[i] : 1;
    while (end < indices.size() && indices[end] - indices[end - 1] == step)
      ++end;
    segments.insert(segments.end(),
                    {indices[i], static_cast<int64_t>(end - i), step});
    i = end;
  }
  return segments;
}

Result<Value> tally::nn::selected(NodeImport &node, Value value,
                                  ArrayRef<DimIndices> dims) {
  std::vector<DimRange> ranges = wholeRanges(value);
  std::vector<int64_t> axes;
  std::vector<Attribute> segments;
  for (const DimIndices &dim : dims) {
    std::vector<int64_t> list = segmentsOf(dim.indices);
    // Even steps need no list: a slice can be a view.
    if (list.size() <= 3) {
      ranges[dim.axis] =
          list.empty() ? DimRange() : DimRange{list[0], list[1], list[2]};
      continue;
    }
    axes.push_back(dim.axis);
    segments.push_back(node.i64s(list));
  }
  auto part = sliced(node, value, ranges);
  if (!part || axes.empty())
    return part;
  return folded(node,
                node.create<SelectOp>({}, *part, node.i64s(axes),
                                      node.builder.getArrayAttr(segments)));
}

Result<int64_t> tally::nn::checkedAxis(const NodeImport &node, int64_t axis,
                                       int64_t rank) {
  if (auto normalized = normalizeAxis(axis, rank))
    return *normalized;
  return node.failure(FailureKind::Model, "IMP-6",
                      "axis " + std::to_string(axis) +
                          " is outside a tensor of rank " +
                          std::to_string(rank));
}

Result<std::vector<int64_t>> tally::nn::checkedAxes(const NodeImport &node,
                                                    std::vector<int64_t> axes,
                                                    int64_t rank) {
  std::vector<bool> seen(rank, false);
  for (int64_t &axis : axes) {
    auto normalized = checkedAxis(node, axis, rank);
    if (!normalized)
      return normalized.takeError();
    axis = *normalized;
    if (seen[axis])
      return node.failure(FailureKind::Model, "IMP-6",
                          "axis " + std::to_string(axis) +
                              " is given more than once");
    seen[axis] = true;
  }
  return axes;
}

Result<std::optional<std::vector<int64_t>>>
tally::nn::listOf(NodeImport &node, const char *name, size_t operand,
                  int64_t sinceOpset) {
  if (node.node.opset < sinceOpset)
    return node.intsAttr(name);
  if (!node.hasInput(operand))
    return std::optional<std::vector<int64_t>>();
  auto values = node.constantInts(operand, name);
  if (!values)
    return values.takeError();
  return std::optional(std::move(*values));
}
