//===- Edge.cpp - may a stage join a chain? -------------------------------===//
//
// One function per predicate, each of which answers with a refusal or with
// nothing. Their order in kChecks is that of Predicates.def: from what lies
// between the two operators over who else needs the value to what the target
// can do, so that the verdict names the first thing to change.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/fusion/Edge.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Inference.h"
#include "tally/ops/Lookup.h"
#include "tally/ops/StridedMap.h"
#include "tally/rewrite/fusion/Simplify.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// The operations that read a value, each once, in program order.
static SmallVector<Operation *> readers(Value value) {
  llvm::SetVector<Operation *> users(value.user_begin(), value.user_end());
  SmallVector<Operation *> sorted(users.begin(), users.end());
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

static bool isView(Operation *op) {
  return isa<Movement>(op) && op->getNumOperands() == 1 &&
         op->getNumResults() == 1;
}

std::optional<Edge> tally::rewrite::edgeTo(
    Operation *stage, Value operand,
    function_ref<ArrayRef<Operation *>(Operation *)> chainUpTo,
    const llvm::DenseSet<Operation *> &taken) {
  Edge edge{{}, operand, {}, stage, &taken};
  while (Operation *op = edge.value.getDefiningOp()) {
    edge.chain = chainUpTo(op);
    if (!edge.chain.empty())
      return edge;
    if (!isView(op))
      break;
    edge.views.insert(edge.views.begin(), op);
    edge.value = op->getOperand(0);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

using Answer = std::optional<Refusal>;

template <typename... Args>
static std::string text(const char *format, Args &&...args) {
  return llvm::formatv(format, std::forward<Args>(args)...).str();
}

static Refusal refuse(Value at, Operation *other, std::string reason,
                      std::string suggestion) {
  return {{}, {}, at, other, std::move(reason), std::move(suggestion)};
}

/// The values from the chain to the stage.
static SmallVector<Value> values(const Edge &edge) {
  SmallVector<Value> values = {edge.value};
  for (Operation *view : edge.views)
    values.push_back(view->getResult(0));
  return values;
}

static bool keepsOrder(Operation *view) {
  auto map = stridedMap(view);
  if (!map ||
      map->count() != cast<RankedTensorType>(view->getOperand(0).getType())
                          .getNumElements())
    return false;
  StridedMap one = coalesced(*map);
  if (one.base != 0 || one.dims.size() > 1)
    return false;
  return one.dims.empty() || (one.isAffine() && one.dims[0][0].offset == 0 &&
                              one.dims[0][0].stride == 1);
}

static Answer sameElementsInOrder(const Edge &edge, const FusionOptions &) {
  for (Operation *view : edge.views)
    if (!keepsOrder(view))
      return refuse(view->getResult(0), view,
                    text("'{0}' ({1}) moves or resizes elements between the "
                         "two",
                         nodeName(view), view->getName().getStringRef()),
                    text("apply '{0}' before '{1}'", nodeName(edge.stage),
                         nodeName(view)));
  return std::nullopt;
}

static Answer readsOnce(const Edge &edge, const FusionOptions &) {
  SmallVector<Value> own = values(edge);
  int64_t reads = llvm::count_if(edge.stage->getOperands(), [&](Value operand) {
    return llvm::is_contained(own, operand);
  });
  if (reads == 1)
    return std::nullopt;
  return refuse(
      edge.read(), nullptr,
      text("'{0}' reads the value {1} times", nodeName(edge.stage), reads),
      "write it as a function of one operand, such as Pow");
}

/// The first reader of `value` that `from` is computed from, or null. `value`
/// is defined in the block of `from`.
static Operation *pathFrom(Value value, Value from) {
  Operation *origin = value.getDefiningOp();
  SmallVector<Operation *> work;
  llvm::DenseSet<Operation *> seen;
  auto visit = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && origin->isBeforeInBlock(op) && seen.insert(op).second)
      work.push_back(op);
  };
  visit(from);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (llvm::is_contained(op->getOperands(), value))
      return op;
    for (Value operand : op->getOperands())
      visit(operand);
  }
  return nullptr;
}

/// What would let `stage` join although `via` needs the value first.
static std::string withoutCycle(Operation *stage, Operation *via) {
  if (via->hasTrait<ElementwiseStage>())
    return text("write '{0}' and '{1}' as one operator, as Swish is for x * "
                "sigmoid(x)",
                nodeName(via), nodeName(stage));
  return text("nothing to do: '{0}' can only follow its other operand",
              nodeName(stage));
}

