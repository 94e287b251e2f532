//===- Links.h - tensors that a permutation and its inverse link *- C++ -*-===//
//
// A permutation P and its inverse divide a part of a graph in two orders of
// dimensions, the first and, after P, the second:
//
//        first            second           first
//   x ── relu ── T(P) ── conv ── relu ── T(P inverse) ── add ── y
//
// Every tensor in that part has an order of its own, as the model wrote it, and
// could be stored in the other. Transposes P and P inverse between the two are
// links: what is before and after them is one tensor in two orders. Operations
// that commute with the permutation are free to compute in either order; all
// else is bound to its own (conv, inputs, outputs). Which free operation
// computes in which order is a colouring (MinCut.h), and its cost the bytes of
// the tensors that are needed in both.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_LAYOUT_LINKS_H
#define TALLY_REWRITE_LAYOUT_LINKS_H

#include "tally/ops/Ops.h"
#include "tally/rewrite/layout/MinCut.h"
#include "tally/rewrite/layout/Permutation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tally::rewrite {

inline Colour other(Colour colour) {
  return colour == Colour::First ? Colour::Second : Colour::First;
}

class Links {
public:
  Links(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> permutation);

  /// Brings a tensor from the order `own` to the other.
  llvm::ArrayRef<int64_t> away(Colour own) const {
    return own == Colour::First ? forward : backward;
  }
  bool isLinked(mlir::Value value) const { return orders.contains(value); }
  /// The order that the model gives a linked tensor.
  Colour own(mlir::Value value) const { return orders.lookup(value); }

  /// The transpose that makes `value`, when it is a link.
  nn::TransposeOp linkOf(mlir::Value value) const;
  /// The tensor before all links.
  mlir::Value root(mlir::Value value) const;
  /// A root and what links make of it, in program order.
  llvm::SmallVector<mlir::Value> members(mlir::Value root) const;

  /// Free operations, and the order that the model gives them.
  llvm::MapVector<mlir::Operation *, Colour> free;
  /// All linked tensors that no link makes.
  llvm::SetVector<mlir::Value> roots;
  llvm::SetVector<mlir::Operation *> links;

private:
  void visit(mlir::Value value);
  void tryLink(nn::TransposeOp transpose);
  void tryFree(mlir::Operation *op, Colour order);
  bool couldBe(mlir::Value value, Colour order) const;
  void assign(mlir::Value value, Colour order);
  std::optional<Colour> inputOrder(nn::TransposeOp transpose) const;
  llvm::SmallVector<mlir::Value> dataOf(mlir::Operation *op,
                                        Colour order) const;

  Permutation forward, backward;
  llvm::DenseMap<mlir::Value, Colour> orders;
  llvm::SmallVector<mlir::Value> worklist;
};

/// The choice for every free operation as a colouring problem. A net's cost is
/// `scale` times the bytes to transpose, plus one for each operation that
/// leaves the order of the model.
struct PlacementProblem {
  explicit PlacementProblem(const Links &links);

  /// The bytes that a colouring transposes.
  int64_t bytes(const std::vector<Colour> &colours) const {
    return colouringCost(problem, colours) / scale;
  }
  std::vector<Colour> asWritten() const;
  /// The colour of a root's net, when it has one.
  bool isCut(mlir::Value root, const std::vector<Colour> &colours) const;

  ColouringProblem problem;
  llvm::DenseMap<mlir::Operation *, size_t> points;

private:
  void addTensor(mlir::Value root);
  void addOperation(mlir::Operation *op, Colour order);

  const Links &links;
  int64_t scale;
  llvm::DenseMap<mlir::Value, size_t> nets;
};

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_LINKS_H
