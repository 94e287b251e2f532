//===- ProductKernels.h - the inner loops of products -----------*- C++ -*-===//
//
// Products of integers as plain loops, where no faster form takes them (folder
// kernels/).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_PRODUCTKERNELS_H
#define TALLY_CPU_PRODUCTKERNELS_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// A product of rows and columns of one length `k`, with `rows` x `columns`
/// results.
struct ProductShape {
  int64_t rows, columns, k;
};

/// An integer panel: a memref [count][k] (row-major, any integer element) and
/// how its elements widen.
struct IntegerPanel {
  Value memref;
  eval::Element element;
  /// First row to use, when the panel is part of a larger one.
  Value rowOffset;
  /// The memref is [k][count] instead; only for columns, without an offset.
  bool isTermMajor = false;
};

/// For every (row, column): the exact sum over k of row element times column
/// element as i32, or i64 when `wide`, handed to `store`. The caller has
/// proven that the sum fits.
void emitIntegerProduct(
    KernelBuilder &k, const ProductShape &shape, const IntegerPanel &rows,
    const IntegerPanel &columns, bool wide,
    llvm::function_ref<void(Value row, Value column, Value sum)> store);

} // namespace tally::cpu

#endif // TALLY_CPU_PRODUCTKERNELS_H
