//===- Declare.cpp - inputs and outputs that are states -------------------===//

#include "tally/rewrite/state/Declare.h"
#include "tally/graph/Locations.h"
#include "tally/ops/HandedOn.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

namespace {
/// A request whose tensors were found.
struct Found {
  const StateRequest *request;
  unsigned argument, result;
  Attribute handingNode; ///< of the result, or null (HandedOn.h)
};
} // namespace

static StringRef argumentName(func::FuncOp function, unsigned i) {
  auto name = function.getArgAttrOfType<StringAttr>(i, "nn.name");
  return name ? name.getValue() : StringRef();
}

static StringRef resultName(func::FuncOp function, unsigned i) {
  auto name = function.getResultAttrOfType<StringAttr>(i, "nn.name");
  return name ? name.getValue() : StringRef();
}

static tally::Diagnostic refusal(std::string rule, std::string message,
                                 std::string hint) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

using NameOf = StringRef (*)(func::FuncOp, unsigned);

/// Position of the tensor `name` among `count`; STATE-5.
static Result<unsigned> positionOf(func::FuncOp function, NameOf nameOf,
                                   unsigned count, const std::string &name,
                                   const std::string &what) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i) {
    if (nameOf(function, i) == name)
      return i;
    names.push_back("'" + nameOf(function, i).str() + "'");
  }
  return refusal("STATE-5", "there is no " + what + " '" + name + "'",
                 what + "s: " + llvm::join(names, ", "));
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static Result<Found> find(func::FuncOp function, const StateRequest &request) {
  auto argument = positionOf(function, argumentName, function.getNumArguments(),
                             request.pair.input, "input");
  if (!argument)
    return argument.takeError();
  auto result = positionOf(function, resultName, function.getNumResults(),
                           request.pair.output, "output");
  if (!result)
    return result.takeError();
  auto before = cast<RankedTensorType>(function.getArgumentTypes()[*argument]);
  auto after = cast<RankedTensorType>(function.getResultTypes()[*result]);
  bool isSame = before == after || before == storageType(after);
  if (!isSame)
    return refusal("STATE-6",
                   "output '" + request.pair.output + "' is " +
                       typeText(after) + ", input '" + request.pair.input +
                       "' is " + typeText(before),
                   "a state has one shape, element type and grid");
  return Found{&request, *argument, *result,
               function.getResultAttr(*result, kHandingNode)};
}

