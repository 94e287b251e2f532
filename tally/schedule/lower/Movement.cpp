//===- Movement.cpp - elements that only change places --------------------===//
//
// A view where strides can say it, else one copy.
//
// Example: 1x32x4x4 with channels innermost has strides 512, 1, 128, 32; as
// 1x512 in the order of channels it has none, so it is copied. Row-major it
// would be a view.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/schedule/lower/Lowerings.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// The strides of `tensor`'s elements, in its order, under another shape.
static std::optional<SmallVector<int64_t>>
stridesUnder(const Tensor &tensor, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), tensor.bytes());
  size_t d = 0;
  int64_t rank = tensor.rank();
  // Match runs of dimensions with equal numbers of elements.
  for (int64_t first = 0; first < rank;) {
    int64_t last = first + 1, have = tensor.shape[first];
    size_t begin = d;
    int64_t want = 1;
    while (want != have) {
      if (want < have && d < shape.size())
        want *= shape[d++];
      else if (last < rank)
        have *= tensor.shape[last++];
      else
        return std::nullopt;
    }
    for (int64_t i = first; i + 1 < last; ++i)
      if (tensor.shape[i] != 1 && tensor.shape[i + 1] != 1 &&
          tensor.strides[i] != tensor.strides[i + 1] * tensor.shape[i + 1])
        return std::nullopt;
    int64_t stride = tensor.bytes();
    for (int64_t i = first; i < last; ++i)
      if (tensor.shape[i] != 1)
        stride = tensor.strides[i];
    for (size_t i = d; i > begin; --i) {
      strides[i - 1] = stride;
      stride *= shape[i - 1];
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
      {"nn.reshape", lowerReshape, Reach::View},
      {"nn.storage_cast", lowerCast, Reach::View},
      {"nn.transpose", lowerTranspose, Reach::View},
  };
  return rows;
}
