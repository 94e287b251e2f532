//===- JoinedOutputs.cpp - outputs that are no parts of others ------------===//

#include "tally/cpu/JoinedOutputs.h"
#include "tally/cpu/Storage.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"
#include "tally/rewrite/Remarks.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// What a tensor is joined of; itself, if of nothing.
static llvm::SetVector<Value> piecesOf(Value value) {
  llvm::SetVector<Value> pieces;
  if (auto concat = rootOf(value).getDefiningOp<nn::ConcatOp>())
    for (Value input : concat.getInputs())
      pieces.insert(rootOf(input));
  else
    pieces.insert(rootOf(value));
  return pieces;
}

/// Whether the graph returns both under the name of one node.
static bool areOfOneNode(Value a, Value b) {
  return a.getDefiningOp() && b.getDefiningOp() &&
         nn::nodeName(a.getDefiningOp()) == nn::nodeName(b.getDefiningOp());
}

static void tellApart(Value whole, Value other) {
  auto pieces = piecesOf(whole), others = piecesOf(other);
  bool isShared =
      llvm::any_of(others, [&](Value piece) { return pieces.contains(piece); });
  Operation *maker = others.front().getDefiningOp();
  if (isShared || pieces.size() == 1 || !maker || !areOfOneNode(whole, other))
    return;
  rewrite::remarkAt(other.getDefiningOp(), rewrite::RemarkCode::OutputApart)
      << rewrite::edge(other)
      << rewrite::because(
             "'{0}' makes it, and nothing of it is joined in '{1}'",
             nn::nodeName(maker), bufferName(whole));
}

void tally::cpu::tellOutputsApart(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  auto outputs = end->getOperands().take_front(nn::ownResults(function));
  for (Value whole : outputs)
    for (Value other : outputs)
      tellApart(whole, other);
}
