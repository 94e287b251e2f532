//===- RuntimeColumns.h - products of two operands of a run -----*- C++ -*-===//
//
// Products of bytes whose right side is known only when the code runs, as in
// attention, or whose zero points are. The right side is packed before each
// product, or at compile time when it is constant; what zero points add to the
// sums,
//
//     sum (a - za) (b - zb) = sum a b - za sum b - zb sum a + terms za zb,
//
// is one number for each column, from which its sums start, and one for each
// row, which is added before a sum is finished.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_RUNTIMECOLUMNS_H
#define TALLY_CPU_LOWER_RUNTIMECOLUMNS_H

#include "tally/cpu/kernels/ByteProduct.h"
#include "tally/cpu/lower/DotOperands.h"

namespace tally::cpu {

/// The bytes that are a product's columns: (term, column) is the flat element
/// base + term * termStride + column * columnStride of `codes`, a flat memref,
/// or of `constant`. No base is 0. One of the strides is 1.
struct RightCodes {
  std::optional<eval::Tensor> constant;
  Value codes, base;
  int64_t termStride, columnStride;
  bool areSigned;
};

/// The zero point of all codes of an operand: a number, or, when it is not
/// known, an i32.
struct CodeZero {
  std::optional<int64_t> known;
  Value value;
};

/// Whether `terms` codes of 8 bits for each of the columns can be packed.
bool canPackAtRunTime(const KernelBuilder &k, int64_t terms,
                      const RightCodes &right);

/// Emits the sums of (a - zero) * (b - zero) of codes of operand 0 and of
/// `right`, of 8 bits; they fit 32 bits.
void emitRuntimeProduct(KernelBuilder &k, int64_t rows, int64_t terms,
                        int64_t columns, const LeftCodes &left,
                        CodeZero leftZero, const RightCodes &right,
                        CodeZero rightZero, FinishLanes finish);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_RUNTIMECOLUMNS_H
