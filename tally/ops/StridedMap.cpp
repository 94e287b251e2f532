//===- StridedMap.cpp - where a movement's elements come from -------------===//
//
// Every function below states one operator's f0, f1, ..: row-major strides of
// the input, permuted, scaled by steps, or zero where a dimension repeats.
//
// Coalescing: dimension d with stride s and the next one with n indices of
// stride t are one dimension of stride t exactly when s = n * t, because then
// s * i + t * j = t * (n * i + j). Cost: linear in the number of pieces.
//
//===----------------------------------------------------------------------===//

#include "tally/ops/StridedMap.h"
#include "tally/ops/Inference.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

int64_t StridedMap::size(size_t dim) const {
  int64_t total = 0;
  for (const StridedPiece &piece : dims[dim])
    total += piece.count;
  return total;
}

int64_t StridedMap::count() const {
  int64_t total = 1;
  for (size_t d = 0; d < dims.size(); ++d)
    total *= size(d);
  return total;
}

bool StridedMap::isAffine() const {
  return llvm::all_of(dims, [](const auto &dim) { return dim.size() == 1; });
}

int64_t StridedMap::source(ArrayRef<int64_t> index) const {
  int64_t position = base;
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t k = index[d];
    for (const StridedPiece &piece : dims[d]) {
      if (k < piece.count) {
        position += piece.offset + k * piece.stride;
        break;
      }
      k -= piece.count;
    }
  }
  return position;
}

/// One affine dimension.
static StridedDimension affine(int64_t size, int64_t stride) {
  StridedDimension dim;
  if (size > 0)
    dim.push_back({size, 0, stride});
  return dim;
}

static eval::Shape inputStrides(Operation *op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  return eval::stridesOf(eval::Shape(shape.begin(), shape.end()));
}

static StridedMap mapOf(ReshapeOp op) {
  StridedMap map;
  map.dims.push_back(affine(op.getType().getNumElements(), 1));
  return map;
}

static StridedMap mapOf(TransposeOp op) {
  StridedMap map;
  eval::Shape strides = inputStrides(op);
  for (auto [size, axis] :
       llvm::zip(shapeOf(op.getOutput()), op.getPermutation()))
    map.dims.push_back(affine(size, strides[axis]));
  return map;
}

static StridedMap mapOf(SliceOp op) {
  StridedMap map;
  for (auto [size, start, step, stride] : llvm::zip(
           op.getSizes(), op.getStarts(), op.getSteps(), inputStrides(op))) {
    map.base += size > 0 ? start * stride : 0;
    map.dims.push_back(affine(size, step * stride));
  }
  return map;
}

static StridedMap mapOf(ExpandOp op) {
  StridedMap map;
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = op.getShape();
  eval::Shape strides = inputStrides(op);
  size_t lead = to.size() - from.size();
  for (size_t d = 0; d < to.size(); ++d) {
    bool repeats = d < lead || from[d - lead] == 1;
    map.dims.push_back(affine(to[d], repeats ? 0 : strides[d - lead]));
  }
  return map;
}

static StridedMap mapOf(SelectOp op) {
  StridedMap map;
  eval::Shape strides = inputStrides(op);
  for (auto [size, stride] : llvm::zip(shapeOf(op.getInput()), strides))
    map.dims.push_back(affine(size, stride));
  for (auto [axis, attribute] : llvm::zip(op.getAxes(), op.getSegments())) {
    StridedDimension &dim = map.dims[axis];
    dim.clear();
    ArrayRef<int64_t> list = cast<DenseI64ArrayAttr>(attribute);
    for (size_t i = 0; i < list.size(); i += 3)
      dim.push_back(
          {list[i + 1], list[i] * strides[axis], list[i + 2] * strides[axis]});
  }
  return map;
}

std::optional<StridedMap> tally::nn::stridedMap(Operation *movement) {
  return llvm::TypeSwitch<Operation *, std::optional<StridedMap>>(movement)
      .Case<ReshapeOp, TransposeOp, SliceOp, ExpandOp, SelectOp>(
          [](auto op) { return mapOf(op); })
      .Default([](Operation *) { return std::nullopt; });
}

StridedMap tally::nn::coalesced(const StridedMap &map) {
  StridedMap result;
  result.base = map.base;
  for (const StridedDimension &dim : map.dims) {
    bool isAffine = dim.size() == 1;
    if (isAffine && dim[0].count == 1) {
      result.base += dim[0].offset;
      continue;
    }
    StridedDimension *last =
        result.dims.empty() ? nullptr : &result.dims.back();
    bool joins = isAffine && last && last->size() == 1 &&
                 last->front().stride == dim[0].count * dim[0].stride;
    if (!joins) {
      result.dims.push_back(dim);
      continue;
    }
    StridedPiece &piece = last->front();
    piece = {piece.count * dim[0].count, piece.offset + dim[0].offset,
             dim[0].stride};
  }
  return result;
}
