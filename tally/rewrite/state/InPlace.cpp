//===- InPlace.cpp - writing a state over its old value -------------------===//
//
// Three things have to hold. The operation that makes the new value may read
// the old one only where it writes, or before (its access map):
//
//   s' = s + x             yes: element i of s' needs element i of s
//   s' = relu(U x + s)     yes: the sum of one element is finished, then s read
//   s' = scatter(s, i, v)  yes: the rest of s stays where it is
//   h' = W h, concat, ...  no: an element of h is read after others were
//   written
//
// No other operation may read the old value afterwards: those that can wait are
// no problem, as the writing operation is moved behind them. And the new value
// has to be made by an operation of this graph.
//
// What is returned by the function is no reader: an output that is a state's
// old value is copied when the call begins.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/state/InPlace.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

static bool isView(Operation *op) {
  return isa_and_nonnull<ReshapeOp, StorageCastOp>(op);
}

Value tally::rewrite::storageRoot(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

SmallVector<Operation *> tally::rewrite::storageReaders(Value value) {
  SmallVector<Operation *> readers;
  for (Operation *user : value.getUsers()) {
    if (isView(user))
      readers.append(storageReaders(user->getResult(0)));
    else
      readers.push_back(user);
  }
  return readers;
}

//===----------------------------------------------------------------------===//
// Access maps
//===----------------------------------------------------------------------===//

/// Whether element i of the only result is made of element i of `operand`.
static bool isElementwiseIn(Operation *op, Value operand) {
  return op->hasTrait<ElementwiseStage>() && op->getNumResults() == 1 &&
         cast<ShapedType>(operand.getType()).getShape() ==
             cast<ShapedType>(op->getResult(0).getType()).getShape();
}

static bool readsOwnPlaceOnly(Operation *op, Value old) {
  if (auto fused = dyn_cast<FusedOp>(op)) {
    Block &body = fused.getBody().front();
    for (auto [operand, argument] :
         llvm::zip(fused.getInputs(), body.getArguments()))
      if (storageRoot(operand) == old)
        for (Operation *user : argument.getUsers())
          if (!isElementwiseIn(user, argument))
            return false;
    return true;
  }
  // The data are what the result begins as; indices and updates are read on
  // the way.
  if (isa<ScatterElementsOp, ScatterNdOp>(op))
    return llvm::none_of(op->getOperands().drop_front(), [&](Value operand) {
      return storageRoot(operand) == old;
    });
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return storageRoot(operand) != old || isElementwiseIn(op, operand);
  });
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static bool isOrdered(Operation *reader) {
  return !isa<StateWriteOp>(reader) &&
         !reader->hasTrait<OpTrait::IsTerminator>();
}

/// The last of the other readers of `old`, or null.
static Operation *lastReader(Operation *writer, Value old) {
  Operation *last = nullptr;
  for (Operation *reader : storageReaders(old))
    if (reader != writer && isOrdered(reader) &&
        (!last || last->isBeforeInBlock(reader)))
      last = reader;
  return last;
}

/// The first operation that needs `writer` to have run, or null.
static Operation *firstUser(Operation *writer) {
  Operation *first = nullptr;
  for (Operation *user : writer->getUsers())
    if (!first || user->isBeforeInBlock(first))
      first = user;
  return first;
}

static bool isReadInTime(const Overwritten &state) {
  Operation *last = lastReader(state.writer, state.old);
  return !last || last->isBeforeInBlock(state.writer);
}

/// Moves `writer` behind the other readers of `old`, unless an operation needs
/// it earlier or a settled state would be read too late.
static bool moveBehindReaders(Operation *writer, Value old,
                              ArrayRef<Overwritten> settled) {
  Operation *last = lastReader(writer, old);
  if (!last->isBeforeInBlock(firstUser(writer)))
    return false;
  Operation *place = writer->getNextNode();
  writer->moveAfter(last);
  if (llvm::all_of(settled, isReadInTime))
    return true;
  writer->moveBefore(place);
  return false;
}

bool tally::rewrite::settleOrder(Value old, Operation *writer,
                                 SmallVectorImpl<Overwritten> &settled) {
  if (!isReadInTime({old, writer}) && !moveBehindReaders(writer, old, settled))
    return false;
  settled.push_back({old, writer});
  return true;
}

std::optional<std::string>
tally::rewrite::refuseInPlace(Value old, Value next,
                              SmallVectorImpl<Overwritten> &settled) {
  Operation *writer = storageRoot(next).getDefiningOp();
  if (!writer || isa<ConstantOp, StateReadOp>(writer))
    return "the new value is not computed here";
  if (!readsOwnPlaceOnly(writer, old))
    return "'" + nodeName(writer) +
           "' reads elements of the old value after others are written";
  if (!settleOrder(old, writer, settled))
    return "'" + nodeName(lastReader(writer, old)) +
           "' reads the old value after '" + nodeName(writer) +
           "' wrote the new one";
  return std::nullopt;
}
