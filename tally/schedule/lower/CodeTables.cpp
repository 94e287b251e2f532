//===- CodeTables.cpp - operators that are one table of codes -------------===//
//
// From an operator with 8-bit codes as result, back through elementwise
// operators that nothing else reads, to one tensor of 8-bit codes and constants
// of one element. What they compute of each of the 256 codes, by their own
// meaning, is a table, which the vector engine looks up at one element a lane.
//
// Example: q -> dequantize -> x; x / c -> erf -> + 1 -> * x -> * 0.5 ->
// quantize: seven passes over floats become one over codes.
//
// Cost: 256 evaluations of each operator.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/CodeTables.h"
#include "tally/graph/Types.h"
#include "tally/ops/Folding.h"
#include "tally/ops/Ops.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <queue>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// More operators than any activation is written with; a bound on time.
static constexpr size_t kMostOperators = 32;

/// Codes of 8 bits of one grid, all 256 of them.
static bool hasAllBytes(Value value) {
  auto element = nn::quantizedElement(value.getType());
  if (!element)
    return false;
  eval::Quantization grid = nn::gridOf(element);
  return grid.perTensor() && grid.qmax - grid.qmin == 255;
}

static bool isOneElement(Value value) {
  return value.getDefiningOp<nn::ConstantOp>() &&
         cast<RankedTensorType>(value.getType()).getNumElements() == 1;
}

namespace {
class TableFinder {
public:
  explicit TableFinder(func::FuncOp function);
  std::vector<CodeTable> run();

private:
  std::optional<CodeTable> tableOf(Operation *root);
  bool grow(Operation *root, CodeTable &table);
  bool canJoin(Operation *op, Operation *root,
               const DenseSet<Operation *> &members) const;

  Block &block;
  DenseMap<Operation *, size_t> places;
  DenseSet<Operation *> taken;
};
} // namespace

TableFinder::TableFinder(func::FuncOp function)
    : block(function.getBody().front()) {
  for (Operation &op : block)
    places[&op] = places.size();
}

bool TableFinder::canJoin(Operation *op, Operation *root,
                          const DenseSet<Operation *> &members) const {
  auto shape = [](Operation *of) {
    return cast<RankedTensorType>(of->getResult(0).getType()).getShape();
  };
  return op && op->hasTrait<nn::ElementwiseStage>() &&
         op->getNumResults() == 1 && !llvm::isa<nn::PReluOp>(op) &&
         !taken.contains(op) && shape(op) == shape(root) &&
         (op == root || llvm::all_of(op->getUsers(), [&](Operation *user) {
            return members.contains(user);
          }));
}

/// Adds operators, readers before what they read, until only one tensor of
/// codes is left; false where that does not end well.
bool TableFinder::grow(Operation *root, CodeTable &table) {
  auto isEarlier = [&](Operation *a, Operation *b) {
    return places.lookup(a) < places.lookup(b);
  };
  std::priority_queue<Operation *, std::vector<Operation *>,
                      decltype(isEarlier)>
      open(isEarlier);
  DenseSet<Operation *> members, seen = {root};
  open.push(root);
  while (!open.empty()) {
    Operation *op = open.top();
    open.pop();
    if (!canJoin(op, root, members) || members.size() == kMostOperators)
      return false;
    members.insert(op);
    table.body.push_back(op);
    for (Value operand : op->getOperands()) {
      if (isOneElement(operand) || operand == table.input)
        continue;
      if (hasAllBytes(operand)) {
        if (table.input)
          return false;
        table.input = operand;
      } else if (Operation *producer = operand.getDefiningOp();
                 producer && seen.insert(producer).second) {
        open.push(producer);
      } else if (!producer) {
        return false;
      }
    }
  }
  return bool(table.input);
}

std::optional<CodeTable> TableFinder::tableOf(Operation *root) {
  CodeTable table;
  if (!grow(root, table) || table.body.size() < 2)
    return std::nullopt;
  auto shape = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  if (shape(table.input) != shape(root->getResult(0)))
    return std::nullopt;
  std::reverse(table.body.begin(), table.body.end());
  auto results = nn::evaluateOnCodes(table.body, table.input);
  if (!results)
    return std::nullopt;
  auto bytes = reinterpret_cast<const uint8_t *>(results->storage.get());
  table.entries.assign(bytes, bytes + 256);
  return table;
}

std::vector<CodeTable> TableFinder::run() {
  std::vector<CodeTable> tables;
  for (Operation &op : llvm::reverse(block)) {
    if (op.getNumResults() != 1 || !hasAllBytes(op.getResult(0)) ||
        !canJoin(&op, &op, {}))
      continue;
    auto table = tableOf(&op);
    if (!table)
      continue;
    taken.insert(table->body.begin(), table->body.end());
    tables.push_back(std::move(*table));
  }
  std::reverse(tables.begin(), tables.end());
  return tables;
}

std::vector<CodeTable> tally::schedule::findCodeTables(func::FuncOp function) {
  return TableFinder(function).run();
}
