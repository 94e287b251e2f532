//===- Movement.cpp - elements that only change places --------------------===//
//
// Views where strides can say it, which is always but for reshapes of elements
// that do not lie in order: those are copied. Offset and strides are composed
// with those of the operand, so the storage is the only thing that lives.
//
// Example: 1x32x4x4 with channels innermost has strides 512, 1, 128, 32; as
// 1x512 in the order of channels it has none, so it is copied. Row-major it
// would be a view.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Views.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// The stride of the dimensions [first, last) of `tensor` as one, in its order;
/// nothing if they do not lie like one. Dimensions of one element have no say.
static std::optional<int64_t> strideAsOne(const Tensor &tensor, int64_t first,
                                          int64_t last) {
  std::optional<int64_t> innermost;
  int64_t next = 0; ///< the stride that the next dimension outwards needs
  for (int64_t d = last - 1; d >= first; --d) {
    if (tensor.shape[d] == 1)
      continue;
    if (innermost && tensor.strides[d] != next)
      return std::nullopt;
    innermost = innermost.value_or(tensor.strides[d]);
    next = tensor.strides[d] * tensor.shape[d];
  }
  return innermost.value_or(tensor.bytes());
}

/// The strides of `tensor`'s elements, in its order, under another shape.
static std::optional<SmallVector<int64_t>>
stridesUnder(const Tensor &tensor, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), tensor.bytes());
  size_t d = 0;
  // Match runs of dimensions with equal numbers of elements.
  for (int64_t first = 0; first < tensor.rank();) {
    int64_t last = first + 1, have = tensor.shape[first], want = 1;
    size_t begin = d;
    while (want != have)
      if (want < have)
        want *= shape[d++];
      else
        have *= tensor.shape[last++];
    auto stride = strideAsOne(tensor, first, last);
    if (!stride)
      return std::nullopt;
    for (size_t i = d; i > begin; --i) {
      strides[i - 1] = *stride;
      *stride *= shape[i - 1];
    }
    first = last;
  }
  return strides;
}

static Status lowerReshape(Scheduler &s, Operation *op) {
  auto tensor = s.home(op->getOperand(0));
  if (!tensor)
    return tensor.takeError();
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  auto strides = stridesUnder(*tensor, type.getShape());
  if (!strides) {
    auto moved =
        s.allocateAt(nn::tensorName(result),
                     cast<RankedTensorType>(op->getOperand(0).getType()),
                     Layout::RowMajor, tensor->isGlobal());
    if (!moved)
      return moved.takeError();
    if (Status status = copyPieces(s, *tensor, *moved); !status)
      return status;
    tensor = moved;
    strides = stridesUnder(*tensor, type.getShape());
  }
  tensor->shape.assign(type.getShape().begin(), type.getShape().end());
  tensor->strides = *strides;
  s.bind(result, *tensor);
  return Status::success();
}

static Status lowerTranspose(Scheduler &s, Operation *op) {
  auto transpose = cast<nn::TransposeOp>(op);
  auto tensor = s.home(transpose.getInput());
  if (!tensor)
    return tensor.takeError();
  Tensor view = *tensor;
  for (auto [d, from] : llvm::enumerate(transpose.getPermutation())) {
    view.shape[d] = tensor->shape[from];
    view.strides[d] = tensor->strides[from];
  }
  s.bind(transpose.getResult(), view);
  return Status::success();
}

static Status lowerSlice(Scheduler &s, Operation *op) {
  auto slice = cast<nn::SliceOp>(op);
  if (slice.getOutput().getType().getNumElements() == 0)
    return s.unsupported("a tensor without elements");
  auto tensor = s.home(slice.getInput());
  if (!tensor)
    return tensor.takeError();
  Tensor view = *tensor;
  for (size_t d = 0; d < view.shape.size(); ++d)
    view = indicesOf(std::move(view), d, slice.getStarts()[d],
                     slice.getSizes()[d], slice.getSteps()[d]);
  s.bind(slice.getOutput(), view);
  return Status::success();
}

/// Dimensions that repeat have a stride of 0.
static Status lowerExpand(Scheduler &s, Operation *op) {
  auto expand = cast<nn::ExpandOp>(op);
  if (expand.getOutput().getType().getNumElements() == 0)
    return s.unsupported("a tensor without elements");
  auto tensor = s.home(expand.getInput());
  if (!tensor)
    return tensor.takeError();
  Tensor view = *tensor;
  size_t lead = expand.getShape().size() - tensor->shape.size();
  view.shape.insert(view.shape.begin(), lead, 1);
  view.strides.insert(view.strides.begin(), lead, 0);
  for (auto [d, size] : llvm::enumerate(expand.getShape()))
    if (view.shape[d] != size)
      view = indicesOf(std::move(view), d, 0, size, 0);
  s.bind(expand.getOutput(), view);
  return Status::success();
}

/// Another type for the same bytes.
static Status lowerCast(Scheduler &s, Operation *op) {
  auto tensor = s.home(op->getOperand(0));
  if (!tensor)
    return tensor.takeError();
  if (auto type = elementTypeOf(op->getResult(0).getType()))
    tensor->type = *type;
  s.bind(op->getResult(0), *tensor);
  return Status::success();
}

llvm::ArrayRef<LoweringRow> tally::schedule::movementLowerings() {
  static const LoweringRow rows[] = {
      {"nn.expand", lowerExpand, Reach::View},
      {"nn.reshape", lowerReshape, Reach::View},
      {"nn.slice", lowerSlice, Reach::View},
      {"nn.storage_cast", lowerCast, Reach::View},
      {"nn.transpose", lowerTranspose, Reach::View},
  };
  return rows;
}
