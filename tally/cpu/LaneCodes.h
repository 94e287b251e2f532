//===- LaneCodes.h - numbers in lanes become codes --------------*- C++ -*-===//
//
// The last steps of an epilogue, for one number or for vectors of them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LANECODES_H
#define TALLY_CPU_LANECODES_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// `scalar` as a type of as many lanes as `like` has, itself for one number.
mlir::Type lanesLike(Value like, mlir::Type scalar);
/// The lanes of a value, 0 for one number.
int64_t lanesOf(Value value);
/// A number in every lane that `like` has.
Value spreadLike(KernelBuilder &k, Value like, Value scalar);

/// Floats of at most 2^31 - 128 to the nearest i32, half to even: one
/// instruction everywhere.
Value nearestInt32(KernelBuilder &k, Value floats);

/// What rounding left: integers that are codes when `origin` is added and they
/// are bounded. |value + origin| must fit i32.
struct Rounded {
  Value value; ///< i32
  int64_t origin, low, high;
};

/// The codes as i32.
Value codesOf(KernelBuilder &k, const Rounded &rounded);
/// The codes as `element` stores them.
Value storedCodesOf(KernelBuilder &k, const Rounded &rounded,
                    eval::Element element);

} // namespace tally::cpu

#endif // TALLY_CPU_LANECODES_H
