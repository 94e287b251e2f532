//===- Joins.cpp - results that are parts of a concatenation --------------===//
//
// One walk over the concatenations, the first that asks for a value gets it: a
// value has one place. What is left is copied when the concatenation runs.
//
// Example: y = concat(conv(x), relu(x), x, y0) with y0 a view: the convolution
// and the relu write into y's storage, x and y0 are copied.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Joins.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/Scheduler.h"
#include "tally/schedule/lower/Lowerings.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// Whether the producer of `value` writes results with strides of any kind.
static bool writesAnywhere(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto fused = dyn_cast<nn::FusedOp>(op))
    op = fused.chain().front();
  if (llvm::isa<nn::ConvOp>(op))
    return true;
  const LoweringRow *row = findLowering(op->getName().getStringRef());
  return op->hasTrait<nn::ElementwiseStage>() && row &&
         row->reach == Reach::Pieces;
}

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t bytesOf(Value value) {
  auto element = elementTypeOf(value.getType());
  return element
             ? typeOf(value).getNumElements() * machine::elementBytes(*element)
             : 0;
}

/// A part is never all of the storage: an operator that writes over an operand
/// that has all of one takes it for its alone.
static bool fits(nn::ConcatOp concat, Value input,
                 const DenseSet<Value> &away) {
  return typeOf(input).getElementType() ==
             typeOf(concat.getOutput()).getElementType() &&
         bytesOf(input) > 0 && bytesOf(input) < bytesOf(concat.getOutput()) &&
         writesAnywhere(input) &&
         away.contains(input) == away.contains(concat.getOutput());
}

DenseMap<Value, JoinedPart>
tally::schedule::joinedParts(func::FuncOp function, const DenseSet<Value> &away,
                             int64_t mostBytes) {
  DenseMap<Value, JoinedPart> parts;
  for (auto concat : function.getBody().front().getOps<nn::ConcatOp>()) {
    Value whole = concat.getOutput();
    if (!away.contains(whole) && bytesOf(whole) > mostBytes)
      continue;
    auto axis = int64_t(concat.getAxis());
    int64_t first = 0;
    for (Value input : concat.getInputs()) {
      if (fits(concat, input, away))
        parts.try_emplace(input, JoinedPart{whole, axis, first});
      first += typeOf(input).getDimSize(axis);
    }
  }
  return parts;
}
