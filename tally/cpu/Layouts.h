//===- Layouts.h - in which order each tensor is stored ---------*- C++ -*-===//
//
// Products of bytes give their results pixel by pixel, all channels of a pixel
// side by side. So activations of convolutions are best stored channels last
// (Order.h), while the caller's buffers and many operators know plain order
// only. This chooses an order for the result of every operation, such that the
// bytes that have to be moved between orders are fewest, and puts a reorder, an
// nn.transpose that moves no dimension, where a tensor is read in the other
// order. Convolutions read a plain operand themselves where they alone want it
// channels last, since they copy their input anyway.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LAYOUTS_H
#define TALLY_CPU_LAYOUTS_H

#include "tally/cpu/Order.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace tally::cpu {

/// The orders in a function. The reorders stay in it as long as this lives.
class Layouts {
public:
  /// Everything in plain order.
  Layouts() = default;
  /// Chooses, and inserts reorders.
  explicit Layouts(mlir::func::FuncOp function);
  Layouts(const Layouts &) = delete;
  Layouts &operator=(const Layouts &) = delete;
  ~Layouts();

  /// The order of the memory that owns the bytes of `value`.
  Order of(mlir::Value value) const;
  /// The order of what `op` computes.
  Order ofResult(mlir::Operation *op) const;

private:
  /// Operations that want their operands channels last, and give their result
  /// so where it has two orders.
  llvm::DenseSet<mlir::Operation *> channelsLast;
  std::vector<mlir::Operation *> reorders;
};

/// Whether `op` was inserted to change the order of its operand.
bool isReorder(mlir::Operation *op);

} // namespace tally::cpu

#endif // TALLY_CPU_LAYOUTS_H
