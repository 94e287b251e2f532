//===- Ring.cpp - states of which a part enters in each call --------------===//
//
// A streaming convolution keeps the last frames of its input. Models write it
// in two ways, with x the k frames that enter along an axis:
//
//   window    new = concat(old[k:], x)      the state is what the layer reads
//   context   all = concat(old, x)          the layer reads `all`, the state is
//             new = all[k:]                 its end
//
// or with the newest first: concat(x, old[:-k]), and concat(x, old) with [:-k].
//
// Both become an nn.shift_in, whose kept part is in memory already when the
// value slides (runtime/StateLayout.cpp): a window's new value begins k * inner
// elements behind the old one, and a context's `all` begins where the old value
// does, with room for x behind each row. So its rows stand wider apart than
// they are long; nothing else may read the old value then. With the newest
// first the value slides towards the slot's beginning, and x has room before
// each row.
//
// What enters is written behind the old value, or, when there are several rows,
// over the k oldest frames of all rows but one: as in place, who reads the old
// value has to come before.
//
// Where frames come first in memory (RingLayout), with gaps between them if
// need be, both ways are one: the new value begins k frames behind the old one,
// and what enters lies beside the old value, whoever reads that. With the
// newest first all of it is seen from the other end.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/state/Ring.h"
#include "tally/graph/Types.h"
#include "tally/ops/Ops.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

namespace {
/// The operations that shift a state, in one of the two ways.
struct Shift {
  ConcatOp concat;
  SliceOp slice;
  bool isContext = false;
  bool isFront = false; ///< the newest comes first
};
} // namespace

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether `value` is the old value: its bytes under its own type.
static bool isOld(Value value, StateReadOp read) {
  return storageRoot(value) == read.getValue() &&
         value.getType() == read.getValue().getType();
}

/// Whether `slice` keeps all of its input but the oldest indices of `axis`.
static bool dropsOldest(SliceOp slice, int64_t axis, bool isFront) {
  auto input = typeOf(slice.getInput());
  for (int64_t d = 0; d < input.getRank(); ++d) {
    int64_t start = slice.getStarts()[d], size = slice.getSizes()[d];
    bool begins = start == 0, ends = start + size == input.getDimSize(d);
    bool isKept = d != axis ? begins && ends : isFront ? begins : ends;
    if (!isKept || (size > 1 && slice.getSteps()[d] != 1))
      return false;
  }
  return true;
}

/// Where the old value stands in `concat`: at its beginning, or at its end.
static Value oldIn(ConcatOp concat, bool isFront) {
  return isFront ? concat.getInputs().back() : concat.getInputs().front();
}

static std::optional<Shift> findShift(StateReadOp read, Value next,
                                      bool isFront) {
  if (auto concat = next.getDefiningOp<ConcatOp>()) {
    auto slice = oldIn(concat, isFront).getDefiningOp<SliceOp>();
    if (slice && isOld(slice.getInput(), read) &&
        dropsOldest(slice, concat.getAxis(), isFront))
      return Shift{concat, slice, false, isFront};
  }
  if (auto slice = next.getDefiningOp<SliceOp>()) {
    auto concat = slice.getInput().getDefiningOp<ConcatOp>();
    if (concat && isOld(oldIn(concat, isFront), read) &&
        dropsOldest(slice, concat.getAxis(), isFront))
      return Shift{concat, slice, true, isFront};
  }
  return std::nullopt;
}

static OperandRange enteringOf(ConcatOp concat, bool isFront) {
  return isFront ? concat.getInputs().drop_back()
                 : concat.getInputs().drop_front();
}

/// Whether something enters, of the state's own type and no part of it.
static bool entersAsItIs(const Shift &shift, StateReadOp read) {
  ConcatOp concat = shift.concat;
  Type element = typeOf(read.getValue()).getElementType();
  auto entering = enteringOf(concat, shift.isFront);
  int64_t kept = describe(typeOf(oldIn(concat, shift.isFront))).count();
  return describe(concat.getType()).count() > kept &&
         concat.getType().getElementType() == element &&
         llvm::all_of(entering, [&](Value value) {
           return typeOf(value).getElementType() == element &&
                  storageRoot(value) != read.getValue();
         });
}

