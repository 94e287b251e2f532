//===- StateArguments.cpp - states named on the command line --------------===//

#include "tally/driver/StateArguments.h"
#include "tally/driver/GraphInterface.h"
#include "tally/driver/Phases.h"
#include "tally/driver/tensors/InputFiles.h"
#include "tally/graph/Types.h"
#include "tally/rewrite/state/Declare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tally;
using llvm::StringRef;
using mlir::func::FuncOp;
using rewrite::StateRequest;
using runtime::TensorInterface;

namespace {
/// A --state as text.
struct StateText {
  rewrite::StatePair pair;
  std::string init = "zero";
  std::optional<rewrite::Growth> growth;
  std::optional<int64_t> most; ///< as rewrite::StateRequest
};
} // namespace

static const TensorInterface *
inputNamed(const std::vector<TensorInterface> &inputs, StringRef name) {
  auto found = llvm::find_if(
      inputs, [&](const TensorInterface &input) { return input.name == name; });
  return found == inputs.end() ? nullptr : &*found;
}

static std::optional<rewrite::Growth> growthNamed(StringRef text) {
  if (text == "append")
    return rewrite::Growth::Append;
  if (text == "slide")
    return rewrite::Growth::Slide;
  return std::nullopt;
}

static Result<StateText> split(const std::string &text,
                               const std::vector<TensorInterface> &inputs) {
  auto [output, input] = StringRef(text).split('=');
  if (output.empty() || input.empty())
    return usageError("CLI-3", "--state '" + text + "' names no pair",
                      "write --state OUT=IN, --state proposed or, for caches, "
                      "--state proposed:append or proposed:slide");
  StateText result{{output.str(), input.str()}};
  auto [name, init] = input.rsplit(':');
  if (!inputNamed(inputs, input) && !init.empty()) {
    result.pair.input = name.str();
    result.growth = growthNamed(init);
    if (!result.growth)
      result.init = init.str();
  }
  return result;
}

static tally::Diagnostic noElement(const TensorInterface &about,
                                   const std::string &text) {
  return usageError("STATE-8",
                    "state '" + about.name + "' cannot begin as " + text +
                        ": its elements are " + eval::name(about.element) +
                        (about.quant ? " codes" : ""),
                    "give a number that the type holds");
}

/// The code or integer nearest to `value`; nothing when it is out of range, or
/// when an integer would have to be rounded.
static std::optional<int64_t> integerFor(const eval::Tensor &tensor, int64_t i,
                                         double value) {
  double low = static_cast<double>(eval::minValue(tensor.element));
  double high = static_cast<double>(eval::maxValue(tensor.element));
  if (tensor.quant) {
    int64_t channel = eval::AxisIndex(tensor.shape, tensor.quant->axis)(i);
    value = std::nearbyint(value / tensor.quant->scale(channel)) +
            static_cast<double>(tensor.quant->zeroPoint(channel));
    low = static_cast<double>(tensor.quant->qmin);
    high = static_cast<double>(tensor.quant->qmax);
  }
  if (value < low || value > high || std::nearbyint(value) != value)
    return std::nullopt;
  return static_cast<int64_t>(value);
}

static Result<eval::Tensor> filled(const TensorInterface &about,
                                   const std::string &text) {
  eval::Tensor tensor{about.shape, about.element, about.quant, nullptr};
  tensor.allocate();
  double value = 0;
  if (StringRef(text).getAsDouble(value, /*AllowInexact=*/true) ||
      !std::isfinite(value))
    return usageError(
        "CLI-3", "state '" + about.name + "' cannot begin as '" + text + "'",
        "write zero, a number, @FILE.npy, input, append or slide");
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    if (eval::isFloat(tensor.element)) {
      eval::storeFloat(tensor, i, value);
      if (!std::isfinite(eval::loadFloat(tensor, i)))
        return noElement(about, text);
      continue;
    }
    auto integer = integerFor(tensor, i, value);
    if (!integer)
      return noElement(about, text);
    eval::storeInt(tensor, i, *integer);
  }
  return tensor;
}

static Result<eval::Tensor> readFile(const TensorInterface &about,
                                     const std::string &file) {
  auto tensors = readInputs({about}, {about.name + "=" + file}, std::nullopt);
  if (!tensors)
    return tensors.takeError();
  return tensors->front();
}

/// The value of `argument` before the first call; nothing when the caller gives
/// it.
static Result<std::optional<eval::Tensor>>
initialOf(mlir::BlockArgument argument, const TensorInterface &about,
          const std::string &init) {
  if (init == "input")
    return std::optional<eval::Tensor>();
  if (init == "zero")
    return std::optional(rewrite::zeroOf(argument));
  StringRef file = init;
  auto tensor = file.consume_front("@") ? readFile(about, file.str())
                                        : filled(about, init);
  if (!tensor)
    return tensor.takeError();
  return std::optional(std::move(*tensor));
}

