//===- Movement.h - elements copied to another place ------------*- C++ -*-===//

#ifndef TALLY_EVAL_MOVEMENT_H
#define TALLY_EVAL_MOVEMENT_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

#include <functional>

namespace tally::eval {

/// A result index, one entry per dimension.
using Index = std::span<const int64_t>;

/// Calls fn(position, index) for every index of `shape` in row-major order.
void forEachIndex(const Shape &shape,
                  const std::function<void(int64_t, Index)> &fn);

/// Fills `out`: the element at result index i is element `source(i)`, a
/// row-major position, of `in`. Both have one element size; values are copied
/// as bits.
void copyElements(const Tensor &in, Tensor &out,
                  const std::function<int64_t(Index)> &source);

/// Copies element `from` of `in` to place `to` of `out` as bits.
void copyElement(const Tensor &in, int64_t from, Tensor &out, int64_t to);

/// `tensor` with the element and grid of `like`: itself when it is plain or has
/// that grid already, else requantized (both per tensor; see Elementwise.h).
Tensor onGridOf(const Tensor &tensor, const Tensor &like, Profile profile);

/// The row-major position of an index under strides.
int64_t positionOf(Index index, const Shape &strides);

/// An index operand's value as a place in [0, size): negative values count
/// from the end, then what lies outside is clamped into the range.
int64_t clampIndex(int64_t index, int64_t size);

} // namespace tally::eval

#endif // TALLY_EVAL_MOVEMENT_H