/// What enters, as one tensor.
static Value entering(ConcatOp concat, bool isFront) {
  OperandRange values = enteringOf(concat, isFront);
  if (values.size() == 1)
    return values.front();
  auto axis = static_cast<int64_t>(concat.getAxis());
  SmallVector<int64_t> shape(concat.getType().getShape());
  shape[axis] -= typeOf(oldIn(concat, isFront)).getDimSize(axis);
  OpBuilder builder(concat);
  return ConcatOp::create(builder, concat.getLoc(),
                          concat.getType().clone(shape), values,
                          concat.getAxis());
}

static int64_t elementsFrom(RankedTensorType type, int64_t axis) {
  int64_t count = 1;
  for (int64_t dim : type.getShape().drop_front(axis))
    count *= dim;
  return count;
}

static Ring ringOf(ShiftInOp shift, bool isContext) {
  auto axis = static_cast<int64_t>(shift.getAxis());
  int64_t size = eval::byteSize(describe(typeOf(shift.getOutput())).element);
  Ring ring{shift};
  ring.advance = elementsFrom(typeOf(shift.getEntering()), axis) * size;
  if (shift.getFront())
    ring.advance = -ring.advance;
  // What is written, `all` of a context too, begins where the new value does,
  // but for a context whose newest comes last.
  if (!isContext || shift.getFront())
    ring.target = ring.advance;
  ring.slotBytes = 2 * describe(typeOf(shift.getOutput())).byteCount() +
                   std::abs(ring.target);
  if (!isContext)
    return ring;
  for (int64_t dim : typeOf(shift.getOutput()).getShape().take_front(axis))
    ring.rows *= dim;
  ring.pitch = elementsFrom(typeOf(shift.getOutput()), axis) * size;
  return ring;
}

static Ring framesOf(ShiftInOp shift, int64_t alignment) {
  auto axis = static_cast<int64_t>(shift.getAxis());
  RankedTensorType old = typeOf(shift.getOld());
  int64_t bytes = describe(old).byteCount();
  int64_t enters = typeOf(shift.getEntering()).getDimSize(axis);
  Ring ring{shift};
  ring.rows = old.getDimSize(axis);
  ring.pitch = bytes / ring.rows;
  if (enters * ring.pitch % alignment != 0)
    ring.pitch = llvm::alignTo(ring.pitch, alignment);
  int64_t frame = bytes / ring.rows;
  ring.advance = enters * ring.pitch;
  ring.slotBytes = 2 * ring.rows * ring.pitch + ring.advance;
  if (!shift.getFront())
    return ring;
  // The value ends with the slot, without a gap behind it; what a call touches
  // before it begins at multiples of the alignment all the way down.
  ring.slotBytes = llvm::alignTo(ring.rows * ring.pitch, alignment) +
                   ring.advance + (ring.rows - 1) * ring.pitch + frame;
  ring.advance = ring.target = -ring.advance;
  return ring;
}

static bool isOnlyReader(Operation *op, Value old) {
  return llvm::all_of(storageReaders(old),
                      [&](Operation *reader) { return reader == op; });
}

std::optional<Ring> tally::rewrite::makeRing(
    StateReadOp read, StateWriteOp write, const RingLayout &layout,
    SmallVectorImpl<Overwritten> &settled, bool mayGoDown) {
  auto found = findShift(read, write.getValue(), /*isFront=*/false);
  if (!found && mayGoDown)
    found = findShift(read, write.getValue(), /*isFront=*/true);
  if (!found || !entersAsItIs(*found, read))
    return std::nullopt;
  auto &[concat, slice, isContext, isFront] = *found;
  Value old = read.getValue();
  bool isBeside = layout.framesFirst;
  if (isContext && !isBeside && !isOnlyReader(concat, old))
    return std::nullopt;
  // The slice of a window reads the old value, too, and comes before.
  if (!isBeside && !settleOrder(old, concat, settled))
    return std::nullopt;
  OpBuilder builder(concat);
  Value enters = entering(concat, isFront);
  // Where more enters than is kept, none of the old frames stays: a value in
  // place writes less than a ring would.
  auto axis = static_cast<unsigned>(concat.getAxis());
  if (isBeside &&
      typeOf(enters).getDimSize(axis) > typeOf(old).getDimSize(axis))
    return std::nullopt;
  auto shift = ShiftInOp::create(builder, concat.getLoc(), concat.getType(),
                                 old, enters, concat.getAxis(), isFront);
  if (!isBeside)
    settled.back().writer = shift;
  concat.getOutput().replaceAllUsesWith(shift.getOutput());
  concat.erase();
  return layout.framesFirst ? framesOf(shift, layout.alignment)
                            : ringOf(shift, isContext);
}
