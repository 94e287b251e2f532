//===- Placement.cpp - transposes go where they cost least ----------------===//
//
// One step: the orders that the permutation links (Links.h), the cheapest
// colouring, and if that moves fewer bytes, the graph in the chosen orders. A
// tensor's other version is made on first demand, right behind the tensor, and
// shared by all who want it.
//
// Example: T(P inverse)(relu(T(P)(x))) with P moving 4 bytes of x twice. relu
// is free; in its own order both transposes are needed, in the other none: it
// is rebuilt on x, and its result is what the second transpose made.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/layout/Placement.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Inference.h"
#include "tally/rewrite/CleanUp.h"
#include "tally/rewrite/Remarks.h"
#include "tally/rewrite/layout/Commute.h"
#include "tally/rewrite/layout/Links.h"
#include "tally/rewrite/layout/Product.h"
#include "tally/rewrite/layout/Simplify.h"

#include <set>

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

namespace {
/// Rebuilds a function in the chosen orders.
class Mover {
public:
  Mover(const Links &links, const PlacementProblem &placement,
        const std::vector<Colour> &colours)
      : links(links), placement(placement), colours(colours) {}

  void run(func::FuncOp function);

private:
  bool isTurned(Operation *op) const;
  bool hasAsWritten(Value value) const;
  bool hasTurned(Value value) const;
  /// A linked tensor in the order of the model, or in the other.
  Value asWritten(Value value);
  Value turned(Value value);
  Value transposed(Value of, ArrayRef<int64_t> permutation, Value root,
                   Colour order);

  void settleOperands(Operation *op);
  Value turnedOperand(OpOperand &operand, Colour order);
  void turn(Operation *op, Colour order);
  void nameResults(Operation *op, Operation *like);
  std::string nameIn(Value root, Colour order) const;

  const Links &links;
  const PlacementProblem &placement;
  const std::vector<Colour> &colours;
  llvm::DenseMap<Value, Value> turnedVersions, writtenVersions;
};
} // namespace

bool Mover::isTurned(Operation *op) const {
  auto entry = links.free.find(op);
  return entry != links.free.end() &&
         colours[placement.points.lookup(op)] != entry->second;
}

//===----------------------------------------------------------------------===//
// Versions of a tensor
//===----------------------------------------------------------------------===//

/// The model's name of a tensor in one order.
std::string Mover::nameIn(Value root, Colour order) const {
  for (Value member : links.members(root))
    if (links.own(member) == order && !tensorName(member).empty())
      return tensorName(member).str();
  return {};
}

Value Mover::transposed(Value of, ArrayRef<int64_t> permutation, Value root,
                        Colour order) {
  // A transpose of the model lends its name as a node.
  Operation *like = root.getDefiningOp();
  for (Value member : links.members(root))
    if (TransposeOp link = links.linkOf(member))
      like = link;
  OpBuilder builder(of.getContext());
  builder.setInsertionPointAfterValue(of);
  Location location = like ? like->getLoc() : of.getLoc();
  return permutedValue(builder, withOutputs(location, {nameIn(root, order)}),
                       of, permutation);
}

bool Mover::hasAsWritten(Value value) const {
  if (TransposeOp link = links.linkOf(value))
    return hasTurned(link.getInput());
  return !isTurned(value.getDefiningOp()) || writtenVersions.contains(value);
}

bool Mover::hasTurned(Value value) const {
  if (TransposeOp link = links.linkOf(value))
    return hasAsWritten(link.getInput());
  return turnedVersions.contains(value);
}

Value Mover::asWritten(Value value) {
  if (TransposeOp link = links.linkOf(value))
    return turned(link.getInput());
  if (!isTurned(value.getDefiningOp()))
    return value;
  Value &version = writtenVersions[value];
  Colour own = links.own(value);
  if (!version)
    version = transposed(turnedVersions.lookup(value), links.away(other(own)),
                         value, own);
  return version;
}

