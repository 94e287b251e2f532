//===- ShiftIn.cpp - rings move on ----------------------------------------===//
//
// The old value and the new one are views of the state's memory: what is kept
// lies there already, what enters is stored behind it, or before it. Operators
// that read the result get it in SRAM, made of both, its frames in the order of
// memory, or read it where it is.
//
//   memory, a ring of 3 frames    [a b c] .          the old value
//   d enters                       a [b c d]         the new one
//
// With dimensions 1 x C x T, of which T moves, a frame is C elements that lie
// together: channels are innermost, as windows want them.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Locations.h"
#include "tally/ops/State.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Views.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

static int64_t sizeOf(Value value, size_t axis) {
  return cast<RankedTensorType>(value.getType()).getDimSize(axis);
}

/// The indices of `result` that enter.
static Tensor newFrames(nn::ShiftInOp op, const Tensor &result) {
  auto axis = size_t(op.getAxis());
  int64_t enters = sizeOf(op.getEntering(), axis);
  int64_t first = op.getFront() ? 0 : sizeOf(op.getOutput(), axis) - enters;
  return indicesOf(result, axis, first, enters);
}

/// The result in SRAM; `memory` is where it is in the state.
static Status gather(Scheduler &s, nn::ShiftInOp op, const Tensor &old,
                     const Tensor &entering, const Tensor &memory) {
  auto axis = size_t(op.getAxis());
  int64_t enters = sizeOf(op.getEntering(), axis);
  int64_t kept = sizeOf(op.getOutput(), axis) - enters;
  int64_t dropped = sizeOf(op.getOld(), axis) - kept;
  bool isFront = op.getFront();
  Tensor result = s.compact(nn::tensorName(op.getOutput()), memory);
  if (kept > 0)
    if (Status status =
            s.copy(indicesOf(old, axis, isFront ? 0 : dropped, kept),
                   indicesOf(result, axis, isFront ? enters : 0, kept));
        !status)
      return status;
  if (Status status = copyPieces(s, entering, newFrames(op, result)); !status)
    return status;
  s.bind(op.getOutput(), result);
  return Status::success();
}

static Status lowerShiftIn(Scheduler &s, Operation *op) {
  auto shift = cast<nn::ShiftInOp>(op);
  auto old = s.home(shift.getOld()), entering = s.home(shift.getEntering());
  if (!old)
    return old.takeError();
  if (!entering)
    return entering.takeError();
  Value output = shift.getOutput();
  const Tensor memory = s.rings.lookup(output);
  bool isOnlyKept = output.hasOneUse(); // by the state
  if (isOnlyKept || s.away.contains(output))
    s.bind(output, memory);
  else if (Status status = gather(s, shift, *old, *entering, memory); !status)
    return status;
  return copyPieces(s, *entering, newFrames(shift, memory));
}

llvm::ArrayRef<LoweringRow> tally::schedule::shiftLowerings() {
  static const LoweringRow rows[] = {
      {"nn.shift_in", lowerShiftIn, Reach::Pieces},
  };
  return rows;
}
