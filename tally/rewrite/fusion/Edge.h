//===- Edge.h - may a stage join a chain? -----------------------*- C++ -*-===//
//
// Private to this folder. The first part of Predicates.def.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_FUSION_EDGE_H
#define TALLY_REWRITE_FUSION_EDGE_H

#include "tally/ops/Ops.h"
#include "tally/rewrite/Remarks.h"
#include "tally/rewrite/fusion/Fusion.h"

#include "llvm/ADT/DenseSet.h"

namespace tally::rewrite {

/// A chain's last value on its way to an elementwise operator.
struct Edge {
  /// The chain so far, views included; the last one makes `value`.
  llvm::ArrayRef<mlir::Operation *> chain;
  mlir::Value value;
  /// Movements between `value` and the stage, in order.
  llvm::SmallVector<mlir::Operation *, 1> views;
  mlir::Operation *stage;
  /// Stages that are in a chain already.
  const llvm::DenseSet<mlir::Operation *> *taken;

  mlir::Operation *anchor() const { return chain.front(); }
  /// What the stage reads: the last view's result, or the value.
  mlir::Value read() const {
    return views.empty() ? value : views.back()->getResult(0);
  }
};

/// Why a stage may not join.
struct Refusal {
  Predicate predicate;
  RemarkCode code;
  mlir::Value at;                   ///< the edge that decided
  mlir::Operation *other = nullptr; ///< a second node that takes part, or null
  std::string reason, suggestion;
};

/// The first predicate that does not hold, or nothing: the stage may join.
std::optional<Refusal> refusal(const Edge &edge, const FusionOptions &options);

/// The edge into `operand` of `stage`, directly or through movements; nothing
/// when the operand comes from no chain. `chainUpTo(op)` is the chain that `op`
/// is in, up to it, or empty.
std::optional<Edge>
edgeTo(mlir::Operation *stage, mlir::Value operand,
       llvm::function_ref<llvm::ArrayRef<mlir::Operation *>(mlir::Operation *)>
           chainUpTo,
       const llvm::DenseSet<mlir::Operation *> &taken);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_FUSION_EDGE_H
