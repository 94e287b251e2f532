//===- Evaluator.cpp - runs a graph exactly -------------------------------===//
//
// One backward walk finds the steps that the outputs need: an operation reads
// its operands, a group's Quantize reads the codes below the group's
// Dequantizes and nothing in between. One forward walk runs them.
//
// A state is read as it was when the call began; what is written waits for the
// call's end.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Evaluator.h"
#include "tally/eval/Step.h"
#include "tally/graph/Locations.h"
#include "tally/ops/QuantizedGroup.h"
#include "tally/ops/State.h"

#include "llvm/ADT/DenseMap.h"

#include <cstring>

using namespace mlir;
using namespace tally;
using namespace tally::eval;

namespace {
class GraphRun {
public:
  GraphRun(func::FuncOp function, const EvaluatorOptions &options)
      : function(function), options(options) {}

  Result<std::vector<Tensor>> run(const std::vector<Tensor> &inputs);

private:
  void plan();
  void need(Value value) { ++readers[value]; }
  Status step(Operation *op);
  bool isNeeded(Operation &op) const;
  Status runStep(Operation *op);
  Status runOperation(Operation *op);
  Status runGroup(const nn::QuantizedGroup &group);
  Status readState(nn::StateReadOp read);
  void commit();
  void finish(Value value, Tensor tensor);
  void release(Value value);

  func::FuncOp function;
  const EvaluatorOptions &options;
  llvm::DenseMap<Value, int64_t> readers;
  llvm::DenseMap<Value, Tensor> values;
  llvm::DenseMap<Operation *, nn::QuantizedGroup> groups;
  StateValues written;
};
} // namespace

/// What a step reads: a group's sources, or the operands.
static SmallVector<Value> sources(Operation *op,
                                  const nn::QuantizedGroup *group) {
  if (!group)
    return SmallVector<Value>(op->getOperands());
  SmallVector<Value> values;
  for (const nn::GroupOperand &operand : group->operands)
    if (operand.source)
      values.push_back(operand.source);
  return values;
}

bool GraphRun::isNeeded(Operation &op) const {
  return isa<nn::StateWriteOp>(op) ||
         llvm::any_of(op.getResults(),
                      [&](Value result) { return readers.contains(result); });
}

void GraphRun::plan() {
  Block &body = function.getBody().front();
  for (Value output : body.getTerminator()->getOperands())
    need(output);
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (!isNeeded(op))
      continue;
    const nn::QuantizedGroup *group = nullptr;
    if (auto quantize = dyn_cast<nn::QuantizeOp>(op))
      if (auto found = nn::findQuantizedGroup(quantize))
        group = &groups.try_emplace(&op, std::move(*found)).first->second;
    for (Value source : sources(&op, group))
      need(source);
  }
}

void GraphRun::finish(Value value, Tensor tensor) {
  if (options.observe)
    options.observe(value, tensor);
  if (!readers.contains(value))
    return;
  auto other = options.replace ? options.replace(value) : std::nullopt;
  values[value] = other ? std::move(*other) : std::move(tensor);
}

void GraphRun::release(Value value) {
  if (--readers[value] == 0)
    values.erase(value);
}

Result<std::vector<Tensor>> eval::evaluateOperation(
    Operation *op, const std::vector<const Tensor *> &inputs, Profile profile) {
  Request request;
  request.inputs = inputs;
  request.profile = profile;
  for (Type type : op->getResultTypes()) {
    request.results.push_back(nn::describe(cast<RankedTensorType>(type)));
    request.results.back().allocate();
  }
  if (Status status = cast<nn::Operator>(op).evaluate(request); !status)
    return status.takeError();
  return std::move(request.results);
}

Status GraphRun::runOperation(Operation *op) {
  std::vector<const Tensor *> inputs;
  for (Value operand : cast<nn::Operator>(op).positionalOperands())
    inputs.push_back(operand ? &values[operand] : nullptr);
  auto results = evaluateOperation(op, inputs, options.profile);
  if (!results)
    return results.takeError();
  for (auto [value, tensor] : llvm::zip(op->getResults(), *results))
    finish(value, std::move(tensor));
  return Status::success();
}

Status GraphRun::runGroup(const nn::QuantizedGroup &group) {
  auto step = stepOf(
      group, [&](Value source) { return values[source]; }, options.profile);
  if (!step)
    return step.takeError();
  auto tensor =
      evaluateStep(*step, nn::describe(group.coreType), options.profile);
  if (!tensor)
    return tensor.takeError();
  nn::QuantizeOp quantize = group.quantize;
  finish(quantize.getResult(), std::move(*tensor));
  return Status::success();
}

