//===- FindDifferences.cpp - all tensors of a run, judged -----------------===//
//
// Cost: one evaluation of the graph, a second one where the compiled form lacks
// tensors, and for each step with a difference of its own up to five more of
// that step.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/diff/FindDifferences.h"
#include "tally/driver/AllNodes.h"
#include "tally/driver/diff/Evidence.h"
#include "tally/driver/diff/TensorDistance.h"
#include "tally/driver/tensors/NpyTensor.h"
#include "tally/eval/Evaluator.h"
#include "tally/graph/Locations.h"
#include "tally/support/Progress.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tally;
using eval::Tensor;
using report::DifferenceReport;
using report::TensorDifference;

namespace {
class Finder {
public:
  Finder(const OwnRun &run, const Reference &reference, bool keepAll)
      : run(run), function(run.function), reference(reference),
        keepAll(keepAll), named(namedTensors(function)),
        results(function.getBody().front().getTerminator()->getOperands()) {
    for (auto &[name, value] : named)
      names[value] = name;
  }

  Status evaluate();
  Status completeOurs();
  Result<DifferenceReport> find();

private:
  std::optional<Tensor> referenceOf(Value value) const;
  const Tensor *compiledOf(Value value) const;
  const Tensor *oursOf(Value value) const;
  Value differing(Value value) const;
  Result<TensorDifference> compare(Value value, const Tensor &found,
                                   const Tensor &expected) const;
  Status explain(Value value, const Tensor &found, const Tensor &expected,
                 TensorDifference &difference) const;
  void addDecisions(DifferenceReport &report) const;

  const OwnRun &run;
  func::FuncOp function;
  const Reference &reference;
  bool keepAll;
  llvm::MapVector<StringRef, Value> named;
  llvm::DenseMap<Value, StringRef> names;
  SmallVector<Value> results;
  /// What our rule gives from the reference's tensors.
  llvm::DenseMap<Value, Tensor> local;
  /// What nodes read: the reference's tensors, and `local` where it has none.
  llvm::DenseMap<Value, Tensor> environment;
  /// The evaluator's, of what the compiled form lacks.
  llvm::DenseMap<Value, Tensor> evaluated;
};
} // namespace

std::optional<Tensor> Finder::referenceOf(Value value) const {
  auto found = reference.tensors.find(names.lookup(value).str());
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (found == reference.tensors.end() || !type)
    return std::nullopt;
  Tensor tensor = nn::describe(type);
  const NpyArray &array = found->second;
  if (array.dtype != npyTypeOf(tensor.element) || array.shape != tensor.shape)
    return std::nullopt;
  tensor.storage = fromNpy(array, tensor.element).storage;
  return tensor;
}

/// The run's of a name, if it is the tensor that the graph means.
const Tensor *Finder::compiledOf(Value value) const {
  auto found = run.tensors.find(names.lookup(value).str());
  if (found == run.tensors.end())
    return nullptr;
  Tensor wanted = nn::describe(cast<RankedTensorType>(value.getType()));
  const Tensor &tensor = found->second;
  bool isSame = tensor.element == wanted.element &&
                tensor.shape == wanted.shape && tensor.quant == wanted.quant;
  return isSame ? &tensor : nullptr;
}

const Tensor *Finder::oursOf(Value value) const {
  if (const Tensor *tensor = compiledOf(value))
    return tensor;
  auto found = evaluated.find(value);
  return found == evaluated.end() ? nullptr : &found->second;
}

//===----------------------------------------------------------------------===//
// Evaluations
//===----------------------------------------------------------------------===//

/// Every tensor computed from the reference's.
Status Finder::evaluate() {
  Block &body = function.getBody().front();
  Progress progress("judging", std::distance(body.begin(), body.end()));
  eval::EvaluatorOptions options;
  options.profile = run.profile;
  options.progress = [&](int64_t index, int64_t) {
    progress.advance(index ? 1 : 0);
  };
  options.observe = [&](Value value, const Tensor &tensor) {
    local[value] = environment[value] = tensor;
  };
  options.replace = [&](Value value) {
    auto other = referenceOf(value);
    if (other)
      environment[value] = *other;
    return other;
  };
  auto outputs = eval::evaluate(function, run.inputs, options);
  return outputs ? Status::success() : outputs.takeError();
}

/// What the evaluator computes and the compiled form does not show: one more
/// evaluation, on our own tensors.
Status Finder::completeOurs() {
  llvm::SmallPtrSet<Value, 16> lacking;
  for (auto &[name, value] : named)
    if (local.count(value) && !compiledOf(value))
      lacking.insert(value);
  if (lacking.empty())
    return Status::success();
  eval::EvaluatorOptions options;
  options.profile = run.profile;
  options.observe = [&](Value value, const Tensor &tensor) {
    if (lacking.contains(value))
      evaluated[value] = tensor;
  };
  auto outputs = eval::evaluate(function, run.inputs, options);
  return outputs ? Status::success() : outputs.takeError();
}

