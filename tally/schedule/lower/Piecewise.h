//===- Piecewise.h - nodes that run piece by piece --------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_PIECEWISE_H
#define TALLY_SCHEDULE_LOWER_PIECEWISE_H

#include "tally/schedule/Pieces.h"

#include "llvm/ADT/MapVector.h"

#include <functional>

namespace tally::schedule {

/// A tensor that a node reads, and the piece of it that a piece of the node's
/// result needs.
struct Read {
  mlir::Value value;
  std::function<Piece(const Piece &result)> piece;
  bool isBroadcast = false; ///< made by broadcastRead
};

/// An operand that is read index by index, broadcasting.
Read broadcastRead(mlir::Value value);

/// A node of one result that any piece of can be computed by itself.
struct PiecewiseNode {
  mlir::Operation *op = nullptr;
  /// Operators that are part of it, beside op.
  llvm::SmallVector<mlir::Operation *> body;
  llvm::SmallVector<Read> reads;
  /// Dimensions of the result that stay whole.
  llvm::SmallVector<int64_t> uncut;
  /// How the result's elements lie; like those of an operand of its shape if
  /// empty.
  std::optional<Layout> layout;
  /// Whether the result may take the bytes of an operand that dies.
  bool worksInPlace = false;
  /// Bytes of SRAM beside operands and result; none if empty.
  std::function<int64_t(const Piece &result)> scratch;
  /// Emits the commands of the piece that the scheduler's frame holds.
  std::function<Status()> emit;

  mlir::Value result() const { return op->getResult(0); }
  bool contains(mlir::Operation *other) const;
  /// Whether index i of the result needs index i of what has its shape.
  bool isPointwise() const;
};

/// `op` with operands that broadcast to its result, or have one element along
/// some of its dimensions: body(pieces of the operands, piece of the result).
PiecewiseNode broadcastNode(
    Scheduler &s, mlir::Operation *op,
    std::function<Status(llvm::ArrayRef<Tensor>, const Tensor &)> body);

/// Whether an operator outside of the chain reads the result of one of its
/// nodes.
bool isReadOutside(llvm::ArrayRef<PiecewiseNode> chain, mlir::Value result);

/// The pieces of all tensors of a chain that a piece of its last result needs;
/// where two nodes need different ones, one that holds both.
llvm::MapVector<mlir::Value, Piece>
footprintOf(llvm::ArrayRef<PiecewiseNode> chain, const Piece &piece);

/// Runs a chain of nodes, each of which but the last is read by later ones:
/// piece by piece of the last one's result. Results that are read outside are
/// computed once: their pieces are disjoint. Operands in global memory are
/// loaded, results that live there stored, to all places of Scheduler::shared
/// too; results that only the chain reads are never whole. One piece where all
/// have room. Binds the results. The last result takes the bytes of `inPlace`,
/// if given and in SRAM.
Status runPieces(Scheduler &s, llvm::ArrayRef<PiecewiseNode> chain,
                 mlir::Value inPlace = {});

/// Copies all elements, piece by piece through SRAM where both tensors are in
/// global memory.
Status copyPieces(Scheduler &s, const Tensor &from, const Tensor &to);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_PIECEWISE_H
