//===- Loop.cpp - import of Loop
//-------------------------------------------===//
//
// A body is copied once for each time it runs; what one copy gives is what the
// next one takes. Example: a Loop that adds its counter to `s` three times is
//   s@0 = s + 0,  s@1 = s@0 + 1,  s@2 = s@1 + 2.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/MovementSteps.h"
#include "tally/graph/import/Stacking.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

using Values = std::vector<ImportedValue>;

static Value scalar(NodeImport &node, eval::Element element, int64_t number) {
  eval::Tensor tensor;
  tensor.element = element;
  tensor.allocate();
  eval::storeInt(tensor, 0, number);
  return node.makeConstant(tensor, typeOf(node.context(), element));
}

namespace {
class LoopImport {
public:
  LoopImport(NodeImport &node, Subgraph body)
      : node(node), body(std::move(body)),
        carriedCount(node.numInputs() > 2 ? node.numInputs() - 2 : 0) {}

  Status run();

private:
  Status readLimit();
  Status readCondition();
  Result<bool> goesOn(int64_t step);
  Status step(int64_t step);
  Status keepWhereActive(Values &next, int64_t step);
  Status bindResults();

  NodeImport &node;
  Subgraph body;
  size_t carriedCount;
  std::optional<int64_t> limit; ///< of how often the body runs
  Value condition;              ///< of the next step
  Value active; ///< once the run decides: whether the loop still goes on
  Values carried;
  std::vector<Values> stacks; ///< by output, then step
};
} // namespace

static tally::Diagnostic unknownCount(NodeImport &node, std::string why) {
  return node.failure(
      FailureKind::Unsupported, "FLOW-3", std::move(why),
      "fix the input that decides with --bind NAME=VALUE, or make the number "
      "of steps a constant");
}

Status LoopImport::readLimit() {
  if (!node.hasInput(0))
    return Status::success();
  if (!node.isConstant(0))
    return unknownCount(node, "how often the loop repeats is known only when "
                              "the network runs");
  auto count = node.constantInts(0, "the trip count");
  if (!count)
    return count.takeError();
  if (count->size() != 1)
    return node.failure(FailureKind::Model, "FLOW-3",
                        "the trip count is not one number");
  limit = count->front();
  return Status::success();
}

Status LoopImport::readCondition() {
  condition =
      node.hasInput(1) ? node.operand(1) : scalar(node, eval::Element::Bool, 1);
  return Status::success();
}

/// Whether there is a step `step`. A condition that only the run knows makes
/// the steps from there on take effect only where it holds.
Result<bool> LoopImport::goesOn(int64_t step) {
  if (limit && step >= *limit)
    return false;
  RankedTensorType type = tensorType(condition);
  if (!type.getElementType().isInteger(1) || type.getNumElements() != 1)
    return node.failure(FailureKind::Model, "FLOW-3",
                        "the condition is " + typeText(type) +
                            ", not one boolean");
  if (auto constant = condition.getDefiningOp<ConstantOp>()) {
    auto tensor = hostTensor(constant.getValue(), constant.getType());
    return eval::loadInt(tensor, 0) != 0;
  }
  if (!limit || !stacks.empty())
    return unknownCount(node, "the condition of step " + std::to_string(step) +
                                  " is known only when the network runs");
  auto holds = reshaped(node, condition, {});
  if (holds && active)
    holds = node.create<AndOp>({}, active, *holds);
  if (!holds)
    return holds.takeError();
  active = *holds;
  return true;
}

/// Steps behind the loop's end change nothing.
Status LoopImport::keepWhereActive(Values &next, int64_t step) {
  for (size_t i = 0; active && i < next.size(); ++i) {
    Value value = node.plain(next[i].value);
    Value old = node.plain(carried[i].value);
    if (value.getType() != old.getType())
      return unknownCount(node, "the condition of step " +
                                    std::to_string(step) +
                                    " is known only when the network runs, "
                                    "and a carried value changes its type");
    auto kept = node.create<WhereOp>({}, active, value, old);
    if (!kept)
      return kept.takeError();
    next[i].value = *kept;
  }
  return Status::success();
}

Status LoopImport::step(int64_t step) {
  node.loc = node.stepLocation(std::to_string(step));
  Values inputs = {{scalar(node, eval::Element::I64, step)},
                   {scalar(node, eval::Element::Bool, 1)}};
  llvm::append_range(inputs, carried);
  auto outputs = body.copy(inputs, "@" + std::to_string(step));
  if (!outputs)
    return outputs.takeError();
  condition = outputs->front().value;
  Values next(outputs->begin() + 1, outputs->begin() + 1 + carriedCount);
  if (Status status = keepWhereActive(next, step); !status)
    return status;
  carried = std::move(next);
  for (size_t i = 0; i < stacks.size(); ++i)
    stacks[i].push_back((*outputs)[1 + carriedCount + i]);
  return Status::success();
}

Status LoopImport::bindResults() {
  for (size_t i = 0; i < carriedCount; ++i)
    if (Status status = bindImported(node, i, carried[i]); !status)
      return status;
  for (size_t i = 0; i < stacks.size(); ++i) {
    size_t output = carriedCount + i;
    if (!node.node.hasOutput(output))
      continue;
    node.loc = node.outputLocation(output);
    auto whole = stacked(node, stacks[i], 0, body.graph().outputs[1 + output]);
    if (!whole)
      return whole.takeError();
    if (Status status = bindImported(node, output, *whole); !status)
      return status;
  }
  return Status::success();
}

Status LoopImport::run() {
  stacks.resize(node.node.outputs.size() - carriedCount);
  for (size_t i = 0; i < carriedCount; ++i) {
    if (Status status = node.need(i + 2); !status)
      return status;
    carried.push_back(importedInput(node, i + 2));
  }
  for (auto read : {&LoopImport::readLimit, &LoopImport::readCondition})
    if (Status status = (this->*read)(); !status)
      return status;
  for (int64_t i = 0;; ++i) {
    auto isNext = goesOn(i);
    if (!isNext)
      return isNext.takeError();
    if (!*isNext)
      return bindResults();
    // A body without nodes is repeated too.
    if (Status status = chargeUnrolled(node, 1); !status)
      return status;
    if (Status status = step(i); !status)
      return status;
  }
}

/// Operands: the trip count, the condition, the carried values. The body takes
/// its own counter and condition in their place, and gives a condition, the
/// carried values, and what is stacked.
static Status loop(NodeImport &node) {
  size_t inputs = std::max<size_t>(node.numInputs(), 2);
  if (node.node.outputs.size() + 2 < inputs)
    return node.failure(
        FailureKind::Model, "FLOW-5",
        "there are " + std::to_string(inputs - 2) + " carried values, but " +
            std::to_string(node.node.outputs.size()) + " outputs");
  auto body = Subgraph::of(node, "body", inputs, node.node.outputs.size() + 1);
  if (!body)
    return body.takeError();
  return LoopImport(node, *body).run();
}

llvm::ArrayRef<ImportRow> tally::nn::loopRows() {
  static const ImportRow rows[] = {
      {"", "Loop", 1, loop, 0},
  };
  return rows;
}