static nn::StateOp stateOf(nn::StateReadOp read) {
  return SymbolTable::lookupNearestSymbolFrom<nn::StateOp>(read,
                                                           read.getStateAttr());
}

/// What `read` gives when `states` holds the values before the call.
static std::optional<Tensor> valueBefore(nn::StateReadOp read,
                                         const StateValues *states) {
  if (states)
    if (auto found = states->find(read.getState().str());
        found != states->end())
      return found->second;
  return nn::initialValue(stateOf(read));
}

/// EVAL-4.
static Status checkNumber(nn::StateOp state, const Tensor &value) {
  if (!state.getMost())
    return Status::success();
  int64_t number = loadInt(value, 0);
  auto most = static_cast<int64_t>(*state.getMost());
  if (number >= 0 && number <= most)
    return Status::success();
  return tally::Diagnostic{.kind = FailureKind::Usage,
                           .message = "state '" + state.getSymName().str() +
                                      "' is " + std::to_string(number) +
                                      "; a call can begin with 0 to " +
                                      std::to_string(most),
                           .rule = "EVAL-4",
                           .hint = "reset the states, or compile the model "
                                   "for more rows"};
}

Status GraphRun::readState(nn::StateReadOp read) {
  auto value = valueBefore(read, options.states);
  if (!value)
    return tally::Diagnostic{.kind = FailureKind::Usage,
                             .message = "state '" + read.getState().str() +
                                        "' has no value yet",
                             .rule = "EVAL-3",
                             .hint = "give it one before the first call"};
  if (Status status = checkNumber(stateOf(read), *value); !status)
    return status;
  finish(read, std::move(*value));
  return Status::success();
}

/// A tensor of its own: an input's memory is the caller's.
static Tensor copyOf(const Tensor &tensor) {
  Tensor copy = tensor;
  copy.allocate();
  std::memcpy(copy.storage.get(), tensor.storage.get(), tensor.byteCount());
  return copy;
}

void GraphRun::commit() {
  if (options.states)
    for (auto &[name, tensor] : written)
      (*options.states)[name] = copyOf(tensor);
}

Status GraphRun::runStep(Operation *op) {
  auto group = groups.find(op);
  if (group != groups.end())
    return runGroup(group->second);
  if (auto read = dyn_cast<nn::StateReadOp>(op))
    return readState(read);
  if (auto write = dyn_cast<nn::StateWriteOp>(op)) {
    written[write.getState().str()] = values[write.getValue()];
    return Status::success();
  }
  return runOperation(op);
}

Status GraphRun::step(Operation *op) {
  auto group = groups.find(op);
  bool isGroup = group != groups.end();
  Status status = runStep(op);
  if (!status) {
    tally::Diagnostic failure = status.takeError();
    if (failure.node.empty()) // an nn.fused names the stage
      failure.node =
          nn::nodeName(isGroup && group->second.core ? group->second.core : op);
    return failure;
  }
  for (Value source : sources(op, isGroup ? &group->second : nullptr))
    release(source);
  return Status::success();
}

static Status checkInputs(func::FuncOp function,
                          const std::vector<Tensor> &inputs) {
  if (inputs.size() != function.getNumArguments())
    return tally::Diagnostic{FailureKind::Usage,
                             std::to_string(inputs.size()) + " inputs given, " +
                                 std::to_string(function.getNumArguments()) +
                                 " expected",
                             "EVAL-2"};
  return Status::success();
}

Result<std::vector<Tensor>> GraphRun::run(const std::vector<Tensor> &inputs) {
  if (Status status = checkInputs(function, inputs); !status)
    return status.takeError();
  plan();
  Block &body = function.getBody().front();
  for (auto [argument, tensor] : llvm::zip(body.getArguments(), inputs)) {
    Tensor typed = nn::describe(cast<RankedTensorType>(argument.getType()));
    typed.storage = tensor.storage;
    values[argument] = typed;
    if (options.observe)
      options.observe(argument, typed);
  }
  int64_t index = 0, count = std::distance(body.begin(), body.end());
  for (Operation &op : body.without_terminator()) {
    if (options.progress)
      options.progress(index, count);
    ++index;
    if (!isNeeded(op))
      continue;
    if (Status status = step(&op); !status)
      return status.takeError();
  }
  std::vector<Tensor> outputs;
  for (Value output : body.getTerminator()->getOperands())
    outputs.push_back(values[output]);
  commit();
  return outputs;
}

Result<std::vector<Tensor>>
tally::eval::evaluate(func::FuncOp function, const std::vector<Tensor> &inputs,
                      const EvaluatorOptions &options) {
  return GraphRun(function, options).run(inputs);
}
