//===- Fused.cpp - an operator and the stages that follow it --------------===//
//
// The meaning of a fused operation is that of its chain: each operation is
// asked for its own exact meaning, on what the one before it made. Codes
// between two stages are rounded and saturated as if they were stored.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Locations.h"
#include "tally/ops/Anchors.h"
#include "tally/ops/Inference.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

SmallVector<Operation *> FusedOp::chain() {
  SmallVector<Operation *> operations;
  for (Operation &op : getBody().front().without_terminator())
    operations.push_back(&op);
  return operations;
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// Evaluates one operation of the chain on `values`, and adds its result.
static Status evaluateStage(Operation *op, eval::Profile profile,
                            llvm::DenseMap<Value, eval::Tensor> &values) {
  auto node = cast<Operator>(op);
  eval::Request request;
  request.profile = profile;
  for (Value operand : node.positionalOperands())
    request.inputs.push_back(operand ? &values.find(operand)->second : nullptr);
  for (Value result : op->getResults()) {
    request.results.push_back(describe(tensorType(result)));
    request.results.back().allocate();
  }
  if (Status status = node.evaluate(request); !status) {
    tally::Diagnostic failure = status.takeError();
    failure.node = nodeName(op);
    return failure;
  }
  values[op->getResult(0)] = std::move(request.out());
  return Status::success();
}

Status FusedOp::evaluate(eval::Request &request) {
  Block &body = getBody().front();
  llvm::DenseMap<Value, eval::Tensor> values;
  for (auto [argument, tensor] : llvm::zip(body.getArguments(), request.inputs))
    values[argument] = *tensor;
  for (Operation *op : chain())
    if (Status status = evaluateStage(op, request.profile, values); !status)
      return status;
  Value result = body.getTerminator()->getOperand(0);
  request.out().storage = values[result].storage;
  return Status::success();
}

void FusedOp::unfuse() {
  Block &body = getBody().front();
  for (auto [argument, operand] : llvm::zip(body.getArguments(), getInputs()))
    argument.replaceAllUsesWith(operand);
  Operation *yield = body.getTerminator();
  getOutput().replaceAllUsesWith(yield->getOperand(0));
  yield->erase();
  getOperation()->getBlock()->getOperations().splice(
      getOperation()->getIterator(), body.getOperations());
  erase();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

bool tally::nn::walksLines(Operation *op) {
  return isa<GroupNormalizationOp, InstanceNormalizationOp,
             LayerNormalizationOp, LogSoftmaxOp, RmsNormalizationOp, SoftmaxOp>(
      op);
}

bool tally::nn::isFusionAnchor(Operation *op) {
  return (op->hasTrait<FusionAnchor>() || walksLines(op)) &&
         llvm::all_of(op->getResults().drop_front(),
                      [](Value result) { return result.use_empty(); });
}

LogicalResult FusedOp::verify() {
  if (!(*this)->getAttrs().empty())
    return emitOpError() << "has attribute "
                         << (*this)->getAttrs().front().getName()
                         << ": a chain's meaning is in its operations alone "
                            "[FUSED-6]";
  TypeRange arguments = getBody().getArgumentTypes();
  if (arguments != getOperandTypes())
    return emitOpError() << "has operands of types (" << getOperandTypes()
                         << ") and block arguments of types (" << arguments
                         << ") [FUSED-1]";
  return success();
}

/// Rule FUSED-4 of one stage, which follows `previous`.
static LogicalResult verifyStage(Operation *stage, Operation *previous) {
  Value chained = previous->getResult(0);
  int64_t reads = llvm::count(stage->getOperands(), chained);
  if (reads != 1)
    return stage->emitOpError()
           << "reads the result of " << previous->getName() << " before it "
           << reads << " times, a stage reads it once [FUSED-4]";
  for (Value operand : stage->getOperands())
    if (operand != chained && !isa<BlockArgument>(operand))
      return stage->emitOpError()
             << "reads a result of " << operand.getDefiningOp()->getName()
             << ", not only the one "
             << "before it and the operation's inputs [FUSED-4]";
  if (!isa<ReshapeOp>(stage) &&
      shapeOf(stage->getResult(0)) != shapeOf(chained))
    return stage->emitOpError()
           << "makes " << shapeText(shapeOf(stage->getResult(0))) << " of "
           << shapeText(shapeOf(chained))
           << ": an elementwise stage keeps the shape [FUSED-4]";
  return success();
}

static LogicalResult verifyKinds(FusedOp fused, ArrayRef<Operation *> chain) {
  if (chain.size() < 2)
    return fused.emitOpError()
           << "needs an anchor and a stage after it [FUSED-2]";
  if (!isFusionAnchor(chain.front()))
    return chain.front()->emitOpError() << "cannot anchor a chain [FUSED-2]";
  for (Operation *op : chain.drop_front())
    if (!op->hasTrait<ElementwiseStage>() && !isa<ReshapeOp>(op))
      return op->emitOpError()
             << "is neither elementwise nor nn.reshape [FUSED-3]";
  if (isa<ReshapeOp>(chain.back()))
    return chain.back()->emitOpError()
           << "ends the chain, where nothing reads it [FUSED-3]";
  return success();
}

LogicalResult FusedOp::verifyRegions() {
  SmallVector<Operation *> operations = chain();
  if (failed(verifyKinds(*this, operations)))
    return failure();
  for (size_t i = 1; i < operations.size(); ++i)
    if (failed(verifyStage(operations[i], operations[i - 1])))
      return failure();
  Block &body = getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (argument.use_empty())
      return emitOpError() << "does not read its operand "
                           << argument.getArgNumber() << " [FUSED-1]";
  Value yielded = body.getTerminator()->getOperand(0);
  if (yielded.getDefiningOp() != operations.back() ||
      yielded.getType() != getType())
    return emitOpError() << "has a result of type " << getType()
                         << ", which is not the chain's last, "
                         << operations.back()->getResult(0).getType()
                         << " [FUSED-5]";
  return success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult FusedOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, operands) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), at, result.operands))
    return failure();
  result.addTypes(type.getResults());
  for (auto [argument, input] : llvm::zip(arguments, type.getInputs()))
    argument.type = input;
  return parser.parseRegion(*result.addRegion(), arguments,
                            /*enableNameShadowing=*/true);
}

void FusedOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          printer << std::get<0>(pair) << " = "
                                  << std::get<1>(pair);
                        });
  printer << ")";
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : ";
  printer.printFunctionalType(getOperation());
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}
