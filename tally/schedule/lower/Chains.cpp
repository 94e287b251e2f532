//===- Chains.cpp - nodes that run together -------------------------------===//
//
// A run is a longest row of neighbouring nodes that read index by index and
// have results of one shape. From its end back, a node joins the chain of its
// readers if all its readers of the run are in that chain; else it ends a chain
// of its own. A chain runs where its last node stands, which is after all that
// it reads and before all that read it.
//
// Example: a = f(x), b = g(a), c = h(a, b): all one chain. If another node of
// the run reads b, b and a end chains of their own or of that reader.
//
// Cost: linear in the nodes, with a window of kMostNodes.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Chains.h"
#include "tally/schedule/lower/CodeTables.h"
#include "tally/schedule/lower/InPlace.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// Longer chains save no traffic that matters; the time to size their pieces
/// grows with the square.
static constexpr size_t kMostNodes = 32;

static ArrayRef<int64_t> resultShape(const PiecewiseNode &node) {
  return cast<RankedTensorType>(node.result().getType()).getShape();
}

static bool isMember(ArrayRef<PiecewiseNode> chain, Operation *op) {
  return llvm::any_of(
      chain, [&](const PiecewiseNode &node) { return node.contains(op); });
}

namespace tally::schedule {
class ChainBuilder {
public:
  ChainBuilder(Scheduler &s, func::FuncOp function)
      : s(s), block(function.getBody().front()) {
    for (CodeTable &table : findCodeTables(function)) {
      for (Operation *op : table.body)
        absorbed.insert(op);
      tables[table.root()] = std::move(table);
    }
  }
  Result<Arrangement> run();

private:
  Result<std::optional<PiecewiseNode>> prepare(Operation &op);
  bool continuesRun(const PiecewiseNode &node) const;
  void endRun();
  void takeChain(size_t last, std::vector<bool> &isTaken);
  bool joins(size_t at, ArrayRef<PiecewiseNode> chain) const;

  Scheduler &s;
  Block &block;
  DenseMap<Operation *, CodeTable> tables;
  DenseSet<Operation *> absorbed;
  std::vector<PiecewiseNode> nodes; ///< of the run
  DenseSet<Operation *> ofRun;      ///< their operators
  Arrangement result;
};
} // namespace tally::schedule

/// The node of an operator that can run piece by piece, or nothing.
Result<std::optional<PiecewiseNode>> ChainBuilder::prepare(Operation &op) {
  s.node = &op;
  std::optional<PiecewiseNode> none;
  if (auto table = tables.find(&op); table != tables.end())
    return std::optional(tableNode(s, table->second));
  const LoweringRow *row = findLowering(op.getName().getStringRef());
  if (!row || !row->prepare)
    return none;
  auto node = row->prepare(s, &op);
  if (!node)
    return node.takeError();
  return std::optional(std::move(*node));
}

bool ChainBuilder::continuesRun(const PiecewiseNode &node) const {
  if (!node.isPointwise() || !nodes.back().isPointwise() ||
      resultShape(nodes.back()) != resultShape(node))
    return false;
  // What stays whole in one stays whole in all: lines of one direction.
  return llvm::all_of(nodes, [&](const PiecewiseNode &other) {
    return node.uncut.empty() || other.uncut.empty() ||
           node.uncut == other.uncut;
  });
}

bool ChainBuilder::joins(size_t at, ArrayRef<PiecewiseNode> chain) const {
  bool isRead = false;
  for (Operation *user : nodes[at].result().getUsers()) {
    bool isReader = isMember(chain, user);
    if (!isReader && ofRun.contains(user))
      return false;
    isRead |= isReader;
  }
  return isRead;
}

void ChainBuilder::takeChain(size_t last, std::vector<bool> &isTaken) {
  std::vector<PiecewiseNode> chain = {nodes[last]};
  size_t first = last < kMostNodes ? 0 : last - kMostNodes;
  for (size_t at = last; at-- > first;)
    if (!isTaken[at] && joins(at, chain)) {
      isTaken[at] = true;
      result.moved.insert(nodes[at].op);
      chain.push_back(nodes[at]);
    }
  std::reverse(chain.begin(), chain.end());
  result.chains.insert({nodes[last].op, std::move(chain)});
}

void ChainBuilder::endRun() {
  std::vector<bool> isTaken(nodes.size());
  for (size_t last = nodes.size(); last-- > 0;)
    if (!isTaken[last])
      takeChain(last, isTaken);
  nodes.clear();
  ofRun.clear();
}

Result<Arrangement> ChainBuilder::run() {
  for (Operation &op : block.without_terminator()) {
    if (llvm::isa<nn::ConstantOp>(op))
      continue;
    if (absorbed.contains(&op) && !tables.contains(&op)) {
      result.moved.insert(&op);
      continue;
    }
    auto node = prepare(op);
    if (!node)
      return node.takeError();
    if (!*node || (!nodes.empty() && !continuesRun(**node)))
      endRun();
    if (!*node)
      continue;
    ofRun.insert(&op);
    ofRun.insert((*node)->body.begin(), (*node)->body.end());
    nodes.push_back(std::move(**node));
  }
  endRun();
  result.findPlaces(block);
  return std::move(result);
}

void Arrangement::findPlaces(Block &block) {
  inPlace.clear();
  DenseMap<Operation *, size_t> places;
  for (Operation &op : block)
    places[&op] = places.size();
  for (const auto &[last, chain] : chains)
    for (const PiecewiseNode &node : chain)
      for (Operation *op : node.body)
        places[op] = places[last];
  for (const auto &[last, chain] : chains)
    for (const PiecewiseNode &node : chain)
      places[node.op] = places[last];
  for (const auto &[last, chain] : chains)
    inPlace[last] = operandInPlace(chain, [&](Operation *op) {
      return places.lookup(op) > places.lookup(last);
    });
}

Result<Arrangement> Arrangement::of(Scheduler &s, func::FuncOp function) {
  return ChainBuilder(s, function).run();
}

ArrayRef<PiecewiseNode> Arrangement::chainAt(Operation *op) const {
  auto found = chains.find(op);
  return found == chains.end() ? ArrayRef<PiecewiseNode>()
                               : ArrayRef(found->second);
}
