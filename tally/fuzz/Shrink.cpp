//===- Shrink.cpp - a failing graph becomes a small one -------------------===//
//
// Greedy: passes in order of what they take away at once, repeated until a
// round changes nothing. Each attempt works on a clone, so what it breaks is
// thrown away; an attempt costs one check, and a round as many attempts as the
// graph has operations, outputs and dimensions. Source of the idea: Zeller and
// Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002.
//
//===----------------------------------------------------------------------===//

#include "tally/fuzz/Shrink.h"
#include "tally/fuzz/Edits.h"
#include "tally/graph/Rejection.h"
#include "tally/ops/Inference.h"
#include "tally/ops/Ops.h"

#include "mlir/IR/Verifier.h"

#include <chrono>
#include <set>

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

using Clock = std::chrono::steady_clock;

namespace {
class Shrinker {
public:
  Shrinker(const Graph &graph, const StillFails &stillFails, double seconds)
      : best(graph.clone()), stillFails(stillFails),
        end(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(seconds))) {}

  Graph run();

private:
  /// Keeps what `edit` makes of a clone when it is valid and still fails.
  bool attempt(function_ref<bool(Graph &)> edit);
  /// For each index below `count()`, last first.
  bool forEach(function_ref<size_t()> count,
               function_ref<bool(size_t)> attemptAt);

  bool dropOutputs();
  bool moveOutputs();
  bool cut();
  bool bypass();
  bool dropOperands();
  bool halveSizes();
  bool clearElements();

  bool halveSize(size_t source, size_t axis);
  bool halveAllOfSize(int64_t size);

  size_t outputs() { return returnOf(best)->getNumOperands(); }
  size_t operations() { return countOperations(best); }

  Graph best;
  const StillFails &stillFails;
  Clock::time_point end;
};
} // namespace

bool Shrinker::attempt(function_ref<bool(Graph &)> edit) {
  if (Clock::now() > end)
    return false;
  Graph candidate = best.clone();
  {
    nn::CapturedRejection rejection(best.module->getContext());
    if (!edit(candidate))
      return false;
    tidy(candidate);
    if (failed(verify(*candidate.module)))
      return false;
  }
  if (!stillFails(candidate))
    return false;
  best = std::move(candidate);
  return true;
}

bool Shrinker::forEach(function_ref<size_t()> count,
                       function_ref<bool(size_t)> attemptAt) {
  bool hasChanged = false;
  for (size_t i = count(); i-- > 0;)
    if (i < count()) // an attempt that succeeds can remove several
      hasChanged |= attemptAt(i);
  return hasChanged;
}

//===----------------------------------------------------------------------===//
// Fewer operations
//===----------------------------------------------------------------------===//

/// Runs of outputs, half of all first, then shorter ones.
bool Shrinker::dropOutputs() {
  bool hasChanged = false;
  for (size_t run = (outputs() + 1) / 2; run > 0;
       run = run > 1 ? (run + 1) / 2 : 0)
    for (size_t at = 0; at < outputs() && outputs() > 1;) {
      bool isGone = attempt([&](Graph &graph) {
        Operation *returns = returnOf(graph);
        size_t length = std::min<size_t>(run, returns->getNumOperands() - at);
        if (length == returns->getNumOperands())
          return false;
        returns->eraseOperands(at, length);
        return true;
      });
      hasChanged |= isGone;
      at += isGone ? 0 : run;
    }
  return hasChanged;
}

/// An operand of the operator that makes an output, in its place.
bool Shrinker::moveOutputs() {
  return forEach(
      [&] { return outputs(); },
      [&](size_t output) {
        Operation *op = returnOf(best)->getOperand(output).getDefiningOp();
        for (size_t i = 0, e = op ? op->getNumOperands() : 0; i < e; ++i)
          if (attempt([&](Graph &graph) {
                OpOperand &use = returnOf(graph)->getOpOperand(output);
                use.set(use.get().getDefiningOp()->getOperand(i));
                return true;
              }))
            return true;
        return false;
      });
}

bool Shrinker::cut() {
  return forEach(
      [&] { return operations(); },
      [&](size_t index) {
        return attempt([&](Graph &graph) {
          Operation *op = operationAt(graph, index);
          auto values = evaluateAll(graph);
          if (isa<nn::ConstantOp>(op))
            return false;
          bool isFixed = llvm::all_of(op->getOperands(), [](Value operand) {
            return bool(operand.getDefiningOp<nn::ConstantOp>());
          });
          OpBuilder builder(op);
          for (Value result : op->getResults()) {
            if (!values.contains(result))
              return false;
            const eval::Tensor &tensor = values[result];
            result.replaceAllUsesWith(
                isFixed ? nn::ConstantOp::create(
                              builder, op->getLoc(), result.getType(),
                              nn::elementsAttr(op->getContext(), tensor, "c"))
                              .getResult()
                        : addInput(graph, result.getType(), tensor));
          }
          return true;
        });
      });
}