static std::vector<StateText> proposed(FuncOp function,
                                       std::optional<rewrite::Growth> growth) {
  std::vector<StateText> states;
  for (const rewrite::StatePair &pair :
       rewrite::proposedStates(function, growth.has_value()))
    states.push_back(
        {.pair = pair,
         .growth = rewrite::grownAxis(function, pair) ? growth : std::nullopt});
  return states;
}

static std::string namesOf(const std::vector<TensorInterface> &tensors) {
  std::string text;
  for (const TensorInterface &tensor : tensors)
    text += (text.empty() ? "'" : ", '") + tensor.name + "'";
  return text.empty() ? "none" : text;
}

/// Nothing that the option could mean.
static tally::Diagnostic noPair(FuncOp function, const std::string &text) {
  auto caches = rewrite::proposedStates(function, /*grows=*/true);
  if (!caches.empty())
    return usageError("STATE-12",
                      "--state " + text +
                          ": only caches have names of a pair ('" +
                          caches.front().input + "' and the longer '" +
                          caches.front().output + "')",
                      "write --state proposed:append or proposed:slide");
  return usageError(
      "STATE-12",
      "--state " + text +
          ": no input and output of one type have names of a pair",
      "write --state OUT=IN; outputs: " + namesOf(outputInterface(function)) +
          "; inputs: " + namesOf(inputInterface(function)));
}

/// Tells of caches, where other pairs are what was asked for.
static void noteCaches(FuncOp function) {
  std::string names;
  for (const rewrite::StatePair &pair :
       rewrite::proposedStates(function, /*grows=*/true))
    if (rewrite::grownAxis(function, pair))
      names += (names.empty() ? "'" : ", '") + pair.input + "'";
  if (!names.empty())
    llvm::errs() << "note: " << names
                 << " grow and remain inputs; --state proposed:append or "
                    "proposed:slide makes caches of them\n";
}

static Result<std::vector<StateText>> statesOf(FuncOp function,
                                               const ModelArguments &model) {
  std::vector<TensorInterface> inputs = inputInterface(function);
  std::vector<StateText> states;
  for (const std::string &text : model.states) {
    auto [name, how] = StringRef(text).split(':');
    if (name == "proposed" && (how.empty() || growthNamed(how))) {
      auto pairs = proposed(function, growthNamed(how));
      if (pairs.empty())
        return noPair(function, text);
      if (how.empty())
        noteCaches(function);
      llvm::append_range(states, pairs);
      continue;
    }
    auto state = split(text, inputs);
    if (!state)
      return state.takeError();
    states.push_back(std::move(*state));
  }
  return states;
}

static Status checkKept(const std::vector<StateText> &states,
                        const std::vector<std::string> &kept) {
  for (const std::string &name : kept)
    if (llvm::none_of(states, [&](const StateText &state) {
          return state.pair.output == name;
        }))
      return usageError("STATE-9",
                        "--keep-output '" + name + "' becomes no state",
                        "name outputs of --state OUT=IN");
  return Status::success();
}

/// Gives the caches among `states` a fixed capacity, and adds to them the
/// number of their rows.
static Status settleCaches(mlir::ModuleOp module, const ModelArguments &model,
                           std::vector<StateText> &states,
                           const Import &import) {
  std::vector<rewrite::StatePair> pairs;
  std::optional<rewrite::Growth> growth;
  for (const StateText &state : states) {
    if (!state.growth)
      continue;
    if (growth && growth != state.growth)
      return usageError("GROW-8", "some caches append and others slide",
                        "write the same for all of them");
    growth = state.growth;
    pairs.push_back(state.pair);
  }
  if (!growth)
    return Status::success();
  auto count = growCaches(module, model, pairs, *growth, import);
  if (!count)
    return count.takeError();
  states.push_back({.pair = count->pair, .most = count->most});
  return Status::success();
}

Status tally::declareStates(mlir::ModuleOp module, const ModelArguments &model,
                            const Import &import) {
  FuncOp function = mainFunction(module);
  auto states = statesOf(function, model);
  if (!states)
    return states.takeError();
  if (Status status = checkKept(*states, model.keptOutputs); !status)
    return status;
  if (Status status = settleCaches(module, model, *states, import); !status)
    return status;
  std::vector<TensorInterface> inputs = inputInterface(function);
  std::vector<StateRequest> requests;
  for (const StateText &state : *states) {
    StateRequest request{.pair = state.pair, .most = state.most};
    request.keepsOutput =
        llvm::is_contained(model.keptOutputs, state.pair.output);
    if (auto *about = inputNamed(inputs, state.pair.input)) {
      auto initial = initialOf(function.getArgument(about - inputs.data()),
                               *about, state.init);
      if (!initial)
        return initial.takeError();
      request.initial = std::move(*initial);
    }
    requests.push_back(std::move(request));
  }
  return rewrite::declareStates(module, requests);
}
