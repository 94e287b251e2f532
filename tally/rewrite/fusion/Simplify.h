//===- Simplify.h - what a chain can do without -----------------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_FUSION_SIMPLIFY_H
#define TALLY_REWRITE_FUSION_SIMPLIFY_H

#include "tally/ops/Ops.h"
#include "tally/rewrite/fusion/Fusion.h"

namespace tally::rewrite {

/// The grid of a tensor of codes when it has one, else null.
nn::UniformQuantizedType codesOf(mlir::Value value);

/// Whether an operator is nn.relu or nn.clip.
bool isClamp(mlir::Operation *op);

/// Whether an operator clamps codes and, by clampOnSameGrid, needs no table.
bool isCodeClamp(mlir::Operation *op, const FusionOptions &options);

/// Leaves out of a chain what changes no code (the second part of
/// Predicates.def): clamps that keep every code, the first of two clamps on
/// one grid, roundings that the next one makes again. Reports FUSE-13 to
/// FUSE-15. The chain may be left with the anchor alone, or end with a view.
void simplify(nn::FusedOp fused, const FusionOptions &options);

/// Reports the roundings of a chain that stay (FUSE-16).
void reportRoundings(nn::FusedOp fused, const FusionOptions &options);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_FUSION_SIMPLIFY_H