static Answer noCycle(const Edge &edge, const FusionOptions &) {
  for (Value operand : edge.stage->getOperands()) {
    if (operand == edge.read())
      continue;
    if (Operation *via = pathFrom(edge.value, operand))
      return refuse(operand, via,
                    text("another operand of '{0}' is computed from the "
                         "value, through '{1}'",
                         nodeName(edge.stage), nodeName(via)),
                    withoutCycle(edge.stage, via));
  }
  return std::nullopt;
}

/// Readers beside the edge that are terminators, or that are not.
static Operation *otherReader(const Edge &edge, Value value, bool terminator) {
  for (Operation *reader : readers(value))
    if (reader != edge.stage && !llvm::is_contained(edge.views, reader) &&
        reader->hasTrait<OpTrait::IsTerminator>() == terminator)
      return reader;
  return nullptr;
}

static Answer singleReader(const Edge &edge, const FusionOptions &) {
  for (Value value : values(edge))
    if (Operation *other = otherReader(edge, value, false))
      return refuse(value, other, text("'{0}' reads it, too", nodeName(other)),
                    text("give '{0}' its own '{1}', or let it read the "
                         "result of '{2}'",
                         nodeName(other), nodeName(edge.anchor()),
                         nodeName(edge.stage)));
  return std::nullopt;
}

static Answer notGraphOutput(const Edge &edge, const FusionOptions &) {
  for (Value value : values(edge))
    if (otherReader(edge, value, true))
      return refuse(value, nullptr, "it is an output of the graph",
                    text("leave it out of the outputs (--outputs), or return "
                         "the result of '{0}'",
                         nodeName(edge.stage)));
  return std::nullopt;
}

static Answer notInOtherChain(const Edge &edge, const FusionOptions &) {
  if (!edge.taken->contains(edge.stage))
    return std::nullopt;
  return refuse(edge.read(), nullptr,
                text("'{0}' already follows the chain of its other operand",
                     nodeName(edge.stage)),
                "nothing to do: its other operand is read from memory");
}

static Answer sameShape(const Edge &edge, const FusionOptions &) {
  auto read = cast<RankedTensorType>(edge.read().getType());
  auto made = cast<RankedTensorType>(edge.stage->getResult(0).getType());
  if (read.getShape() == made.getShape())
    return std::nullopt;
  return refuse(
      edge.read(), nullptr,
      text("'{0}' broadcasts {1} to {2}", nodeName(edge.stage),
           shapeText(read.getShape()), shapeText(made.getShape())),
      text("apply '{0}' to operands of one shape", nodeName(edge.stage)));
}

static Answer gridsCompatible(const Edge &edge, const FusionOptions &) {
  for (Type type : {edge.read().getType(), edge.stage->getResult(0).getType()})
    if (auto codes = quantizedElement(type);
        codes && !allPerTensor({}, cast<RankedTensorType>(type)))
      return refuse(edge.read(), nullptr,
                    text("'{0}' has {1}: not one grid per "
                         "tensor of at most 16 bits",
                         nodeName(edge.stage), typeText(codes)),
                    "quantize activations per tensor, with 8 or 16 bits");
  return std::nullopt;
}

static Answer anchorIsSupported(const Edge &edge,
                                const FusionOptions &options) {
  if (edge.chain.size() > 1 || !options.target.lacksAnchor)
    return std::nullopt;
  auto lacks = options.target.lacksAnchor(edge.anchor());
  if (!lacks)
    return std::nullopt;
  return refuse(edge.value, nullptr,
                text("the target cannot fuse into '{0}': {1}",
                     nodeName(edge.anchor()), *lacks),
                "compile for another target");
}

