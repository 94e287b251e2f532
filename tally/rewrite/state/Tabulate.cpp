//===- Tabulate.cpp - what depends on a counter alone ---------------------===//
//
// Each operator that reads a counter, constants and results of such operators
// is evaluated for every value of the counter, in order. What others read of it
// becomes a table with one entry for each value.
//
// Example: a cache of 4 rows, n of them there before the call.
//
//   isThere(n) = [0 1 2 3] < n + 1        n in [0, 3]
//   table        [1 0 0 0]
//                [1 1 0 0]     isThere(n) = gather(table, n), reshaped
//                [1 1 1 0]
//                [1 1 1 1]
//
// Cost: the operators once for each value of the counter; bytes of a mask times
// the values.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/state/Tabulate.h"
#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/ops/Folding.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"
#include "tally/rewrite/CleanUp.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <cstring>

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

namespace {
/// The values that depend on one counter.
class Tabulator {
public:
  Tabulator(func::FuncOp function, const Counter &counter)
      : function(function), counter(counter) {}
  void run();

private:
  bool isCounted(Operation *op) const;
  bool isReadByOthers(Value value) const;
  void find();
  void beginTables();
  bool fill();
  bool fillEntry(int64_t entry);
  void replace(Value value, const eval::Tensor &table);

  func::FuncOp function;
  const Counter counter;
  llvm::SetVector<Operation *> ops; ///< whose results depend on it, in order
  llvm::DenseSet<Value> counted;    ///< their results, and the counter
  llvm::DenseMap<Value, eval::Tensor> known; ///< at the entry that is filled
  /// Of what others read.
  llvm::MapVector<Value, eval::Tensor> tables;
};
} // namespace

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether a table of such values has a type.
static bool hasOneGrid(Value value) {
  eval::Tensor about = describe(typeOf(value));
  return !about.quant || about.quant->perTensor();
}

bool Tabulator::isCounted(Operation *op) const {
  if (!isa<Operator>(op) || op->getNumResults() != 1 ||
      !hasOneGrid(op->getResult(0)))
    return false;
  bool readsCounter = false;
  for (Value operand : op->getOperands()) {
    bool isOne = counted.contains(operand);
    if (!isOne && !operand.getDefiningOp<ConstantOp>())
      return false;
    readsCounter |= isOne;
  }
  return readsCounter;
}

void Tabulator::find() {
  counted.insert(counter.argument);
  for (Operation &op : function.getBody().front())
    if (isCounted(&op)) {
      ops.insert(&op);
      counted.insert(op.getResult(0));
    }
}

bool Tabulator::isReadByOthers(Value value) const {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return !ops.contains(user); });
}

void Tabulator::beginTables() {
  auto begin = [&](Value value) {
    if (!isReadByOthers(value))
      return;
    eval::Tensor table = describe(typeOf(value));
    table.shape.insert(table.shape.begin(), counter.most + 1);
    table.allocate();
    tables.insert({value, std::move(table)});
  };
  begin(counter.argument);
  for (Operation *op : ops)
    begin(op->getResult(0));
}

/// What everything is when the counter is `entry`; false where that cannot be
/// evaluated.
bool Tabulator::fillEntry(int64_t entry) {
  eval::Tensor number = describe(typeOf(counter.argument));
  number.allocate();
  eval::storeInt(number, 0, entry);
  known.insert_or_assign(counter.argument, std::move(number));
  auto contents = [&](Value value) -> std::optional<eval::Tensor> {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    auto constant = value.getDefiningOp<ConstantOp>();
    return hostTensor(constant.getValue(), typeOf(value));
  };
  for (Operation *op : ops) {
    auto result = evaluateIdeal(op, contents);
    if (!result)
      return false;
    known.insert_or_assign(op->getResult(0), std::move(*result));
  }
  for (auto &[value, table] : tables) {
    const eval::Tensor &now = known.find(value)->second;
    auto bytes = size_t(now.byteCount());
    std::memcpy(table.storage.get() + size_t(entry) * bytes, now.storage.get(),
                bytes);
  }
  return true;
}

bool Tabulator::fill() {
  for (int64_t entry = 0; entry <= counter.most; ++entry)
    if (!fillEntry(entry))
      return false;
  return true;
}

/// Others read the table at the counter.
void Tabulator::replace(Value value, const eval::Tensor &table) {
  RankedTensorType type = typeOf(value);
  Location location = withOutputs(value.getLoc(), {});
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto constant =
      ConstantOp::create(builder, location, type.clone(table.shape),
                         elementsAttr(builder.getContext(), table, "by count"));
  SmallVector<int64_t> slice(type.getShape());
  slice.insert(slice.begin(), 1);
  auto lookup = GatherOp::create(builder, location, type.clone(slice), constant,
                                 counter.argument, 0);
  auto found =
      ReshapeOp::create(builder, location, type, lookup, type.getShape());
  value.replaceUsesWithIf(found.getResult(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user != lookup && !ops.contains(user);
  });
}

void Tabulator::run() {
  find();
  beginTables();
  if (!fill())
    return;
  for (auto &[value, table] : tables)
    replace(value, table);
}

void tally::rewrite::tabulateCounters(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  for (const Counter &counter : countersOf(function))
    Tabulator(function, counter).run();
  removeDead(function);
}
