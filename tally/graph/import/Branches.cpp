//===- Branches.cpp - import of If ----------------------------------------===//
//
// A branch whose condition is known is copied in the node's place; the other
// one is not looked at. When only the run decides, both are computed, and each
// output is chosen. Operators are total and have no side effects, so computing
// what is not taken does no harm.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/Subgraph.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static constexpr int64_t kMaxComputedNodes = 256;

static Result<Subgraph> branchOf(NodeImport &node, bool condition) {
  return Subgraph::of(node, condition ? "then_branch" : "else_branch", 0,
                      node.node.outputs.size());
}

static Result<std::vector<ImportedValue>> copyOf(Result<Subgraph> branch) {
  if (!branch)
    return branch.takeError();
  return branch->copy({}, "");
}

/// Both branches; FLOW-2 when they are too much to compute in vain.
static Status checkSizes(NodeImport &node) {
  int64_t nodes = 0;
  for (bool condition : {true, false}) {
    auto branch = branchOf(node, condition);
    if (!branch)
      return branch.takeError();
    nodes += branch->nodeCount();
  }
  if (nodes <= kMaxComputedNodes)
    return Status::success();
  return node.failure(FailureKind::Unsupported, "FLOW-2",
                      "the condition is known only when the network runs, and "
                      "the branches have " +
                          std::to_string(nodes) +
                          " nodes together, more than " +
                          std::to_string(kMaxComputedNodes),
                      "fix the input that decides with --bind NAME=VALUE");
}

static Result<Value> choose(NodeImport &node, Value condition, size_t i,
                            Value taken, Value other) {
  taken = node.plain(taken);
  other = node.plain(other);
  if (taken.getType() == other.getType())
    return node.create<WhereOp>({}, condition, taken, other);
  return node.failure(FailureKind::Unsupported, "FLOW-2",
                      "the condition is known only when the network runs, and "
                      "output " +
                          std::to_string(i) + " is " +
                          typeText(taken.getType()) + " in one branch, " +
                          typeText(other.getType()) + " in the other",
                      "fix the input that decides with --bind NAME=VALUE");
}

static Status computeBoth(NodeImport &node) {
  if (Status status = checkSizes(node); !status)
    return status;
  auto taken = copyOf(branchOf(node, true));
  if (!taken)
    return taken.takeError();
  auto other = copyOf(branchOf(node, false));
  if (!other)
    return other.takeError();
  auto condition = node.create<ReshapeOp>({}, node.operand(0), node.i64s({}));
  if (!condition)
    return condition.takeError();
  for (size_t i = 0; i < taken->size(); ++i) {
    node.loc = node.outputLocation(i);
    auto value =
        choose(node, *condition, i, (*taken)[i].value, (*other)[i].value);
    if (!value)
      return value.takeError();
    if (Status status = bindImported(node, i, {*value, (*taken)[i].narrow});
        !status)
      return status;
  }
  return Status::success();
}

static Status importIf(NodeImport &node) {
  RankedTensorType type = tensorType(node.rawOperand(0));
  if (!type.getElementType().isInteger(1) || type.getNumElements() != 1)
    return node.failure(FailureKind::Model, "FLOW-1",
                        "the condition is " + typeText(type) +
                            ", not one boolean");
  if (auto condition = node.constant(0))
    return bindAllImported(
        node, copyOf(branchOf(node, eval::loadInt(*condition, 0) != 0)));
  return computeBoth(node);
}

llvm::ArrayRef<ImportRow> tally::nn::branchRows() {
  static const ImportRow rows[] = {
      {"", "If", 1, importIf},
  };
  return rows;
}
