//===- WindowChains.cpp - convolutions that run row by row together -------===//
//
// A result that would be written to global memory and read again by one
// convolution stays in SRAM if both run piece by piece: a few rows of the last
// result, and of each result before it the rows that its reader touches. Rows
// that two pieces touch are computed twice. A convolution joins the chain
// before it if
//
//   cycles of DMA for one write and one read of what is between them
//     > cycles of the array for rows computed twice
//       + cycles of DMA for rows of the first operand loaded twice
//
// and the weights of the chain have room in their share of SRAM.
//
// Example: 1 x 1 from 16 to 96 channels of 112 x 112, then depthwise 3 x 3 of
// step 2: 1.2 MB between them. Pieces of 5 rows of the second need 11 of the
// first, of which one is also the next piece's: 10 % of the first again, 1,000
// cycles against 75,000 for the traffic.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Chains.h"
#include "tally/schedule/lower/Convolutions.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Bytes of weights and parameters: two records and a bias for each channel.
static int64_t weightBytes(Operation *op) {
  int64_t bytes = typeOf(op->getResult(0)).getDimSize(1) * 80;
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp<nn::ConstantOp>())
      bytes += typeOf(operand).getNumElements();
  return bytes;
}

/// Cycles of the array for each element of a convolution's result.
static double cyclesPerElement(const machine::MatrixUnit &unit, Operation *op) {
  int64_t channels = typeOf(op->getResult(0)).getDimSize(1);
  int64_t weights = 0;
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp<nn::ConstantOp>())
      weights = std::max(weights, typeOf(operand).getNumElements());
  int64_t inputs = typeOf(windowInput(op)).getDimSize(1);
  double terms = double(weights) / double(channels);
  bool isDepthwise = unit.depthwiseChannels > 0 && inputs == channels &&
                     terms <= double(unit.depthwiseTaps);
  return isDepthwise ? 1 / double(unit.depthwiseChannels)
                     : terms / double(unit.rows * unit.columns);
}

static int64_t bytesOf(Value value, int64_t elements) {
  auto element = elementTypeOf(value.getType());
  return element ? elements * machine::elementBytes(*element) : 0;
}

namespace {
class WindowJoiner {
public:
  WindowJoiner(Scheduler &s, const DenseSet<Value> &away) : s(s), away(away) {
    for (const machine::Engine &engine : s.machine.engines)
      if (engine.kind == machine::EngineKind::Matrix)
        unit = &engine.matrix;
  }

  /// The chain that begins with `op`; one node if nothing joins it.
  Result<std::vector<PiecewiseNode>> chainFrom(Operation *op);

private:
  Operation *readerOf(Operation *op) const;
  bool pays(ArrayRef<PiecewiseNode> chain) const;

  Scheduler &s;
  const DenseSet<Value> &away;
  const machine::MatrixUnit *unit = nullptr;
};
} // namespace

/// The convolution that alone reads the result, as its input.
Operation *WindowJoiner::readerOf(Operation *op) const {
  Value result = op->getResult(0);
  if (!away.contains(result) || !result.hasOneUse())
    return nullptr;
  Operation *reader = *result.getUsers().begin();
  return windowInput(reader) == result ? reader : nullptr;
}

/// Whether the chain saves more cycles than it costs.
bool WindowJoiner::pays(ArrayRef<PiecewiseNode> chain) const {
  Value last = chain.back().result();
  auto shape = typeOf(last).getShape();
  auto bytes = [&](const Piece &piece) {
    int64_t sum = 0;
    for (const auto &[value, part] : footprintOf(chain, piece))
      sum += bytesOf(value, countOf(part));
    return sum;
  };
  auto sizes = pieceSizes(shape, {0, 2}, s.choices.bandBytes, bytes);
  if (bytes(wholeOf(sizes)) > s.choices.bandBytes)
    return false;
  llvm::DenseMap<Value, int64_t> touched;
  (void)forPieces(shape, sizes, {0, 2}, [&](const Piece &piece) {
    for (const auto &[value, part] : footprintOf(chain, piece))
      touched[value] += countOf(part);
    return Status::success();
  });
  auto again = [&](Value value) {
    return double(touched[value] - typeOf(value).getNumElements());
  };
  auto rate = double(s.machine.global.bytesPerCycle);
  Value first = windowInput(chain.front().op);
  double cost = bytesOf(first, 1) * again(first) / rate, saved = 0;
  for (const PiecewiseNode &node : chain.drop_back()) {
    Value value = node.result();
    cost += again(value) * cyclesPerElement(*unit, node.op);
    saved += 2 * double(bytesOf(value, typeOf(value).getNumElements())) / rate;
  }
  return saved > cost;
}

Result<std::vector<PiecewiseNode>> WindowJoiner::chainFrom(Operation *op) {
  std::vector<PiecewiseNode> chain;
  int64_t weights = weightBytes(op);
  for (Operation *next = readerOf(op); unit && next; next = readerOf(next)) {
    weights += weightBytes(next);
    if (weights > s.choices.weightBytes)
      break;
    for (Operation *member : {op, next}) {
      if (member == op && !chain.empty())
        continue;
      auto node = windowNode(s, member);
      if (!node)
        return node.takeError();
      chain.push_back(std::move(*node));
    }
    if (!pays(chain)) {
      chain.pop_back();
      break;
    }
  }
  return chain;
}

Result<bool> Arrangement::joinWindows(Scheduler &s, func::FuncOp function,
                                      const DenseSet<Value> &away) {
  WindowJoiner joiner(s, away);
  DenseSet<Operation *> taken;
  for (Operation &op : function.getBody().front()) {
    if (!windowInput(&op) || taken.contains(&op))
      continue;
    auto chain = joiner.chainFrom(&op);
    if (!chain)
      return chain.takeError();
    if (chain->size() < 2)
      continue;
    for (const PiecewiseNode &node : *chain)
      taken.insert(node.op);
    for (const PiecewiseNode &node : ArrayRef(*chain).drop_back())
      moved.insert(node.op);
    Operation *last = chain->back().op;
    chains.insert({last, std::move(*chain)});
  }
  findPlaces(function.getBody().front());
  return !taken.empty();
}