static Answer stageIsSupported(const Edge &edge, const FusionOptions &options) {
  if (!options.target.lacksStage)
    return std::nullopt;
  SmallVector<Operation *> stages(edge.views.begin(), edge.views.end());
  stages.push_back(edge.stage);
  for (Operation *stage : stages)
    if (auto lacks = options.target.lacksStage(stage, edge.chain))
      return refuse(edge.read(), stage,
                    text("the target cannot run '{0}' in a chain: {1}",
                         nodeName(stage), *lacks),
                    "compile for another target");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// How many tables `stage` needs that are read by the codes of `operand`.
static int64_t tableCount(Operation *stage, OpOperand &operand) {
  if (isa<MaxOp, MinOp, WhereOp>(stage)) // a change of grid
    return codesOf(operand.get()) != codesOf(stage->getResult(0));
  if (operand.getOperandNumber() != 0)
    return 0;
  if (auto prelu = dyn_cast<PReluOp>(stage))
    return prelu.getSlope().getType().getNumElements();
  return isa<TableOperator, LookupOp, PowOp>(stage);
}

static int64_t tableBytes(Operation *stage, const FusionOptions &options) {
  if (isCodeClamp(stage, options))
    return 0;
  auto result = describe(cast<RankedTensorType>(stage->getResult(0).getType()));
  int64_t entries = 0;
  for (OpOperand &operand : stage->getOpOperands())
    if (auto codes = codesOf(operand.get()))
      entries += tableCount(stage, operand) *
                 (int64_t(1) << codes.getStorageTypeIntegralWidth());
  return entries * eval::byteSize(result.element);
}

/// What makes tables of `stage` smaller, beside a higher limit.
static const char *withSmallerTables(Operation *stage) {
  bool isWide = llvm::any_of(stage->getOperands(), [](Value operand) {
    auto codes = codesOf(operand);
    return codes && codes.getStorageTypeIntegralWidth() > 8;
  });
  return isWide ? "quantize its input with 8 bits, or raise --max-table-bytes"
                : "raise --max-table-bytes";
}

static Answer tableFits(const Edge &edge, const FusionOptions &options) {
  int64_t bytes = tableBytes(edge.stage, options);
  if (bytes <= options.maxTableBytes)
    return std::nullopt;
  return refuse(edge.read(), nullptr,
                text("the table of '{0}' has {1} bytes, {2} are allowed",
                     nodeName(edge.stage), bytes, options.maxTableBytes),
                withSmallerTables(edge.stage));
}

static Answer budgetFits(const Edge &edge, const FusionOptions &options) {
  int64_t bytes = tableBytes(edge.stage, options);
  for (Operation *stage : edge.chain.drop_front())
    bytes += tableBytes(stage, options);
  if (bytes <= options.tableBudget)
    return std::nullopt;
  return refuse(edge.read(), nullptr,
                text("with '{0}' the chain's tables have {1} bytes, the "
                     "budget is {2}",
                     nodeName(edge.stage), bytes, options.tableBudget),
                "quantize the values in between with 8 bits, or raise "
                "--table-budget");
}

//===----------------------------------------------------------------------===//
// The table of predicates
//===----------------------------------------------------------------------===//

namespace {
struct Check {
  Predicate predicate;
  RemarkCode code;
  Answer (*ask)(const Edge &, const FusionOptions &);
};
} // namespace

static constexpr Check kChecks[] = {
    {Predicate::sameElementsInOrder, RemarkCode::ViewBetween,
     sameElementsInOrder},
    {Predicate::readsOnce, RemarkCode::ReadTwice, readsOnce},
    {Predicate::noCycle, RemarkCode::DependencyCycle, noCycle},
    {Predicate::singleReader, RemarkCode::SeveralReaders, singleReader},
    {Predicate::notGraphOutput, RemarkCode::GraphOutput, notGraphOutput},
    {Predicate::notInOtherChain, RemarkCode::InOtherChain, notInOtherChain},
    {Predicate::sameShape, RemarkCode::ShapeChanges, sameShape},
    {Predicate::gridsCompatible, RemarkCode::GridsIncompatible,
     gridsCompatible},
    {Predicate::anchorIsSupported, RemarkCode::TargetLacks, anchorIsSupported},
    {Predicate::stageIsSupported, RemarkCode::TargetLacks, stageIsSupported},
    {Predicate::tableFits, RemarkCode::TableTooLarge, tableFits},
    {Predicate::budgetFits, RemarkCode::TableBudget, budgetFits},
};

Answer tally::rewrite::refusal(const Edge &edge, const FusionOptions &options) {
  for (const Check &check : kChecks) {
    if (options.without == check.predicate)
      continue;
    if (Answer answer = check.ask(edge, options)) {
      answer->predicate = check.predicate;
      answer->code = check.code;
      return answer;
    }
  }
  return std::nullopt;
}
