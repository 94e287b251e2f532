//===- Layout.h - weights, transposes and copies in their place -*- C++ -*-===//
//
// Puts the weights of every product on its right, moves transposes to where
// they cost least, and keeps one copy of what is equal. The integers and the
// floats of every result stay, bit for bit.
//
//   y = relu(W2 * relu(W1 * x))       W constant, on the left
//     ==> T(relu(relu(T(x) * T(W1)) * T(W2)))
//
// where the inner transposes are flags of the products, so one transpose is
// left.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_LAYOUT_LAYOUT_H
#define TALLY_REWRITE_LAYOUT_LAYOUT_H

#include "mlir/IR/BuiltinOps.h"

namespace tally::rewrite {

/// Rewrites all functions of `module`. Post-conditions, each with a remark for
/// what stays: no product has its only constant operand on its left (LAYOUT-2);
/// no transpose feeds a transpose or an operation that absorbs it, moves only
/// dimensions of size 1, or could cost fewer bytes elsewhere (LAYOUT-5); no
/// transpose has a constant operand; no two constants are equal.
void layout(mlir::ModuleOp module);

/// Registers the pass `--nn-layout`.
void registerLayoutPass();

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_LAYOUT_H
