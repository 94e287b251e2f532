//===- State.cpp - values that outlive a call -----------------------------===//

#include "tally/ops/State.h"
#include "tally/eval/Movement.h"
#include "tally/graph/Types.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

#define GET_OP_CLASSES
#include "tally/ops/State.cpp.inc"

SmallVector<StateOp> tally::nn::statesOf(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  return llvm::to_vector(module.getOps<StateOp>());
}

std::optional<eval::Tensor> tally::nn::initialValue(StateOp state) {
  if (!state.getInit())
    return std::nullopt;
  return hostTensor(*state.getInit(), state.tensorType());
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kPlace = "nn.place";

std::optional<StatePlace> tally::nn::placeOf(StateOp state) {
  auto entry = state->getAttrOfType<DictionaryAttr>(kPlace);
  if (!entry)
    return std::nullopt;
  auto number = [&](StringRef key) {
    return entry.getAs<IntegerAttr>(key).getInt();
  };
  StatePlace place;
  place.policy = static_cast<StatePolicy>(number("policy"));
  place.current = number("current");
  place.next = number("next");
  place.isRead = number("is_read");
  place.isWritten = number("is_written");
  place.advance = number("advance");
  place.target = number("target");
  place.rows = number("rows");
  place.pitch = number("pitch");
  if (place.policy == StatePolicy::Counter) {
    place.step = number("step");
    place.last = number("last");
  }
  place.reason = entry.getAs<StringAttr>("reason").str();
  return place;
}

void tally::nn::setPlace(StateOp state, const StatePlace &place) {
  Builder builder(state.getContext());
  NamedAttrList entry;
  auto number = [&](StringRef key, int64_t value) {
    entry.set(key, builder.getI64IntegerAttr(value));
  };
  number("policy", static_cast<int64_t>(place.policy));
  number("current", place.current);
  number("next", place.next);
  number("is_read", place.isRead);
  number("is_written", place.isWritten);
  number("advance", place.advance);
  number("target", place.target);
  number("rows", place.rows);
  number("pitch", place.pitch);
  if (place.policy == StatePolicy::Counter) {
    number("step", place.step);
    number("last", place.last);
  }
  entry.set("reason", builder.getStringAttr(place.reason));
  state->setAttr(kPlace, entry.getDictionary(state.getContext()));
}

SmallVector<Counter> tally::nn::countersOf(func::FuncOp function) {
  SmallVector<Counter> counters;
  auto module = function->getParentOfType<ModuleOp>();
  for (unsigned i = ownArguments(function); i < function.getNumArguments();
       ++i) {
    auto name = function.getArgAttrOfType<FlatSymbolRefAttr>(i, kStateOfValue);
    auto state = module.lookupSymbol<StateOp>(name.getValue());
    auto place = state ? placeOf(state) : std::nullopt;
    if (place && place->policy == StatePolicy::Counter)
      counters.push_back(
          {function.getArgument(i), state, int64_t(*state.getMost())});
  }
  return counters;
}

unsigned tally::nn::ownArguments(func::FuncOp function) {
  unsigned count = function.getNumArguments();
  while (count && function.getArgAttr(count - 1, kStateOfValue))
    --count;
  return count;
}

unsigned tally::nn::ownResults(func::FuncOp function) {
  unsigned count = function.getNumResults();
  while (count && function.getResultAttr(count - 1, kStateOfValue))
    --count;
  return count;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static bool hasCodesInRange(const eval::Tensor &tensor) {
  if (!tensor.isQuantized())
    return true;
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    int64_t code = eval::loadInt(tensor, i);
    if (code < tensor.quant->qmin || code > tensor.quant->qmax)
      return false;
  }
  return true;
}

LogicalResult StateOp::verify() {
  RankedTensorType type = tensorType();
  if (failed(verifyQuantizedTensor(type, [&] { return emitOpError(); })))
    return failure();
  if (!elementOf(type.getElementType()))
    return emitOpError() << "element type " << type.getElementType()
                         << " has no executor [STATE-4]";
  bool isNumber =
      type.getElementType().isSignlessInteger(64) && type.getNumElements() == 1;
  if (getMost() && (!isNumber || static_cast<int64_t>(*getMost()) < 0))
    return emitOpError() << "is no number with a largest value [STATE-11]";
  if (!getInit())
    return success();
  if (getInit()->getShapedType() != storageType(type))
    return emitOpError() << "init is a " << getInit()->getShapedType()
                         << ", expected " << storageType(type) << " [STATE-4]";
  if (!hasCodesInRange(*initialValue(*this)))
    return emitOpError() << "init has a code outside of its grid [STATE-4]";
  return success();
}

/// Whether what stands in the module's functions keeps STATE-3.
LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &) {
  int64_t reads = 0, writes = 0;
  (*this)->getParentOp()->walk([&](Operation *op) {
    auto read = dyn_cast<StateReadOp>(op);
    auto write = dyn_cast<StateWriteOp>(op);
    reads += read && read.getState() == getSymName();
    writes += write && write.getState() == getSymName();
  });
  if (writes == 1 || (reads == 0 && writes == 0))
    return success();
  return emitOpError() << "has " << writes << " writes, expected 1 [STATE-3]";
}

