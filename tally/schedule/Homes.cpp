//===- Homes.cpp - which tensors live in global memory --------------------===//
//
// Walk the operators with the tensors that are needed at each; where they take
// more than residentBytes, send away the largest that can go. A tensor in
// global memory takes only its pieces in SRAM, which the share leaves room for.
// A heap gives the largest, so that n tensors take n log n steps.
//
// Example: 802 KB of codes and a residual of 802 KB with a result of 802 KB
// against 640 KiB: all three go.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Homes.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/Regions.h"
#include "tally/schedule/Scheduler.h"

#include <queue>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
/// A tensor, with its views and what takes its place.
struct Life {
  SmallVector<Value, 2> values;
  int64_t bytes = 0;
  size_t first = 0, last = 0; ///< operators, by place
  bool canLeave = true;
};

/// The lives of a function, by first place.
class Lives {
public:
  Lives(func::FuncOp function, const Arrangement &arrangement);
  std::vector<Life> all;

private:
  void begin(Value value, size_t place, bool canLeave);
  void join(Operation &view, size_t place);
  void share(Value result, Value operand, size_t place);
  void read(Value operand, size_t place, bool canLeave);
  void run(ArrayRef<PiecewiseNode> chain, Value inPlace, size_t place);
  void run(Operation &op, size_t place);
  llvm::DenseMap<Value, size_t> lifeOf;
};
} // namespace

static Reach reachOf(Operation &op) {
  if (op.hasTrait<OpTrait::IsTerminator>())
    return Reach::Pieces;
  const LoweringRow *row = findLowering(op.getName().getStringRef());
  return row ? row->reach : Reach::Whole;
}

void Lives::begin(Value value, size_t place, bool canLeave) {
  auto element = elementTypeOf(value.getType());
  if (!element)
    return;
  auto type = cast<RankedTensorType>(value.getType());
  lifeOf[value] = all.size();
  all.push_back({{value},
                 type.getNumElements() * machine::elementBytes(*element),
                 place,
                 place,
                 canLeave});
}

/// `result` lives where `operand` does; what looks at a constant stays in SRAM.
void Lives::share(Value result, Value operand, size_t place) {
  auto life = lifeOf.find(operand);
  if (life == lifeOf.end())
    return begin(result, place, false);
  size_t index = life->second;
  lifeOf[result] = index;
  all[index].values.push_back(result);
}

void Lives::join(Operation &view, size_t place) {
  for (Value result : view.getResults())
    share(result, view.getOperand(0), place);
}

void Lives::read(Value operand, size_t place, bool canLeave) {
  auto life = lifeOf.find(operand);
  if (life == lifeOf.end())
    return;
  all[life->second].last = place;
  all[life->second].canLeave &= canLeave;
}

void Lives::run(ArrayRef<PiecewiseNode> chain, Value inPlace, size_t place) {
  for (const PiecewiseNode &node : chain)
    for (const Read &operand : node.reads)
      read(operand.value, place, true);
  for (const PiecewiseNode &node : chain)
    if (inPlace && node.op == chain.back().op)
      share(node.result(), inPlace, place);
    else if (isReadOutside(chain, node.result()))
      begin(node.result(), place, true);
}

void Lives::run(Operation &op, size_t place) {
  Reach reach = reachOf(op);
  for (Value operand : op.getOperands())
    read(operand, place, reach != Reach::Whole);
  if (reach == Reach::View)
    return join(op, place);
  for (Value result : op.getResults())
    begin(result, place, reach == Reach::Pieces);
}

Lives::Lives(func::FuncOp function, const Arrangement &arrangement) {
  for (BlockArgument argument : function.getArguments())
    if (!isOfRing(function, argument) && // stays where it is
        !isCounter(function, argument))  // is nowhere
      begin(argument, 0, true);
  size_t place = 0;
  for (Operation &op : function.getBody().front()) {
    if (llvm::isa<nn::ConstantOp>(op) || arrangement.isMoved(&op))
      continue;
    auto chain = arrangement.chainAt(&op);
    chain.empty() ? run(op, place)
                  : run(chain, arrangement.inPlaceAt(&op), place);
    ++place;
  }
}

DenseSet<Value> tally::schedule::chooseHomes(func::FuncOp function,
                                             const Arrangement &arrangement,
                                             const Choices &choices) {
  Lives lives(function, arrangement);
  auto isSmaller = [](const Life *a, const Life *b) {
    return std::tuple(a->bytes, b->first) < std::tuple(b->bytes, a->first);
  };
  std::priority_queue<const Life *, std::vector<const Life *>,
                      decltype(isSmaller)>
      candidates(isSmaller);
  std::map<size_t, int64_t> ending; // bytes in SRAM by last place
  DenseSet<Value> gone;
  int64_t needed = 0;
  for (const Life &life : lives.all) {
    while (!ending.empty() && ending.begin()->first < life.first) {
      needed -= ending.begin()->second;
      ending.erase(ending.begin());
    }
    needed += life.bytes;
    ending[life.last] += life.bytes;
    if (life.canLeave)
      candidates.push(&life);
    while (needed > choices.residentBytes && !candidates.empty()) {
      const Life *largest = candidates.top();
      candidates.pop();
      if (largest->last < life.first)
        continue; // not needed any more
      needed -= largest->bytes;
      ending[largest->last] -= largest->bytes;
      gone.insert(largest->values.begin(), largest->values.end());
    }
  }
  return gone;
}
