//===- FindDifferences.cpp - all tensors of a run, judged -----------------===//
//
// Cost: one evaluation of the graph, and for each step with a difference of its
// own up to five more of that step.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/diff/FindDifferences.h"
#include "tally/driver/AllNodes.h"
#include "tally/driver/diff/LocalStep.h"
#include "tally/driver/diff/TensorDistance.h"
#include "tally/driver/tensors/NpyTensor.h"
#include "tally/eval/Evaluator.h"
#include "tally/graph/Locations.h"
#include "tally/support/Progress.h"

using namespace mlir;
using namespace tally;
using eval::Tensor;
using report::CodeEvidence;
using report::DifferenceReport;
using report::TensorDifference;

namespace {
class Finder {
public:
  Finder(func::FuncOp function, const std::map<std::string, Tensor> &ours,
         const Reference &reference, eval::Profile profile)
      : function(function), ours(ours), reference(reference), profile(profile),
        named(namedTensors(function)),
        results(function.getBody().front().getTerminator()->getOperands()) {
    for (auto &[name, value] : named)
      names[value] = name;
  }

  Status evaluate(const std::vector<Tensor> &inputs);
  Result<DifferenceReport> find();

private:
  std::optional<Tensor> referenceOf(Value value) const;
  const Tensor *oursOf(Value value) const;
  bool differs(Value value) const;
  Status explain(Value value, const Tensor &found, const Tensor &expected,
                 TensorDifference &difference) const;
  void addDecisions(DifferenceReport &report) const;

  func::FuncOp function;
  const std::map<std::string, Tensor> &ours;
  const Reference &reference;
  eval::Profile profile;
  llvm::MapVector<StringRef, Value> named;
  llvm::DenseMap<Value, StringRef> names;
  SmallVector<Value> results;
  /// What our rule gives from the reference's tensors.
  llvm::DenseMap<Value, Tensor> local;
  /// What nodes read: the reference's tensors, and `local` where it has none.
  llvm::DenseMap<Value, Tensor> environment;
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

/// Ours of a name, if it is the tensor that the graph means.
const Tensor *Finder::oursOf(Value value) const {
  auto found = ours.find(names.lookup(value).str());
  if (found == ours.end())
    return nullptr;
  Tensor wanted = nn::describe(cast<RankedTensorType>(value.getType()));
  const Tensor &tensor = found->second;
  bool isSame = tensor.element == wanted.element &&
                tensor.shape == wanted.shape && tensor.quant == wanted.quant;
  return isSame ? &tensor : nullptr;
}

Status Finder::evaluate(const std::vector<Tensor> &inputs) {
  Block &body = function.getBody().front();
  Progress progress("judging", std::distance(body.begin(), body.end()));
  eval::EvaluatorOptions options;
  options.profile = profile;
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
  auto outputs = eval::evaluate(function, inputs, options);
  return outputs ? Status::success() : outputs.takeError();
}

/// Whether a node's operand is another tensor in our run than in the
/// reference's. What our run does not show may be.
bool Finder::differs(Value value) const {
  if (isa<BlockArgument>(value) ||
      isa_and_nonnull<nn::ConstantOp>(value.getDefiningOp()))
    return false;
  const Tensor *tensor = oursOf(value);
  auto read = environment.find(value);
  return !tensor || read == environment.end() ||
         compareBits(*tensor, read->second);
}

//===----------------------------------------------------------------------===//
// Evidence
//===----------------------------------------------------------------------===//

namespace {
/// A step's outcomes under the rules that have one, from the reference's
/// operands. Rules that do not apply to the operator have no tensor.
struct Outcomes {
  std::optional<Tensor> local, exact, inFloat, fp32Scale, doubleRounding,
      floatBound;
};
} // namespace

static std::optional<Tensor> ifAny(Result<Tensor> result) {
  return result ? std::optional(std::move(*result)) : std::nullopt;
}

static std::optional<int64_t> at(const std::optional<Tensor> &tensor,
                                 int64_t i) {
  return tensor ? std::optional(eval::loadInt(*tensor, i)) : std::nullopt;
}

static Outcomes outcomesOf(const LocalStep &step, const Tensor &local,
                           const Tensor &expected) {
  Outcomes outcomes;
  outcomes.local = local;
  outcomes.exact = ifAny(step.exact());
  if (!compareBits(local, expected))
    return outcomes; // nothing left for other rules
  outcomes.inFloat = ifAny(step.inFloat());
  outcomes.floatBound = ifAny(step.floatBound());
  outcomes.fp32Scale = ifAny(step.codes(eval::Profile::OnnxRuntime));
  outcomes.doubleRounding = ifAny(step.codes(eval::Profile::TfLite));
  return outcomes;
}

static CodeEvidence evidenceAt(const Outcomes &outcomes, int64_t i) {
  CodeEvidence evidence;
  evidence.local = *at(outcomes.local, i);
  evidence.exact = at(outcomes.exact, i);
  evidence.inFloat = at(outcomes.inFloat, i);
  evidence.floatBound = at(outcomes.floatBound, i);
  evidence.fp32Scale = at(outcomes.fp32Scale, i);
  evidence.doubleRounding = at(outcomes.doubleRounding, i);
  return evidence;
}

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
  auto step = LocalStep::of(
      value, [&](Value read) { return environment.lookup(read); });
  if (!step)
    return step.takeError();
  Outcomes outcomes = outcomesOf(*step, local.lookup(value), expected);
  bool operandsDiffer = false;
  for (Value source : step->sources())
    if (differs(source)) {
      operandsDiffer = true;
      if (difference.changedOperand.empty())
        difference.changedOperand = names.lookup(source).str();
    }
  Value real = step->floatResult();
  bool showsFloat = real && referenceOf(real);
  report::CodeGrid grid{found.quant->zeroPoint(), found.quant->qmin,
                        found.quant->qmax};
  for (int64_t i = 0, e = found.count(); i < e; ++i) {
    int64_t ours = eval::loadInt(found, i), theirs = eval::loadInt(expected, i);
    if (ours == theirs)
      continue;
    CodeEvidence evidence = evidenceAt(outcomes, i);
    evidence.ours = ours;
    evidence.reference = theirs;
    evidence.operandsDiffer = operandsDiffer;
    evidence.showsFloat = showsFloat;
    difference.elements.push_back({indexOf(found, i), ours, theirs,
                                   evidence.exact,
                                   report::attribute(evidence, grid)});
  }
  return Status::success();
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
  for (auto &[name, value] : named) {
    const Tensor *found = oursOf(value);
    if (!found)
      continue;
    auto expected = referenceOf(value);
    if (!expected) {
      ++report.missing;
      continue;
    }
    TensorDifference difference = distance(*found, *expected);
    Operation *op = value.getDefiningOp();
    difference.node = nn::nodeName(op);
    difference.op = nn::nodeOpType(op).str();
    difference.tensor = name.str();
    bool isExplained = difference.isCodes && difference.different &&
                       !reference.isOtherModel && found->quant->perTensor();
    if (isExplained)
      if (Status status = explain(value, *found, *expected, difference);
          !status)
        return status.takeError();
    report.tensors.push_back(std::move(difference));
  }
  addDecisions(report);
  return report;
}

Result<DifferenceReport>
tally::findDifferences(func::FuncOp function, const std::vector<Tensor> &inputs,
                       const std::map<std::string, Tensor> &ours,
                       const Reference &reference, eval::Profile profile) {
  Finder finder(function, ours, reference, profile);
  if (Status status = finder.evaluate(inputs); !status)
    return status.takeError();
  return finder.find();
}
