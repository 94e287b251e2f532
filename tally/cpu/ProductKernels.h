//===- ProductKernels.h - the inner loops of products -----------*- C++ -*-===//
//
// The one place that convolution, matrix product and their relatives call for
// their multiply-adds. What stands behind it can be replaced (by generated
// microkernels, for instance) without touching an operator.
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

/// Lanes of a float panel's columns; panels are padded to a multiple.
inline constexpr int64_t kFloatLanes = 16;
inline int64_t paddedColumns(int64_t columns) {
  return (columns + kFloatLanes - 1) / kFloatLanes * kFloatLanes;
}

/// Float products in the normative order: one fused multiply-add per term,
/// ascending k, from +0. `row(r, k)` loads an element of the left operand;
/// `columns` is a memref [k][paddedColumns] of f32. `store` is called in a
/// loop with every valid (row, column).
void emitFloatProduct(
    KernelBuilder &k, const ProductShape &shape,
    llvm::function_ref<Value(Value row, Value k)> row, Value columns,
    llvm::function_ref<void(Value row, Value column, Value sum)> store);

/// The right operand of float products as a panel for emitFloatProduct, made at
/// compile time; null unless it is a constant that only products read.
/// `element(k, column)` is a flat element of the operand.
Value constantColumns(
    KernelBuilder &k, int64_t terms, int64_t columns,
    llvm::function_ref<int64_t(int64_t term, int64_t column)> element);

} // namespace tally::cpu

#endif // TALLY_CPU_PRODUCTKERNELS_H
