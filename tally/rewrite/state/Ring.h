//===- Ring.h - states of which a part enters in each call ------*- C++ -*-===//

#ifndef TALLY_REWRITE_STATE_RING_H
#define TALLY_REWRITE_STATE_RING_H

#include "tally/rewrite/state/InPlace.h"

namespace tally::rewrite {

/// A state whose value slides along its memory; in bytes, as StatePlace.
struct Ring {
  nn::ShiftInOp shift; ///< its result is what is written
  int64_t advance = 0, target = 0, rows = 1, pitch = 0;
  /// Room for what a call touches, and then for as much again to slide through:
  /// its bytes move once in that many calls.
  int64_t slotBytes = 0;
};

/// How the memory of a ring is laid out.
struct RingLayout {
  /// By the shifted axis first, whatever the value's order: frames that begin
  /// at multiples of `alignment`. What enters lies behind the old value, or
  /// before it, all of it.
  bool framesFirst = false;
  int64_t alignment = 1; ///< of a frame, in bytes
};

/// Makes a ring of the state that `read` and `write` are of, and an nn.shift_in
/// of the operations that shift it; nothing, and no change, where they do not,
/// or where something reads the old value too late. `settled` gets the state.
/// What has its newest first is a ring if `mayGoDown`.
std::optional<Ring> makeRing(nn::StateReadOp read, nn::StateWriteOp write,
                             const RingLayout &layout,
                             llvm::SmallVectorImpl<Overwritten> &settled,
                             bool mayGoDown);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_STATE_RING_H
