//===- Streams.cpp - random graphs whose results come back ----------------===//
//
// A random graph knows nothing of states. Here its results are handed back: the
// first result with the type of an input becomes that input of the next call,
// and so on for the other inputs. What follows is often nonsense, as numbers
// go, but the same nonsense everywhere: a state is read late, transposed, by
// several operations, or exchanged with another, which is what decides where it
// lives.
//
//===----------------------------------------------------------------------===//

#include "tally/fuzz/Streams.h"
#include "tally/eval/Evaluator.h"
#include "tally/fuzz/Edits.h"
#include "tally/fuzz/Runnable.h"
#include "tally/graph/Types.h"
#include "tally/rewrite/state/Declare.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

static std::string nameOf(DictionaryAttr attributes) {
  return attributes.getAs<StringAttr>("nn.name").str();
}

/// The pairs, and in `taken` the inputs that become states.
static std::vector<rewrite::StateRequest> requestsOf(const Graph &graph,
                                                     llvm::BitVector &taken) {
  func::FuncOp main = graph.main();
  llvm::BitVector used(main.getNumResults());
  std::vector<rewrite::StateRequest> requests;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto before = cast<RankedTensorType>(main.getArgumentTypes()[i]);
    for (unsigned r = 0; r < main.getNumResults(); ++r) {
      auto after = cast<RankedTensorType>(main.getResultTypes()[r]);
      bool fits = before == after || before == nn::storageType(after);
      if (!fits || used.test(r))
        continue;
      used.set(r);
      taken.set(i);
      rewrite::StateRequest request{.pair = {nameOf(main.getResultAttrDict(r)),
                                             nameOf(main.getArgAttrDict(i))},
                                    .initial = graph.inputs[i]};
      request.keepsOutput = r % 2 == 0;
      requests.push_back(std::move(request));
      break;
    }
  }
  return requests;
}

std::optional<Graph> fuzz::streamOf(const Graph &graph) {
  Graph stream = graph.clone();
  nameAll(stream);
  llvm::BitVector taken(stream.inputs.size());
  auto requests = requestsOf(stream, taken);
  if (requests.empty() || !rewrite::declareStates(*stream.module, requests))
    return std::nullopt;
  std::vector<eval::Tensor> inputs;
  for (size_t i = 0; i < stream.inputs.size(); ++i)
    if (!taken.test(i))
      inputs.push_back(stream.inputs[i]);
  stream.inputs = std::move(inputs);
  return stream;
}

Result<std::vector<eval::Tensor>> fuzz::evaluateStream(const Graph &graph,
                                                       eval::Profile profile) {
  eval::StateValues states;
  eval::EvaluatorOptions options;
  options.profile = profile;
  options.states = &states;
  std::vector<eval::Tensor> all;
  for (int call = 0; call < kCalls; ++call) {
    auto results = eval::evaluate(graph.main(), graph.inputs, options);
    if (!results)
      return results;
    llvm::append_range(all, *results);
  }
  for (auto &[name, tensor] : states)
    all.push_back(tensor);
  return all;
}