/// The tensor of the model that `value` is or is made of and that is another
/// one in our run than in the reference's, or null. A node of the model may
/// have become several operations, with tensors in between that have no name.
Value Finder::differing(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || isa<nn::ConstantOp>(op))
    return {};
  if (!names.count(value)) {
    for (Value operand : op->getOperands())
      if (Value found = differing(operand))
        return found;
    return {};
  }
  const Tensor *tensor = oursOf(value);
  auto read = environment.find(value);
  bool isOther =
      tensor && read != environment.end() && compareBits(*tensor, read->second);
  return isOther ? value : Value();
}

//===----------------------------------------------------------------------===//
// One tensor
//===----------------------------------------------------------------------===//

static std::vector<int64_t> indexOf(const Tensor &tensor, int64_t position) {
  std::vector<int64_t> index;
  for (int64_t stride : eval::stridesOf(tensor.shape)) {
    index.push_back(position / stride);
    position %= stride;
  }
  return index;
}

Status Finder::explain(Value value, const Tensor &found, const Tensor &expected,
                       TensorDifference &difference) const {
  auto read = [&](Value source) { return environment.lookup(source); };
  auto step = LocalStep::of(value, read);
  if (!step)
    return step.takeError();
  const Tensor own = local.lookup(value);
  EvidenceRequest request{value, *step, read, found, expected, own};
  request.isOnnxRuntime = reference.isOnnxRuntime;
  if (auto maker = reference.makers.find(difference.tensor);
      maker != reference.makers.end())
    request.maker = maker->second;
  for (Value source : step->sources())
    if (Value changed = request.operandsDiffer ? Value() : differing(source)) {
      request.operandsDiffer = true;
      difference.changedOperand = names.lookup(changed).str();
    }
  Value real = step->floatResult();
  auto shown = real ? referenceOf(real) : std::nullopt;
  request.shown = shown ? &*shown : nullptr;
  auto isUnsigned = [&](Value code) {
    return code && reference.unsignedTensors.count(names.lookup(code).str());
  };
  if (isUnsigned(value))
    request.isUnsigned = isUnsigned;
  Evidence evidence(request);
  for (int64_t i = 0, e = found.count(); i < e; ++i) {
    if (eval::loadInt(found, i) == eval::loadInt(expected, i))
      continue;
    report::CodeEvidence one = evidence.at(i);
    auto rule = report::attribute(one, evidence.gridAt(i));
    if (difference.countRule(rule) || keepAll)
      difference.elements.push_back(
          {indexOf(found, i), one.ours, one.reference, one.exact, rule});
  }
  return Status::success();
}

Result<TensorDifference> Finder::compare(Value value, const Tensor &found,
                                         const Tensor &expected) const {
  TensorDifference difference = distance(found, expected);
  Operation *op = value.getDefiningOp();
  difference.node = nn::nodeName(op);
  difference.op = nn::nodeOpType(op).str();
  difference.tensor = names.lookup(value).str();
  bool isExplained =
      !difference.isFloat && difference.different && !reference.isOtherModel;
  if (isExplained)
    if (Status status = explain(value, found, expected, difference); !status)
      return status.takeError();
  return difference;
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

void Finder::addDecisions(DifferenceReport &report) const {
  for (Value output : results) {
    const Tensor *found = oursOf(output);
    auto expected = referenceOf(output);
    if (!found || !expected || found->rank() == 0 || found->shape.back() < 2)
      continue;
    auto decision = decisionAgreement(*found, *expected);
    decision.output = names.lookup(output).str();
    report.decisions.push_back(std::move(decision));
  }
}

Result<DifferenceReport> Finder::find() {
  DifferenceReport report;
  report.reference = reference.name;
  report.isOtherModel = reference.isOtherModel;
  report.changedByShowing = reference.changedByShowing;
  for (auto &[name, value] : named) {
    const Tensor *found = oursOf(value);
    auto expected = referenceOf(value);
    if (!found) {
      ++report.insideGroups;
      continue;
    }
    if (!expected) {
      ++report.missing;
      continue;
    }
    report.fromEvaluator += !compiledOf(value);
    auto difference = compare(value, *found, *expected);
    if (!difference)
      return difference.takeError();
    report.tensors.push_back(std::move(*difference));
  }
  addDecisions(report);
  return report;
}

Result<DifferenceReport> tally::findDifferences(const OwnRun &run,
                                                const Reference &reference,
                                                bool keepAll) {
  Finder finder(run, reference, keepAll);
  if (Status status = finder.evaluate(); !status)
    return status.takeError();
  if (Status status = finder.completeOurs(); !status)
    return status.takeError();
  return finder.find();
}