static Result<std::vector<Found>>
findAll(func::FuncOp function, const std::vector<StateRequest> &requests) {
  std::vector<Found> all;
  for (const StateRequest &request : requests) {
    auto found = find(function, request);
    if (!found)
      return found.takeError();
    for (const Found &other : all)
      if (other.argument == found->argument)
        return refusal("STATE-7",
                       "input '" + request.pair.input +
                           "' becomes a state twice",
                       "name it in one --state only");
    all.push_back(*found);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void makeState(func::FuncOp function, const Found &found) {
  const StateRequest &request = *found.request;
  MLIRContext *context = function.getContext();
  Location location =
      nodeLocation(context, request.pair.input, "State", {request.pair.input});
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  Value old = body.getArgument(found.argument);
  Value next = terminator->getOperand(found.result);
  auto type = cast<RankedTensorType>(next.getType());
  ElementsAttr initial;
  if (request.initial)
    initial = elementsAttr(context, *request.initial, request.pair.input);
  OpBuilder builder(function);
  auto most =
      request.most ? builder.getI64IntegerAttr(*request.most) : IntegerAttr();
  StateOp::create(builder, location, request.pair.input, type, initial, most);
  builder.setInsertionPointToStart(&body);
  Value read = StateReadOp::create(builder, location, type, request.pair.input);
  if (type != old.getType())
    read = StorageCastOp::create(builder, location, old.getType(), read);
  old.replaceAllUsesWith(read);
  builder.setInsertionPoint(terminator);
  StateWriteOp::create(builder, location, request.pair.input,
                       terminator->getOperand(found.result));
}

static void dropPairs(func::FuncOp function, const std::vector<Found> &found) {
  llvm::BitVector arguments(function.getNumArguments());
  llvm::BitVector results(function.getNumResults());
  for (const Found &each : found) {
    arguments.set(each.argument);
    if (!each.request->keepsOutput)
      results.set(each.result);
  }
  Operation *terminator = function.getBody().front().getTerminator();
  terminator->eraseOperands(results);
  (void)function.eraseArguments(arguments);
  (void)function.eraseResults(results);
}

Status
tally::rewrite::declareStates(ModuleOp module,
                              const std::vector<StateRequest> &requests) {
  if (requests.empty())
    return Status::success();
  auto function = module.lookupSymbol<func::FuncOp>("main");
  auto found = findAll(function, requests);
  if (!found)
    return found.takeError();
  for (const Found &each : *found)
    makeState(function, each);
  dropPairs(function, *found);
  auto hash = static_cast<int64_t>(stateHash(module));
  module->setAttr(kStateHash,
                  Builder(module.getContext()).getI64IntegerAttr(hash));
  for (const Found &each : *found) // names are not part of the hash
    if (each.handingNode)
      module.lookupSymbol<StateOp>(each.request->pair.input)
          ->setAttr(kHandingNode, each.handingNode);
  return Status::success();
}

/// Collects the element types by which readers take `value`, itself or what
/// operators that only move elements make of it; what is returned or written to
/// a state is not read. False if one takes plain integers.
static bool collectElementsAsRead(Value value,
                                  llvm::SmallSetVector<Type, 2> &elements) {
  llvm::SmallSetVector<Value, 4> moved;
  moved.insert(value);
  for (size_t i = 0; i < moved.size(); ++i)
    for (Operation *user : moved[i].getUsers()) {
      if (auto cast = dyn_cast<StorageCastOp>(user))
        elements.insert(getElementTypeOrSelf(cast.getType()));
      else if (isa<ConcatOp, ReshapeOp, SliceOp, TransposeOp>(user))
        moved.insert(user->getResult(0));
      else if (!isa<StateWriteOp>(user) &&
               !user->hasTrait<OpTrait::IsTerminator>())
        return false;
    }
  return true;
}

/// The type by which all readers take `argument`, or its own. A scale for each
/// channel belongs to a dimension, which may move.
static RankedTensorType typeAsRead(BlockArgument argument) {
  auto own = cast<RankedTensorType>(argument.getType());
  llvm::SmallSetVector<Type, 2> elements;
  if (!collectElementsAsRead(argument, elements) || elements.size() != 1)
    return own;
  bool isPerAxis = isa<mlir::quant::UniformQuantizedPerAxisType>(elements[0]);
  bool isMoved = llvm::any_of(argument.getUsers(), [](Operation *user) {
    return !isa<StorageCastOp>(user);
  });
  return isPerAxis && isMoved ? own : own.clone(elements[0]);
}

eval::Tensor tally::rewrite::zeroOf(BlockArgument argument) {
  eval::Tensor tensor = describe(typeAsRead(argument));
  tensor.allocate();
  if (!tensor.isQuantized())
    return tensor;
  eval::AxisIndex channel(tensor.shape, tensor.quant->axis);
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    eval::storeInt(tensor, i, tensor.quant->zeroPoint(channel(i)));
  return tensor;
}

//===----------------------------------------------------------------------===//
// Hash
//===----------------------------------------------------------------------===//

static void hashTensor(llvm::SHA256 &hash, const eval::Tensor &tensor) {
  hash.update(ArrayRef(reinterpret_cast<const uint8_t *>(tensor.storage.get()),
                       tensor.byteCount()));
}

/// The operation's text, with the bytes of large constants left out of it.
static void hashOperation(llvm::SHA256 &hash, Operation &op, AsmState &names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op.print(os, names);
  hash.update(text);
  if (auto constant = dyn_cast<ConstantOp>(op))
    hashTensor(hash, hostTensor(constant.getValue(), constant.getType()));
}

uint64_t tally::rewrite::stateHash(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  llvm::SHA256 hash;
  AsmState names(module, OpPrintingFlags().elideLargeElementsAttrs(16));
  for (StateOp state : statesOf(function)) {
    hashOperation(hash, *state, names);
    if (auto initial = initialValue(state))
      hashTensor(hash, *initial);
  }
  for (Operation &op : function.getBody().front())
    hashOperation(hash, op, names);
  auto digest = hash.final();
  uint64_t word = 0;
  for (uint8_t byte : ArrayRef(digest).take_front(8))
    word = word << 8 | byte;
  return word;
}
