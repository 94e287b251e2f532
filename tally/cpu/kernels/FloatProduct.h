//===- FloatProduct.h - products of floats in register tiles ----*- C++ -*-===//
//
// Products of fp32 in the normative order: every output is one fused
// multiply-add per term, ascending, from +0. So vectors run across columns, and
// a tile of rows x vectors of sums stays in registers while the terms pass by.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_FLOATPRODUCT_H
#define TALLY_CPU_KERNELS_FLOATPRODUCT_H

#include "tally/cpu/ProductKernels.h"

namespace tally::cpu {

/// Lanes of a vector of columns; panels are padded to a multiple.
inline constexpr int64_t kFloatLanes = 16;
/// Columns of a block of a panel.
inline constexpr int64_t kFloatBlock = 64;

inline int64_t paddedColumns(int64_t columns) {
  return (columns + kFloatLanes - 1) / kFloatLanes * kFloatLanes;
}

/// The right operand of a product in the order in which tiles read it: a block
/// of 64 columns after the other, in it a term after the other, in it the
/// columns. The last block has as many columns as are left, rounded up to
/// vectors. A panel is a flat memref of `elements()` f32.
struct FloatPanel {
  int64_t terms, columns;

  int64_t elements() const { return terms * paddedColumns(columns); }
  /// Columns that the block from `column` on holds, padding included.
  int64_t width(int64_t column) const {
    return std::min(kFloatBlock, paddedColumns(columns) - column);
  }
  int64_t place(int64_t term, int64_t column) const {
    int64_t first = column / kFloatBlock * kFloatBlock;
    return first * terms + term * width(first) + column - first;
  }

  /// Memory for a panel. Lanes beyond the columns are 0: what they compute is
  /// dropped.
  Value scratch(KernelBuilder &k) const;
  /// Fills `panel` from the flat `source`, whose element (term, column) is at
  /// base + term * termStride + column * columnStride; one of the strides is 1.
  void fill(KernelBuilder &k, Value panel, Value source, Value base,
            int64_t termStride, int64_t columnStride) const;
};

/// Takes the sums of columns [column, column + count) of `row` as a vector of
/// 16 f32, whose lanes from `count` on mean nothing. Called inside of loops.
using FinishFloats = llvm::function_ref<void(Value row, Value column,
                                             int64_t count, Value sums)>;

/// Emits all sums, each handed over once. `row(r, k)` loads an element of the
/// left operand.
void emitFloatProduct(KernelBuilder &k, const ProductShape &shape,
                      llvm::function_ref<Value(Value row, Value k)> row,
                      Value panel, FinishFloats finish);

/// The right operand of float products as a panel, made at compile time; null
/// unless it is a constant that only products read. `element(k, column)` is a
/// flat element of the operand.
Value constantColumns(
    KernelBuilder &k, const FloatPanel &panel,
    llvm::function_ref<int64_t(int64_t term, int64_t column)> element);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_FLOATPRODUCT_H