bool Shrinker::bypass() {
  return forEach(
      [&] { return operations(); },
      [&](size_t index) {
        Operation *op = operationAt(best, index);
        for (size_t i = 0, e = op->getNumOperands(); i < e; ++i)
          if (op->getOperand(i).getType() == op->getResult(0).getType() &&
              attempt([&](Graph &graph) {
                Operation *op = operationAt(graph, index);
                op->getResult(0).replaceAllUsesWith(op->getOperand(i));
                return true;
              }))
            return true;
        return false;
      });
}

/// The last operand of what can do without: a bias, a padding value.
bool Shrinker::dropOperands() {
  return forEach([&] { return operations(); },
                 [&](size_t index) {
                   return attempt([&](Graph &graph) {
                     Operation *op = operationAt(graph, index);
                     size_t needed =
                         isa<nn::ConvOp, nn::ConvTransposeOp, nn::GemmOp>(op)
                             ? 2
                         : isa<nn::PadOp>(op)    ? 1
                         : isa<nn::ConcatOp>(op) ? 1
                                                 : op->getNumOperands();
                     if (op->getNumOperands() <= needed)
                       return false;
                     op->eraseOperand(op->getNumOperands() - 1);
                     return reinfer(graph);
                   });
                 });
}

//===----------------------------------------------------------------------===//
// Smaller tensors
//===----------------------------------------------------------------------===//

bool Shrinker::halveSize(size_t source, size_t axis) {
  return attempt([&](Graph &graph) {
    eval::Tensor tensor = sourcesOf(graph)[source].tensor;
    replaceSource(
        graph, source,
        firstOf(tensor, static_cast<int64_t>(axis), tensor.shape[axis] / 2));
    return reinfer(graph);
  });
}

/// Lists of dimensions in attributes follow: reshape and expand state shapes,
/// slices sizes.
static void halveInAttributes(const Graph &graph, int64_t size) {
  for (size_t i = 0, e = countOperations(graph); i < e; ++i) {
    Operation *op = operationAt(graph, i);
    for (StringRef name : {"shape", "sizes", "kernel"}) {
      auto list = op->getAttrOfType<DenseI64ArrayAttr>(name);
      if (!list)
        continue;
      SmallVector<int64_t> sizes(list.asArrayRef());
      for (int64_t &entry : sizes)
        if (entry == size)
          entry = size / 2;
      op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), sizes));
    }
  }
}

bool Shrinker::halveAllOfSize(int64_t size) {
  return attempt([&](Graph &graph) {
    auto sources = sourcesOf(graph);
    for (size_t i = 0; i < sources.size(); ++i) {
      eval::Tensor tensor = sources[i].tensor;
      for (size_t axis = 0; axis < tensor.shape.size(); ++axis)
        if (tensor.shape[axis] == size)
          tensor = firstOf(tensor, static_cast<int64_t>(axis), size / 2);
      if (tensor.shape != sources[i].tensor.shape)
        replaceSource(graph, i, tensor);
    }
    halveInAttributes(graph, size);
    return reinfer(graph);
  });
}

bool Shrinker::halveSizes() {
  bool hasChanged = false;
  std::set<int64_t> sizes;
  for (const Source &source : sourcesOf(best))
    sizes.insert(source.tensor.shape.begin(), source.tensor.shape.end());
  for (int64_t size : sizes)
    hasChanged |= size > 1 && halveAllOfSize(size);
  return forEach([&] { return sourcesOf(best).size(); },
                 [&](size_t source) {
                   eval::Shape shape = sourcesOf(best)[source].tensor.shape;
                   bool isHalved = false;
                   for (size_t axis = 0; axis < shape.size(); ++axis)
                     isHalved |= shape[axis] > 1 && halveSize(source, axis);
                   return isHalved;
                 }) ||
         hasChanged;
}

/// Codes whose real is 0, or 0. False when all are.
static bool clear(eval::Tensor &tensor) {
  eval::Tensor zeros = tensor;
  zeros.allocate();
  if (tensor.quant)
    for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
      eval::AxisIndex channel(tensor.shape, tensor.quant->axis);
      eval::storeInt(zeros, i, tensor.quant->zeroPoint(channel(i)));
    }
  bool isClear = !std::memcmp(zeros.storage.get(), tensor.storage.get(),
                              tensor.byteCount());
  tensor = zeros;
  return !isClear;
}

bool Shrinker::clearElements() {
  return forEach([&] { return sourcesOf(best).size(); },
                 [&](size_t source) {
                   return attempt([&](Graph &graph) {
                     eval::Tensor tensor = sourcesOf(graph)[source].tensor;
                     if (!clear(tensor))
                       return false;
                     replaceSource(graph, source, tensor);
                     return true;
                   });
                 });
}

Graph Shrinker::run() {
  bool hasChanged = true;
  while (hasChanged && Clock::now() < end) {
    hasChanged = dropOutputs();
    hasChanged |= cut();
    hasChanged |= moveOutputs();
    hasChanged |= bypass();
    hasChanged |= dropOperands();
    hasChanged |= halveSizes();
    hasChanged |= clearElements();
  }
  return std::move(best);
}

Graph fuzz::shrink(const Graph &graph, const StillFails &stillFails,
                   double seconds) {
  return Shrinker(graph, stillFails, seconds).run();
}