/// STATE-1 and STATE-2 of a read or write.
static LogicalResult verifyAccess(Operation *op, FlatSymbolRefAttr name,
                                  Type type, SymbolTableCollection &tables) {
  auto state = tables.lookupNearestSymbolFrom<StateOp>(op, name);
  if (!state)
    return op->emitOpError() << "there is no state " << name << " [STATE-1]";
  if (state.getType() != type)
    return op->emitOpError() << "has type " << type << ", the state "
                             << state.getType() << " [STATE-2]";
  return success();
}

LogicalResult StateReadOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyAccess(*this, getStateAttr(), getValue().getType(), tables);
}

LogicalResult StateWriteOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyAccess(*this, getStateAttr(), getValue().getType(), tables);
}

//===----------------------------------------------------------------------===//
// nn.shift_in
//===----------------------------------------------------------------------===//

LogicalResult ShiftInOp::verify() {
  auto old = cast<RankedTensorType>(getOld().getType());
  auto entering = cast<RankedTensorType>(getEntering().getType());
  auto output = cast<RankedTensorType>(getOutput().getType());
  auto axis = static_cast<int64_t>(getAxis());
  bool fits = axis >= 0 && axis < output.getRank() &&
              old.getElementType() == output.getElementType() &&
              entering.getElementType() == output.getElementType() &&
              old.getRank() == output.getRank() &&
              entering.getRank() == output.getRank();
  for (int64_t d = 0; fits && d < output.getRank(); ++d) {
    int64_t kept = output.getDimSize(d) - entering.getDimSize(d);
    fits = d == axis ? kept >= 0 && kept <= old.getDimSize(d)
                     : kept == 0 && output.getDimSize(d) == old.getDimSize(d);
  }
  if (fits)
    return success();
  return emitOpError() << "cannot make " << output << " of " << old << " and "
                       << entering << " [SHIFT-1]";
}

Status ShiftInOp::evaluate(eval::Request &request) {
  const eval::Tensor &old = request.in(0), &entering = request.in(1);
  eval::Tensor &out = request.out();
  auto axis = static_cast<size_t>(getAxis());
  int64_t enters = entering.shape[axis], kept = out.shape[axis] - enters;
  // Where the old value begins in the output, and what enters.
  int64_t oldAt = getFront() ? enters : kept - old.shape[axis];
  int64_t newAt = getFront() ? 0 : kept;
  eval::Shape oldStrides = eval::stridesOf(old.shape);
  eval::Shape newStrides = eval::stridesOf(entering.shape);
  eval::forEachIndex(out.shape, [&](int64_t i, eval::Index index) {
    bool isKept = getFront() ? index[axis] >= enters : index[axis] < kept;
    const eval::Tensor &from = isKept ? old : entering;
    const eval::Shape &strides = isKept ? oldStrides : newStrides;
    int64_t shift = (isKept ? oldAt : newAt) * strides[axis];
    eval::copyElement(from, eval::positionOf(index, strides) - shift, out, i);
  });
  return Status::success();
}
