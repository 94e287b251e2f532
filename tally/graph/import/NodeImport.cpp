//===- NodeImport.cpp - what a node's import rule works with --------------===//

#include "tally/graph/import/NodeImport.h"
#include "tally/graph/Locations.h"
#include "tally/graph/import/SupportedOperators.h"
#include "tally/ops/Folding.h"
#include "tally/support/CheckedMath.h"
#include "tally/support/RealText.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// Names in the copy of a nested graph end in what tells the copies apart.
static std::vector<std::string> suffixed(std::vector<std::string> names,
                                         const std::string &suffix) {
  for (std::string &name : names)
    if (!name.empty())
      name += suffix;
  return names;
}

NodeImport::NodeImport(OpBuilder &builder, ImportedValues &imported,
                       const model::Node &node)
    : node(node), builder(builder),
      loc(nodeLocation(builder.getContext(), node.name + imported.suffix,
                       node.opType, suffixed(node.outputs, imported.suffix))),
      imported(imported) {}

Location NodeImport::stepLocation(StringRef step) const {
  std::string name = node.name + imported.suffix;
  if (!step.empty())
    name += "@" + step.str();
  return nodeLocation(context(), name, node.opType, {});
}

Location NodeImport::outputLocation(size_t i) const {
  return nodeLocation(context(), node.name + imported.suffix, node.opType,
                      suffixed({node.outputs[i]}, imported.suffix));
}

