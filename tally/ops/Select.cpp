//===- Select.cpp - picks indices along dimensions ------------------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Movement.h"
#include "tally/support/CheckedMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static bool haveForm(ArrayRef<int64_t> axes, ArrayAttr segments, int64_t rank) {
  if (axes.size() != segments.size())
    return false;
  for (size_t n = 0; n < axes.size(); ++n) {
    if (axes[n] < 0 || axes[n] >= rank || (n > 0 && axes[n] <= axes[n - 1]))
      return false;
    ArrayRef<int64_t> list = cast<DenseI64ArrayAttr>(segments[n]);
    if (list.size() % 3)
      return false;
    for (size_t i = 0; i < list.size(); i += 3)
      if (list[i + 1] < 1)
        return false;
  }
  return true;
}

/// The sum of the counts, or nothing when an index leaves [0, dim).
static std::optional<int64_t> selectedSize(ArrayRef<int64_t> segments,
                                           int64_t dim) {
  int64_t size = 0;
  for (size_t i = 0; i < segments.size(); i += 3) {
    int64_t first = segments[i], count = segments[i + 1];
    auto reach = checkedMul(count - 1, segments[i + 2]);
    auto last = reach ? checkedAdd(first, *reach) : std::nullopt;
    auto total = checkedAdd(size, count);
    if (!last || !total || first < 0 || first >= dim || *last < 0 ||
        *last >= dim)
      return std::nullopt;
    size = *total;
  }
  return size;
}

static std::optional<int64_t> keptAxis(ArrayRef<int64_t> axes, int64_t axis) {
  return llvm::is_contained(axes, axis) ? std::nullopt : std::optional(axis);
}

LogicalResult SelectOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  SmallVector<int64_t> shape(shapeOf(op.getInput()));
  ArrayRef<int64_t> axes = op.getAxes();
  if (!haveForm(axes, op.getSegments(), static_cast<int64_t>(shape.size())))
    return reject(
        location, "SELECT-1",
        "axes [" + listText(axes) + "] must ascend within the dimensions of " +
            shapeText(shape) + ", each with triples whose count is at least 1");
  for (size_t n = 0; n < axes.size(); ++n) {
    int64_t &dim = shape[axes[n]];
    auto list = cast<DenseI64ArrayAttr>(op.getSegments()[n]);
    auto size = selectedSize(list, dim);
    if (!size)
      return reject(location, "SELECT-2",
                    "triples [" + listText(list.asArrayRef()) +
                        "] leave dimension " + Twine(axes[n]) + " of size " +
                        Twine(dim));
    dim = *size;
  }
  return inferMovement(
      location, op.getInput(), shape,
      [&](int64_t axis) { return keptAxis(axes, axis); }, inferred);
}

std::optional<int64_t> SelectOp::movedAxis(int64_t axis) {
  return keptAxis(getAxes(), axis);
}

/// The input index behind each index of a selected dimension.
static eval::Shape sourcesOf(ArrayRef<int64_t> segments) {
  eval::Shape sources;
  for (size_t i = 0; i < segments.size(); i += 3)
    for (int64_t k = 0; k < segments[i + 1]; ++k)
      sources.push_back(segments[i] + k * segments[i + 2]);
  return sources;
}

Status SelectOp::evaluate(eval::Request &request) {
  eval::Shape strides = eval::stridesOf(request.in(0).shape);
  std::vector<eval::Shape> sources(strides.size());
  for (auto [axis, list] : llvm::zip(getAxes(), getSegments()))
    sources[axis] = sourcesOf(cast<DenseI64ArrayAttr>(list));
  eval::copyElements(request.in(0), request.out(), [&](eval::Index index) {
    int64_t source = 0;
    for (size_t d = 0; d < index.size(); ++d)
      source +=
          (sources[d].empty() ? index[d] : sources[d][index[d]]) * strides[d];
    return source;
  });
  return Status::success();
}
