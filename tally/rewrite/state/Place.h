//===- Place.h - where states live ------------------------------*- C++ -*-===//
//
// The last rewrite before code is generated. It decides for each state how its
// new value gets to where the next call reads the old one (nn::StatePolicy),
// and turns reads into arguments and writes into results of `main`, behind the
// model's own. A code generator sees pointers in and pointers out; which slots
// they point to is the business of who calls (runtime/StateLayout.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_STATE_PLACE_H
#define TALLY_REWRITE_STATE_PLACE_H

#include "tally/rewrite/state/Ring.h"

#include "mlir/IR/BuiltinOps.h"

namespace tally::rewrite {

/// What the target's code can do.
struct PlaceOptions {
  /// An operator overwrites an operand with its result, element by element.
  bool inPlace = false;
  /// nn.shift_in writes what enters alone.
  bool rings = false;
  RingLayout ringLayout;
  /// With rings: its memory may lie before the old value's (nn.shift_in with
  /// `front`).
  bool ringsDown = false;
  /// The caller counts: a number with a largest value (nn.state `most`) that
  /// only grows by a constant is no tensor to the target, but known before the
  /// call.
  bool counters = false;
};

/// Places the states of function `main`; does nothing where there are none.
void placeStates(mlir::ModuleOp module, const PlaceOptions &options);

/// The pass nn-place-states of tally-opt.
void registerPlaceStatesPass();

} // namespace tally::rewrite

#endif // TALLY_REWRITE_STATE_PLACE_H