tally::Diagnostic NodeImport::failure(FailureKind kind, std::string rule,
                                      std::string message,
                                      std::string hint) const {
  tally::Diagnostic result;
  result.kind = kind;
  result.rule = std::move(rule);
  result.node = model::printable(node.name + imported.suffix);
  result.message = node.fullOpType() + ": " + std::move(message);
  result.hint = std::move(hint);
  return result;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value NodeImport::rawOperand(size_t i) {
  return hasInput(i) ? imported.values.lookup(node.inputs[i]) : Value();
}

Value NodeImport::operand(size_t i) { return plain(rawOperand(i)); }

Value NodeImport::plain(Value value) {
  if (!value || !quantizedElement(value.getType()))
    return value;
  return StorageCastOp::create(builder, loc, storageType(tensorType(value)),
                               value);
}

Result<Value> NodeImport::codes(size_t i, const eval::Quantization &grid) {
  if (Status status = need(i); !status)
    return status.takeError();
  Value value = rawOperand(i);
  QuantizedType wanted = quantizedType(context(), grid);
  RankedTensorType type = tensorType(value).clone(wanted);
  if (value.getType() == type)
    return value;
  if (storageType(type) != storageType(tensorType(value)))
    return failure(FailureKind::Model, "IMP-8",
                   "codes of type " + typeText(elementType(value)) +
                       " do not fit the zero point's type " +
                       typeText(storageElement(wanted)));
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return ConstantOp::create(builder, constant.getLoc(), type,
                              constant.getValue())
        .getResult();
  return StorageCastOp::create(builder, loc, type, value).getResult();
}

std::optional<eval::Tensor> NodeImport::constant(size_t i) {
  Value value = rawOperand(i);
  auto op = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  if (!op)
    return std::nullopt;
  return hostTensor(op.getValue(), op.getType());
}

Status NodeImport::need(ArrayRef<size_t> operands) const {
  for (size_t i : operands)
    if (!hasInput(i))
      return failure(FailureKind::Model, "IMP-11",
                     "operand " + std::to_string(i) + " is missing");
  return Status::success();
}

Result<eval::Tensor> NodeImport::neededConstant(size_t i, const char *what) {
  if (Status status = need(i); !status)
    return status.takeError();
  if (auto tensor = constant(i))
    return std::move(*tensor);
  return failure(FailureKind::Unsupported, "IMP-5",
                 std::string(what) + " must be a constant",
                 "make '" + node.inputs[i] + "' an initializer");
}

Result<std::vector<int64_t>> NodeImport::constantInts(size_t i,
                                                      const char *what) {
  auto tensor = neededConstant(i, what);
  if (!tensor)
    return tensor.takeError();
  if (eval::isFloat(tensor->element))
    return failure(FailureKind::Model, "IMP-6",
                   std::string(what) + " must be integers");
  return eval::toInts(*tensor);
}

Result<std::vector<float>> NodeImport::constantFloats(size_t i,
                                                      const char *what) {
  auto tensor = neededConstant(i, what);
  if (!tensor)
    return tensor.takeError();
  std::vector<float> result(tensor->count());
  for (size_t j = 0; j < result.size(); ++j)
    result[j] = eval::isFloat(tensor->element)
                    ? static_cast<float>(eval::loadFloat(*tensor, j))
                    : static_cast<float>(eval::loadInt(*tensor, j));
  return result;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

CodeRange CodeRange::of(model::ElementType type) {
  unsigned bits = model::elementBits(type);
  bool isSigned = model::isSignedInteger(type);
  int64_t levels = int64_t(1) << std::min(bits, 62u);
  return isSigned ? CodeRange(-levels / 2, levels / 2 - 1)
                  : CodeRange(0, levels - 1);
}

CodeRange NodeImport::codeRange(size_t i) {
  auto narrow = imported.narrow.find(node.inputs[i]);
  if (narrow != imported.narrow.end())
    return CodeRange::of(narrow->second);
  Type element = elementType(rawOperand(i));
  if (auto quantized = dyn_cast<QuantizedType>(element))
    return {quantized.getStorageTypeMin(), quantized.getStorageTypeMax()};
  return *elementOf(element);
}

static Status checkGrid(const NodeImport &node,
                        const eval::Quantization &grid) {
  for (float scale : grid.scales)
    if (!(scale > 0) || !std::isfinite(scale))
      return node.failure(FailureKind::Model, "IMP-8",
                          "scale " + shortest(scale) +
                              " is not finite and positive");
  for (int64_t zeroPoint : grid.zeroPoints)
    if (zeroPoint < grid.qmin || zeroPoint > grid.qmax)
      return node.failure(FailureKind::Model, "IMP-8",
                          "zero point " + std::to_string(zeroPoint) +
                              " is outside [" + std::to_string(grid.qmin) +
                              ", " + std::to_string(grid.qmax) + "]");
  return Status::success();
}

Result<eval::Quantization> NodeImport::grid(size_t scale, size_t zeroPoint,
                                            CodeRange absent, int64_t axis,
                                            int64_t rank) {
  auto scales = constantFloats(scale, "the scale");
  if (!scales)
    return scales.takeError();
  eval::Quantization result;
  result.scales = std::move(*scales);
  result.zeroPoints = {0};
  if (hasInput(zeroPoint)) {
    auto zeroPoints = constantInts(zeroPoint, "the zero point");
    if (!zeroPoints)
      return zeroPoints.takeError();
    result.zeroPoints = std::move(*zeroPoints);
    absent = codeRange(zeroPoint);
  }
  result.qmin = absent.qmin;
  result.qmax = absent.qmax;
  if (result.qmax > UINT32_MAX)
    return failure(FailureKind::Unsupported, "IMP-8",
                   "64-bit codes are not supported");
  size_t count = std::max(result.scales.size(), result.zeroPoints.size());
  if (count > 1) {
    auto normalized = normalizeAxis(axis, rank);
    if (!normalized)
      return failure(FailureKind::Model, "IMP-8",
                     "axis " + std::to_string(axis) +
                         " is outside a tensor of rank " +
                         std::to_string(rank));
    result.axis = static_cast<int>(*normalized);
    if (result.scales.size() == 1)
      result.scales.resize(count, result.scales[0]);
    if (result.zeroPoints.size() == 1)
      result.zeroPoints.resize(count, result.zeroPoints[0]);
  }
  if (result.scales.empty() || result.scales.size() != result.zeroPoints.size())
    return failure(FailureKind::Model, "IMP-8",
                   std::to_string(result.scales.size()) + " scales and " +
                       std::to_string(result.zeroPoints.size()) +
                       " zero points do not match");
  if (Status status = checkGrid(*this, result); !status)
    return status.takeError();
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value NodeImport::makeConstant(const eval::Tensor &tensor, Type element) {
  ElementsAttr value = elementsAttr(context(), tensor, node.name);
  auto type = RankedTensorType::get(tensor.shape, element);
  return ConstantOp::create(builder, loc, type, value);
}

static constexpr int64_t kMaxElements = INT32_MAX;

Result<Value>
NodeImport::finishCreate(OperationState &state, LogicalResult inferred,
                         ArrayRef<ShapedTypeComponents> components,
                         Type element, const CapturedRejection &rejection) {
  auto rejected = [&]() {
    const std::string &text = rejection.message();
    return failure(rejection.kind(), "",
                   text.empty() ? "operands do not fit" : text);
  };
  if (failed(inferred))
    return rejected();
  for (const ShapedTypeComponents &component : components) {
    auto count = checkedElementCount(component.getDims());
    if (!count || *count > kMaxElements)
      return failure(FailureKind::Unsupported, "IMP-9",
                     "a result of shape " + shapeText(component.getDims()) +
                         " has more than 2^31 - 1 elements");
    state.types.push_back(RankedTensorType::get(
        component.getDims(), element ? element : component.getElementType()));
  }
  Operation *op = builder.create(state);
  if (failed(op->getName().verifyInvariants(op))) {
    op->erase();
    return rejected();
  }
  return op->getResult(0);
}

/// Constants that a graph computes from constants (shape arithmetic) fold as
/// they are imported; anything bigger stays an operation. So does a transpose
/// of other elements than sizes have: what it copies may be a weight that
/// others read as it is.
static constexpr int64_t kFoldElements = 1 << 14;

static bool mayCopyWeight(Operation *op, RankedTensorType type) {
  return isa<TransposeOp>(op) && !type.getElementType().isSignlessInteger(64);
}

static Value foldConstant(NodeImport &node, Value value) {
  Operation *op = value.getDefiningOp();
  auto type = tensorType(value);
  if (!op || isa<ConstantOp, QuantizeOp, DequantizeOp>(op) ||
      mayCopyWeight(op, type) || op->getNumResults() != 1 ||
      quantizedElement(type) || type.getNumElements() > kFoldElements)
    return value;
  auto result = evaluateConstant(op);
  if (!result)
    return value;
  Value folded = node.makeConstant(*result, type.getElementType());
  op->erase();
  return folded;
}

Value NodeImport::fold(Value value) {
  hasMoved |= isa_and_nonnull<Movement>(value.getDefiningOp());
  return foldConstant(*this, value);
}

Status NodeImport::bind(size_t i, Value value) {
  // A result that is there already is an input: the graph is cut at it.
  if (!node.hasOutput(i) || imported.values.count(node.outputs[i]))
    return Status::success();
  markNarrow(i, value);
  imported.values[node.outputs[i]] = foldConstant(*this, value);
  return Status::success();
}

static std::optional<model::ElementType> narrowType(unsigned bits,
                                                    bool isSigned) {
  using model::ElementType;
  switch (bits) {
  case 2:
    return isSigned ? ElementType::Int2 : ElementType::UInt2;
  case 4:
    return isSigned ? ElementType::Int4 : ElementType::UInt4;
  default:
    return std::nullopt;
  }
}

void NodeImport::markCodes(size_t i, CodeRange codes) {
  auto levels = static_cast<uint64_t>(codes.qmax - codes.qmin + 1);
  if (auto type = narrowType(llvm::Log2_64(levels), codes.qmin < 0))
    imported.narrow[node.outputs[i]] = *type;
  else
    imported.narrow.erase(node.outputs[i]);
}

/// Output `i` has elements below 8 bits when it is quantized to such codes, or
/// moves those of operand 0.
void NodeImport::markNarrow(size_t i, Value value) {
  std::optional<model::ElementType> type;
  if (auto quantized = quantizedElement(value.getType()))
    type = narrowType(quantized.getStorageTypeIntegralWidth(),
                      quantized.isSigned());
  Operation *op = value.getDefiningOp();
  bool moves = isa_and_nonnull<Movement>(op) || value == rawOperand(0) ||
               (hasMoved && isa_and_nonnull<ConstantOp>(op));
  if (moves && hasInput(0)) {
    auto source = imported.narrow.find(node.inputs[0]);
    if (source != imported.narrow.end())
      type = source->second;
  }
  if (type)
    imported.narrow[node.outputs[i]] = *type;
}

Status NodeImport::bind(Result<Value> value) {
  if (!value)
    return value.takeError();
  return bind(0, *value);
}

Status NodeImport::bindAll(Result<Value> value) {
  if (!value)
    return value.takeError();
  Operation *op = value->getDefiningOp();
  for (size_t i = 0; i < op->getNumResults(); ++i)
    if (Status status = bind(i, op->getResult(i)); !status)
      return status;
  return Status::success();
}

Status NodeImport::checkResults() const {
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (node.hasOutput(i) && !imported.values.count(node.outputs[i]))
      return failure(FailureKind::Unsupported, "IMP-11",
                     "there is no result " + std::to_string(i) + ", '" +
                         model::printable(node.outputs[i]) + "'");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Every row of every family.
static void visitRows(llvm::function_ref<void(const ImportRow &)> visit) {
  for (llvm::ArrayRef<ImportRow> rows :
       {arithmeticRows(),  branchRows(),    convolutionRows(),
        elementwiseRows(), indexingRows(),  joiningRows(),
        loopRows(),        movementRows(),  normalizationRows(),
        productRows(),     qlinearRows(),   quantizationRows(),
        recurrentRows(),   reductionRows(), reshapeRows(),
        resizeRows(),      scanRows(),      shapeRows(),
        slicingRows(),     windowRows()})
    for (const ImportRow &row : rows)
      visit(row);
}

const ImportRow *tally::nn::findImportRow(const model::Node &node) {
  const ImportRow *best = nullptr;
  visitRows([&](const ImportRow &row) {
    if (node.domain == row.domain && node.opType == row.opType &&
        node.opset >= row.sinceOpset &&
        (!best || row.sinceOpset > best->sinceOpset))
      best = &row;
  });
  return best;
}

Status tally::nn::importNode(OpBuilder &builder, ImportedValues &imported,
                             const model::Node &node) {
  const ImportRow &row = *findImportRow(node);
  NodeImport import(builder, imported, node);
  if (Status status =
          import.need(llvm::to_vector(llvm::seq<size_t>(0, row.operands)));
      !status)
    return status;
  Status status = row.import(import);
  if (import.misread) // explains the status better than it does itself
    return *import.misread;
  return status ? import.checkResults() : std::move(status);
}

std::vector<SupportedOperator> tally::nn::supportedOperators() {
  std::vector<SupportedOperator> operators;
  visitRows([&](const ImportRow &row) {
    operators.push_back({row.domain, row.opType, row.sinceOpset});
  });
  llvm::sort(operators, [](const auto &a, const auto &b) {
    return std::tuple(a.domain, a.opType, a.sinceOpset) <
           std::tuple(b.domain, b.opType, b.sinceOpset);
  });
  return operators;
}