Value Mover::turned(Value value) {
  if (TransposeOp link = links.linkOf(value))
    return asWritten(link.getInput());
  Value &version = turnedVersions[value];
  Colour own = links.own(value);
  if (!version)
    version = transposed(value, links.away(own), value, other(own));
  return version;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Operands that are read in the order of the model, or absorbed.
void Mover::settleOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    bool isLeftAlone = isTurned(op) && isPermuted(operand);
    if (!links.isLinked(value) || isLeftAlone)
      continue;
    ArrayRef<int64_t> permutation = links.away(links.own(value));
    bool isCheaper = !hasAsWritten(value) && hasTurned(value);
    if (isCheaper && absorbs(operand, permutation))
      absorb(operand, permutation, turned(value));
    else
      operand.set(asWritten(value));
  }
}

Value Mover::turnedOperand(OpOperand &operand, Colour order) {
  Value value = operand.get();
  if (!isPermuted(operand))
    return value;
  if (links.isLinked(value))
    return turned(value);
  ArrayRef<int64_t> permutation = links.away(order);
  auto rank = static_cast<int64_t>(permutation.size());
  RankedTensorType type = tensorType(value);
  if (type.getRank() < rank && type.getNumElements() == 1)
    return value; // broadcasts as it is
  OpBuilder builder(operand.getOwner());
  Location location = withOutputs(operand.getOwner()->getLoc(), {""});
  return permutedValue(builder, location,
                       withRank(builder, location, value, rank), permutation);
}

void Mover::nameResults(Operation *op, Operation *like) {
  SmallVector<std::string> names;
  for (Value result : like->getResults())
    names.push_back(links.isLinked(result)
                        ? nameIn(result, other(links.own(result)))
                        : std::string());
  op->setLoc(withOutputs(like->getLoc(), names));
}

/// Builds `op` in the other order. Results that are not linked are the same
/// bytes in both and are replaced at once.
void Mover::turn(Operation *op, Colour order) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(turnedOperand(operand, order));
  OpBuilder builder(op);
  Operation *copy = permutedCopy(builder, op, links.away(order), operands);
  nameResults(copy, op);
  for (auto [result, made] : llvm::zip(op->getResults(), copy->getResults())) {
    if (links.isLinked(result))
      turnedVersions[result] = made;
    else if (!isPermuted(result))
      result.replaceAllUsesWith(made);
    else
      result.replaceAllUsesWith(permutedValue(
          builder, withOutputs(op->getLoc(), {tensorName(result).str()}), made,
          links.away(other(order))));
  }
}

void Mover::run(func::FuncOp function) {
  SmallVector<Operation *> operations;
  for (Operation &op : function.getBody().front())
    operations.push_back(&op);
  for (Operation *op : operations) {
    if (links.links.contains(op))
      continue;
    settleOperands(op);
    if (isTurned(op))
      turn(op, links.free.lookup(op));
  }
  removeDead(function);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static void report(const Links &links, const PlacementProblem &placement,
                   const std::vector<Colour> &before,
                   const std::vector<Colour> &after) {
  for (Operation *link : links.links) {
    if (placement.isCut(links.root(link->getResult(0)), after))
      continue;
    remarkAt(link, RemarkCode::TransposeMoved)
        << edge(link->getResult(0))
        << because("transposes of this kind move {0} bytes instead of {1}",
                   placement.bytes(after), placement.bytes(before));
  }
}

/// Returns whether the function was changed.
static bool placeOne(func::FuncOp function, ArrayRef<int64_t> permutation) {
  Links links(function, permutation);
  if (links.links.empty())
    return false;
  PlacementProblem placement(links);
  std::vector<Colour> before = placement.asWritten();
  std::vector<Colour> after = cheapestColouring(placement.problem);
  if (placement.bytes(after) >= placement.bytes(before))
    return false;
  report(links, placement, before, after);
  Mover(links, placement, after).run(function);
  foldConstants(function);
  simplifyTransposes(function);
  return true;
}

static bool placeAny(func::FuncOp function) {
  std::set<Permutation> permutations;
  for (auto transpose : function.getBody().front().getOps<TransposeOp>())
    permutations.insert(llvm::to_vector(transpose.getPermutation()));
  return llvm::any_of(permutations, [&](const Permutation &permutation) {
    return placeOne(function, permutation);
  });
}

void tally::rewrite::placeTransposes(func::FuncOp function) {
  while (placeAny(function)) {
  }
}
