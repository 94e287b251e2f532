//===- Homes.cpp - which tensors live in global memory --------------------===//
//
// Walk the operators; where the tensors that are needed at one take more than
// residentBytes, send the largest away that can go. A tensor in the arena
// takes only its bands in SRAM, which the share leaves room for.
//
// Example: 802 KB of codes and a residual of 802 KB with a result of 802 KB
// against 640 KiB: all three go.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Homes.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/Scheduler.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
struct Life {
  Value value;
  int64_t bytes = 0;
  int64_t first = 0, last = 0; ///< operators, by place
  bool canLeave = false;
};
} // namespace

static nn::ConvOp convolutionOf(Operation *op) {
  if (auto fused = dyn_cast<nn::FusedOp>(op))
    return dyn_cast<nn::ConvOp>(fused.chain().front());
  return dyn_cast<nn::ConvOp>(op);
}

static bool readsBands(OpOperand &use) {
  return llvm::isa<nn::MaxPoolOp>(use.getOwner()) ||
         convolutionOf(use.getOwner());
}

static std::vector<Life> livesOf(func::FuncOp function) {
  DenseMap<Operation *, int64_t> places;
  Block &body = function.getBody().front();
  for (Operation &op : body)
    places[&op] = int64_t(places.size());
  std::vector<Life> lives;
  for (Operation &op : body)
    for (Value result : op.getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      auto element = elementTypeOf(type);
      if (llvm::isa<nn::ConstantOp>(op) || !element)
        continue;
      Life life{result, type.getNumElements() * machine::elementBytes(*element),
                places[&op], places[&op], false};
      for (Operation *user : result.getUsers())
        life.last = std::max(life.last, places[user]);
      life.canLeave = convolutionOf(&op) && type.getRank() == 4 &&
                      llvm::all_of(result.getUses(), readsBands);
      lives.push_back(life);
    }
  return lives;
}

/// The largest that is needed at `place`, is in SRAM and can leave.
static const Life *largest(const std::vector<Life> &lives, int64_t place,
                           const DenseSet<Value> &gone) {
  const Life *found = nullptr;
  for (const Life &life : lives)
    if (life.canLeave && life.first <= place && place <= life.last &&
        !gone.contains(life.value) && (!found || life.bytes > found->bytes))
      found = &life;
  return found;
}

DenseSet<Value> tally::schedule::chooseHomes(func::FuncOp function,
                                             const Choices &choices) {
  std::vector<Life> lives = livesOf(function);
  DenseSet<Value> gone;
  for (const Life &at : lives) {
    auto needed = [&] {
      int64_t bytes = 0;
      for (const Life &life : lives)
        if (life.first <= at.first && at.first <= life.last &&
            !gone.contains(life.value))
          bytes += life.bytes;
      return bytes;
    };
    while (needed() > choices.residentBytes) {
      const Life *life = largest(lives, at.first, gone);
      if (!life)
        break;
      gone.insert(life->value);
    }
  }
  return gone;
}
