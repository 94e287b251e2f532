//===- Resize.cpp - import of Resize and Upsample -------------------------===//

#include "tally/graph/import/MovementSteps.h"
#include "tally/graph/import/ResizeTaps.h"
#include "tally/support/RealText.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

namespace {
/// What a node asks for, dimension by dimension.
struct ResizeRequest {
  std::string mode;
  ResizeCoordinates coordinates = ResizeCoordinates::Asymmetric;
  NearestRounding rounding = NearestRounding::Floor;
  TapKernel kernel;
  float outside = 0; ///< extrapolation value of tf_crop_and_resize
  std::vector<ResizedDim> dims;
};

/// Of one dimension: the coordinates that lie inside (always all of them but
/// with tf_crop_and_resize), and how many results around them do not.
struct InsideRange {
  std::vector<double> coordinates;
  int64_t before = 0, after = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

static InsideRange insideRange(const ResizeRequest &request,
                               const ResizedDim &dim) {
  InsideRange range;
  bool crops = request.coordinates == ResizeCoordinates::TfCropAndResize;
  for (int64_t i = 0; i < dim.output; ++i) {
    double x = sourceCoordinate(request.coordinates, dim, i);
    bool isInside =
        !crops || (x >= 0 && x <= static_cast<double>(dim.input - 1));
    // Coordinates are monotone, so those inside are neighbours.
    if (isInside)
      range.coordinates.push_back(x);
    else if (range.coordinates.empty())
      ++range.before;
    else
      ++range.after;
  }
  return range;
}

static bool isUnchanged(const ResizedDim &dim) {
  return dim.input == dim.output && std::fabs(dim.scale - 1) <= 1e-9 &&
         dim.roiStart == 0 && dim.roiEnd == 1;
}

static Result<Value> nearest(NodeImport &node, Value value,
                             const ResizeRequest &request,
                             ArrayRef<InsideRange> ranges) {
  std::vector<DimIndices> picked;
  for (auto [d, dim] : llvm::enumerate(request.dims)) {
    if (isUnchanged(dim))
      continue;
    DimIndices indices{static_cast<int64_t>(d), {}};
    for (double x : ranges[d].coordinates)
      indices.indices.push_back(nearestIndex(request.rounding, x, dim.input));
    picked.push_back(std::move(indices));
  }
  return selected(node, value, picked);
}

static Result<Value> weighted(NodeImport &node, Value value,
                              const ResizeRequest &request,
                              ArrayRef<InsideRange> ranges) {
  std::vector<int64_t> axes, sizes;
  std::vector<mlir::Attribute> sources, weights;
  for (auto [d, dim] : llvm::enumerate(request.dims)) {
    if (isUnchanged(dim))
      continue;
    ResizeTaps taps = resizeTaps(request.kernel, dim, ranges[d].coordinates);
    axes.push_back(static_cast<int64_t>(d));
    sizes.push_back(static_cast<int64_t>(ranges[d].coordinates.size()));
    sources.push_back(node.i64s(taps.sources));
    weights.push_back(node.i64s(taps.weights));
  }
  if (axes.empty())
    return value;
  return node.create<ResizeOp>({}, value, node.i64s(axes), node.i64s(sizes),
                               node.builder.getArrayAttr(sources),
                               node.builder.getArrayAttr(weights));
}

/// The extrapolation value around what was computed.
static Result<Value> surrounded(NodeImport &node, Value value,
                                ArrayRef<InsideRange> ranges, float outside) {
  std::vector<int64_t> before, after;
  for (const InsideRange &range : ranges) {
    before.push_back(range.before);
    after.push_back(range.after);
  }
  eval::Tensor tensor;
  tensor.element = *elementOf(elementType(value));
  if (!eval::isFloat(tensor.element))
    return node.unsupported("tf_crop_and_resize beyond the input is only "
                            "supported on float tensors");
  tensor.allocate();
  eval::storeFloat(tensor, 0, outside);
  Value border = node.makeConstant(tensor, elementType(value));
  return node.create<PadOp>({}, value, border, node.i64s(before),
                            node.i64s(after));
}

static Status resizeAs(NodeImport &node, Value value,
                       const ResizeRequest &request) {
  std::vector<InsideRange> ranges;
  bool isSurrounded = false;
  for (auto [dim, size] : llvm::zip(request.dims, shapeOf(value))) {
    if (size == 0 || dim.output < 0 || !(dim.scale > 0) ||
        dim.output > INT32_MAX)
      return node.failure(FailureKind::Model, "IMP-6",
                          "a dimension of size " + std::to_string(size) +
                              " cannot be resized to " +
                              std::to_string(dim.output));
    ranges.push_back(insideRange(request, dim));
    isSurrounded |= ranges.back().before > 0 || ranges.back().after > 0;
  }
  auto result = request.mode == "nearest"
                    ? nearest(node, value, request, ranges)
                    : weighted(node, value, request, ranges);
  if (result && isSurrounded)
    result = surrounded(node, *result, ranges, request.outside);
  return node.bind(std::move(result));
}

//===----------------------------------------------------------------------===//
// Sizes and scales
//===----------------------------------------------------------------------===//

/// ONNX infers the size from an fp32 product, rounded down.
static void setScale(ResizedDim &dim, float scale) {
  dim.scale = scale;
  float size = std::floor(static_cast<float>(dim.input) * scale);
  dim.output = size < 0x1p31f ? static_cast<int64_t>(size) : INT64_MAX;
}

/// With an aspect ratio to keep, one scale serves all axes and sizes are
/// rounded half up.
static Status setSizes(const NodeImport &node, ResizeRequest &request,
                       ArrayRef<int64_t> axes, ArrayRef<int64_t> sizes) {
  std::string policy = node.stringAttr("keep_aspect_ratio_policy", "stretch");
  bool isSmallest = policy == "not_larger";
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return node.failure(FailureKind::Model, "IMP-6",
                        "keep_aspect_ratio_policy '" + policy + "' is unknown");
  std::optional<double> common;
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    ResizedDim &dim = request.dims[axis];
    dim.output = size;
    dim.scale = static_cast<double>(size) / static_cast<double>(dim.input);
    if (!common || (isSmallest ? dim.scale < *common : dim.scale > *common))
      common = dim.scale;
  }
  for (int64_t axis : axes) {
    if (policy == "stretch")
      break;
    ResizedDim &dim = request.dims[axis];
    dim.scale = *common;
    dim.output = static_cast<int64_t>(
        std::min(*common * static_cast<double>(dim.input) + 0.5, 1e15));
  }
  return Status::success();
}

static Status setRoi(NodeImport &node, ResizeRequest &request,
                     ArrayRef<int64_t> axes) {
  auto roi = node.constantFloats(1, "roi");
  if (!roi)
    return roi.takeError();
  if (roi->size() != 2 * axes.size())
    return node.failure(FailureKind::Model, "IMP-6",
                        "roi needs " + std::to_string(2 * axes.size()) +
                            " numbers, the starts, then the ends");
  for (size_t i = 0; i < axes.size(); ++i) {
    request.dims[axes[i]].roiStart = (*roi)[i];
    request.dims[axes[i]].roiEnd = (*roi)[axes.size() + i];
  }
  return Status::success();
}

/// An optional list operand; an empty tensor counts as absent.
template <typename T>
static Result<std::vector<T>> optionalList(NodeImport &node, size_t operand,
                                           const char *what) {
  if (!node.hasInput(operand))
    return std::vector<T>();
  if constexpr (std::is_same_v<T, float>)
    return node.constantFloats(operand, what);
  else
    return node.constantInts(operand, what);
}

static std::vector<ResizedDim> keptDims(Value value) {
  std::vector<ResizedDim> dims;
  for (int64_t size : shapeOf(value))
    dims.push_back({size, size});
  return dims;
}

static Status setScales(const NodeImport &node, ResizeRequest &request,
                        ArrayRef<int64_t> axes, ArrayRef<float> scales) {
  if (scales.size() != axes.size())
    return node.failure(FailureKind::Model, "IMP-6",
                        "there must be one scale per axis, " +
                            std::to_string(axes.size()));
  for (auto [axis, scale] : llvm::zip(axes, scales)) {
    if (!(scale > 0) || !std::isfinite(scale))
      return node.failure(FailureKind::Model, "IMP-6",
                          "scale " + shortest(scale) +
                              " is not finite and positive");
    setScale(request.dims[axis], scale);
  }
  return Status::success();
}

static Status setExtents(NodeImport &node, ResizeRequest &request,
                         ArrayRef<int64_t> axes) {
  auto scales = optionalList<float>(node, 2, "scales");
  if (!scales)
    return scales.takeError();
  auto sizes = optionalList<int64_t>(node, 3, "sizes");
  if (!sizes)
    return sizes.takeError();
  bool crops = request.coordinates == ResizeCoordinates::TfCropAndResize;
  if (scales->empty() == sizes->empty() ||
      (!sizes->empty() && sizes->size() != axes.size()))
    return node.failure(FailureKind::Model, "IMP-6",
                        "there must be either scales or sizes, one per axis");
  if (crops)
    if (Status status = setRoi(node, request, axes); !status)
      return status;
  if (crops && sizes->empty())
    return node.unsupported("tf_crop_and_resize needs sizes; scales are not "
                            "supported");
  return sizes->empty() ? setScales(node, request, axes, *scales)
                        : setSizes(node, request, axes, *sizes);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static Status setMode(const NodeImport &node, ResizeRequest &request) {
  request.mode = node.stringAttr("mode", "nearest");
  request.kernel.isCubic = request.mode == "cubic";
  request.kernel.cubicA = node.floatAttr("cubic_coeff_a", -0.75f);
  request.kernel.antialias = node.intAttr("antialias", 0) != 0;
  request.kernel.excludeOutside = node.intAttr("exclude_outside", 0) != 0;
  request.outside = node.floatAttr("extrapolation_value", 0);
  bool isKnown = request.mode == "nearest" || request.mode == "linear" ||
                 request.mode == "cubic";
  if (isKnown)
    return Status::success();
  return node.failure(FailureKind::Model, "IMP-6",
                      "mode '" + request.mode + "' is unknown");
}

static Status resize(NodeImport &node) {
  ResizeRequest request;
  if (Status status = setMode(node, request); !status)
    return status;
  auto coordinates = findCoordinates(
      node.stringAttr("coordinate_transformation_mode", "half_pixel"));
  auto rounding =
      findRounding(node.stringAttr("nearest_mode", "round_prefer_floor"));
  if (!coordinates || !rounding)
    return node.failure(FailureKind::Model, "IMP-6",
                        "coordinate_transformation_mode or nearest_mode is "
                        "unknown");
  request.coordinates = *coordinates;
  request.rounding = *rounding;
  Value value = node.operand(0);
  request.dims = keptDims(value);
  std::vector<int64_t> all(request.dims.size());
  for (size_t d = 0; d < all.size(); ++d)
    all[d] = static_cast<int64_t>(d);
  auto axes = checkedAxes(node, node.intsAttr("axes").value_or(all),
                          static_cast<int64_t>(all.size()));
  if (!axes)
    return axes.takeError();
  if (Status status = setExtents(node, request, *axes); !status)
    return status;
  return resizeAs(node, value, request);
}

/// Upsample, and Resize before operator set 11: index i reads from
/// coordinate i / scale, nearest rounding down.
static Status scaleBy(NodeImport &node, ArrayRef<float> scales) {
  ResizeRequest request;
  if (Status status = setMode(node, request); !status)
    return status;
  Value value = node.operand(0);
  request.dims = keptDims(value);
  std::vector<int64_t> all(request.dims.size());
  for (size_t d = 0; d < all.size(); ++d)
    all[d] = static_cast<int64_t>(d);
  if (Status status = setScales(node, request, all, scales); !status)
    return status;
  return resizeAs(node, value, request);
}

static Status scaleByAttribute(NodeImport &node) {
  return scaleBy(node,
                 node.floatsAttr("scales").value_or(std::vector<float>()));
}

static Status scaleByOperand(NodeImport &node) {
  auto scales = node.constantFloats(1, "scales");
  if (!scales)
    return scales.takeError();
  return scaleBy(node, *scales);
}

llvm::ArrayRef<ImportRow> tally::nn::resizeRows() {
  static const ImportRow rows[] = {
      {"", "Resize", 10, scaleByOperand, 2},
      {"", "Resize", 11, resize},
      {"", "Upsample", 7, scaleByAttribute},
      {"", "Upsample", 9, scaleByOperand, 2},
  };
  return rows;
}
