//===- Chains.h - nodes that run together -----------------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_CHAINS_H
#define TALLY_SCHEDULE_LOWER_CHAINS_H

#include "tally/schedule/lower/Lowerings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace tally::schedule {

/// Nodes by the operator at whose place they run, the last of each.
using Chains = llvm::MapVector<mlir::Operation *, std::vector<PiecewiseNode>>;

/// What runs at the places of a function's operators.
class Arrangement {
public:
  /// Prepares all nodes that can run piece by piece and joins those that can
  /// run as one: neighbours in the order of nodes, of one shape, each but the
  /// last read by later ones alone or by later nodes. Fails where a preparation
  /// does (NPU-10).
  static Result<Arrangement> of(Scheduler &s, mlir::func::FuncOp function);

  /// Joins convolutions whose results would go through global memory (`away`)
  /// to chains over rows, where that costs less (WindowChains.cpp). Whether
  /// there are any; homes are to be chosen anew then.
  Result<bool> joinWindows(Scheduler &s, mlir::func::FuncOp function,
                           const llvm::DenseSet<mlir::Value> &away);

  /// The chain that runs at the place of `op`, or nothing.
  llvm::ArrayRef<PiecewiseNode> chainAt(mlir::Operation *op) const;
  /// The operand whose bytes the last result of that chain may take, or null.
  mlir::Value inPlaceAt(mlir::Operation *op) const {
    return inPlace.lookup(op);
  }
  /// Whether `op` runs at the place of a later one.
  bool isMoved(mlir::Operation *op) const { return moved.contains(op); }

private:
  friend class ChainBuilder;
  /// Fills inPlace, by the places at which operators run.
  void findPlaces(mlir::Block &block);

  Chains chains;
  llvm::DenseSet<mlir::Operation *> moved;
  llvm::DenseMap<mlir::Operation *, mlir::Value> inPlace;
};

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_CHAINS_H
