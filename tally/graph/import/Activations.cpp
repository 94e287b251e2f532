//===- Activations.cpp - functions that a recurrent node names ------------===//
//
// Example: activations [LeakyRelu, Tanh, ScaledTanh], alpha [0.3, 1.5] and beta
// [0.7] give LeakyRelu(0.3), Tanh and ScaledTanh(1.5, 0.7).
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/Activations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

namespace {
/// A parameter of a function: whether it has one, and what it is by default.
struct Parameter {
  bool exists = false;
  std::optional<float> fallback;
};

struct KnownFunction {
  const char *name;
  Value (*apply)(Terms &, Value, float, float);
  Parameter alpha, beta;
};
} // namespace

template <typename OpTy>
static Value plainFunction(Terms &terms, Value value, float, float) {
  return terms.make<OpTy>(value);
}

template <typename OpTy>
static Value withAlpha(Terms &terms, Value value, float alpha, float) {
  return terms.make<OpTy>(value, terms.node.builder.getF32FloatAttr(alpha));
}

static Value hardSigmoid(Terms &terms, Value value, float alpha, float beta) {
  OpBuilder &builder = terms.node.builder;
  return terms.make<HardSigmoidOp>(value, builder.getF32FloatAttr(alpha),
                                   builder.getF32FloatAttr(beta));
}

static Value scaled(Terms &terms, Value value, float factor) {
  if (!value)
    return {};
  return terms.mul(terms.filled(factor, {}, elementType(value)), value);
}

/// alpha * x + beta
static Value affine(Terms &terms, Value value, float alpha, float beta) {
  if (!value)
    return {};
  return terms.add(scaled(terms, value, alpha),
                   terms.filled(beta, {}, elementType(value)));
}

/// alpha * tanh(beta * x)
static Value scaledTanh(Terms &terms, Value value, float alpha, float beta) {
  return scaled(terms, terms.make<TanhOp>(scaled(terms, value, beta)), alpha);
}

/// Defaults are those of the operator of the same name, where there is one.
static constexpr KnownFunction kFunctions[] = {
    {"Relu", plainFunction<ReluOp>, {}, {}},
    {"Tanh", plainFunction<TanhOp>, {}, {}},
    {"Sigmoid", plainFunction<SigmoidOp>, {}, {}},
    {"Softsign", plainFunction<SoftsignOp>, {}, {}},
    {"Softplus", plainFunction<SoftplusOp>, {}, {}},
    {"LeakyRelu", withAlpha<LeakyReluOp>, {true, 0.01f}, {}},
    {"ThresholdedRelu", withAlpha<ThresholdedReluOp>, {true, 1.0f}, {}},
    {"Elu", withAlpha<EluOp>, {true, 1.0f}, {}},
    {"HardSigmoid", hardSigmoid, {true, 0.2f}, {true, 0.5f}},
    {"Affine", affine, {true, {}}, {true, {}}},
    {"ScaledTanh", scaledTanh, {true, {}}, {true, {}}},
};

/// Runtimes read names without regard to case.
static const KnownFunction *functionNamed(StringRef name) {
  for (const KnownFunction &function : kFunctions)
    if (name.equals_insensitive(function.name))
      return &function;
  return nullptr;
}

namespace {
/// One of the lists activation_alpha and activation_beta, taken from the front.
class ParameterList {
public:
  ParameterList(NodeImport &node, const char *name)
      : node(node), name(name),
        values(node.floatsAttr(name).value_or(std::vector<float>())) {}

  Result<float> take(const Parameter &parameter, const char *function) {
    if (!parameter.exists)
      return 0.0f;
    if (taken < values.size())
      return values[taken++];
    if (parameter.fallback)
      return *parameter.fallback;
    return node.failure(FailureKind::Model, "RNN-5",
                        std::string(function) + " needs a value of " + name);
  }
  Status checkAllTaken() const {
    if (taken == values.size())
      return Status::success();
    return node.failure(
        FailureKind::Model, "RNN-5",
        std::string(name) + " has " + std::to_string(values.size()) +
            " values; the functions take " + std::to_string(taken));
  }

private:
  NodeImport &node;
  const char *name;
  std::vector<float> values;
  size_t taken = 0;
};
} // namespace

static Result<std::vector<std::string>>
namesOf(NodeImport &node, ArrayRef<const char *> defaults, int64_t directions) {
  std::vector<std::string> names;
  for (int64_t d = 0; d < directions; ++d)
    names.insert(names.end(), defaults.begin(), defaults.end());
  auto given = node.stringsAttr("activations");
  if (!given)
    return names;
  if (given->size() == names.size())
    return std::move(*given);
  return node.failure(FailureKind::Model, "RNN-4",
                      "activations has " + std::to_string(given->size()) +
                          " names, not " + std::to_string(names.size()));
}

Result<std::vector<Activation>>
tally::nn::activationsOf(NodeImport &node, ArrayRef<const char *> defaults,
                         int64_t directions) {
  auto names = namesOf(node, defaults, directions);
  if (!names)
    return names.takeError();
  ParameterList alphas(node, "activation_alpha");
  ParameterList betas(node, "activation_beta");
  std::vector<Activation> result;
  for (const std::string &name : *names) {
    const KnownFunction *function = functionNamed(name);
    if (!function)
      return node.failure(FailureKind::Model, "RNN-4",
                          "there is no activation '" + model::printable(name) +
                              "'");
    auto alpha = alphas.take(function->alpha, function->name);
    if (!alpha)
      return alpha.takeError();
    auto beta = betas.take(function->beta, function->name);
    if (!beta)
      return beta.takeError();
    result.push_back({function->apply, *alpha, *beta});
  }
  for (const ParameterList *list : {&alphas, &betas})
    if (Status status = list->checkAllTaken(); !status)
      return status.takeError();
  return result;
}
