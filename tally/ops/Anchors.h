//===- Anchors.h - what may begin a chain -----------------------*- C++ -*-===//

#ifndef TALLY_OPS_ANCHORS_H
#define TALLY_OPS_ANCHORS_H

#include "mlir/IR/Operation.h"

namespace tally::nn {

/// Whether `op` walks lines or rows of its first operand, several times, and
/// makes each element of its first result in the last walk: softmax and the
/// normalizations by statistics of their own.
bool walksLines(mlir::Operation *op);

/// Whether `op` may begin an nn.fused (FUSED-2): it makes each element of its
/// first result once, at a place where further elementwise work can follow
/// before it is stored, and nothing reads another result of it.
bool isFusionAnchor(mlir::Operation *op);

} // namespace tally::nn

#endif // TALLY_OPS_ANCHORS_H
