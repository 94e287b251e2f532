//===- Recurrence.cpp - import of LSTM, GRU and RNN -----------------------===//
//
// The steps are unrolled: X·Wᵀ of all steps is one product, then each step is
// a handful of operations on what the step before gave. Example, an RNN of two
// steps:
//   XW = X·Wᵀ + (Wb + Rb)
//   h@0 = tanh(h0·Rᵀ + XW[0]),  h@1 = tanh(h@0·Rᵀ + XW[1])
//   Y = [h@0, h@1],  Y_h = h@1
//
// A sequence that is shorter than T keeps its state in the steps behind its
// end, and Y is 0 there. The reverse direction walks the steps from the last to
// the first, so what is behind the end comes before the sequence begins, when
// the state is still the initial one; no sequence has to be turned around.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/RecurrentCells.h"
#include "tally/graph/import/Subgraph.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

namespace {
class Recurrence {
public:
  Recurrence(NodeImport &node, const RecurrentKind &kind,
             RecurrentOperands operands, std::vector<Activation> functions)
      : node(node), kind(kind), operands(std::move(operands)),
        sizes(this->operands.sizes), functions(std::move(functions)),
        terms(node) {}

  Status run();

private:
  Value ofDirection(RecurrentOperand operand, int64_t d);
  Value initialState(RecurrentOperand operand, int64_t d);
  RecurrentWeights weightsOf(RecurrentOperand matrix, RecurrentOperand scale,
                             RecurrentOperand zero, int64_t d);
  std::unique_ptr<RecurrentCell> cellOf(int64_t d);
  Value inputProducts(const RecurrentCell &cell, int64_t d);
  Value runtimeMasks();
  Value maskOf(int64_t step);
  bool isBehindAllEnds(int64_t step) const;
  void runDirection(int64_t d);
  void runStep(const RecurrentCell &cell, Value products, int64_t d,
               int64_t step, CellState &state);
  Status bindSequence();
  Status bindFinal(size_t output, Value CellState::*part);

  NodeImport &node;
  const RecurrentKind &kind;
  RecurrentOperands operands;
  const RecurrentSizes &sizes;
  std::vector<Activation> functions;
  Terms terms;
  Value rows;                    ///< X as [T*N, I]
  Value masks;                   ///< lengths at run time: [T, N, 1]
  Value zeros;                   ///< [N, H]
  std::vector<Value> sequence;   ///< H by step, then direction
  std::vector<CellState> finals; ///< by direction
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands of one direction
//===----------------------------------------------------------------------===//

/// The part of an operand [D, rest..], without its first dimension.
Value Recurrence::ofDirection(RecurrentOperand operand, int64_t d) {
  Value value = node.operand(operand);
  if (!value)
    return {};
  return terms.reshape(terms.slice(value, 0, d, 1),
                       shapeOf(value).drop_front());
}

Value Recurrence::initialState(RecurrentOperand operand, int64_t d) {
  Value value = node.operand(operand);
  if (!value)
    return zeros;
  return terms.reshape(terms.slice(value, operands.isBatchFirst ? 1 : 0, d, 1),
                       {sizes.batch, sizes.hidden});
}

RecurrentWeights Recurrence::weightsOf(RecurrentOperand matrix,
                                       RecurrentOperand scale,
                                       RecurrentOperand zero, int64_t d) {
  RecurrentWeights weights = {ofDirection(matrix, d), {}, {}};
  if (!kind.form.hasCodes)
    return weights;
  auto row = [&](RecurrentOperand operand) {
    Value value = terms.slice(node.operand(operand), 0, d, 1);
    if (!value)
      return value;
    return terms.reshape(value, {tensorType(value).getNumElements()});
  };
  weights.scale = row(scale);
  weights.zero = row(zero);
  return weights;
}

std::unique_ptr<RecurrentCell> Recurrence::cellOf(int64_t d) {
  CellParameters parameters;
  parameters.sizes = sizes;
  parameters.element = operands.element;
  parameters.hiddenWeights =
      weightsOf(kHiddenWeights, kHiddenScale, kHiddenZero, d);
  int64_t gates = sizes.gates * sizes.hidden;
  if (Value biases = ofDirection(kBiases, d)) {
    parameters.inputBias = terms.slice(biases, 0, 0, gates);
    parameters.hiddenBias = terms.slice(biases, 0, gates, gates);
  }
  if (kind.form.hasCell)
    parameters.peepholes = ofDirection(kPeepholes, d);
  parameters.clip = operands.clip;
  auto first = functions.begin() + d * kind.functions.size();
  parameters.functions.assign(first, first + kind.functions.size());
  return kind.makeCell(node, std::move(parameters));
}

/// X·Wᵀ plus bias, of all steps: [T*N, G*H].
Value Recurrence::inputProducts(const RecurrentCell &cell, int64_t d) {
  return weightsOf(kInputWeights, kInputScale, kInputZero, d)
      .product(terms, rows, cell.inputBias(terms));
}

//===----------------------------------------------------------------------===//
// Lengths
//===----------------------------------------------------------------------===//

/// [T, N, 1]: whether a step is inside a sequence, by lengths that only the run
/// knows.
Value Recurrence::runtimeMasks() {
  eval::Tensor steps;
  steps.element = eval::Element::I32;
  steps.shape = {sizes.steps, 1};
  steps.allocate();
  for (int64_t t = 0; t < sizes.steps; ++t)
    eval::storeInt(steps, t, t);
  Value numbers = node.makeConstant(steps, node.builder.getI32Type());
  Value inside = terms.make<LessOp>(numbers, operands.lengths);
  return terms.reshape(inside, {sizes.steps, sizes.batch, 1});
}

/// [N, 1]: the sequences that a step is inside of.
Value Recurrence::maskOf(int64_t step) {
  if (masks)
    return terms.reshape(terms.slice(masks, 0, step, 1), {sizes.batch, 1});
  eval::Tensor inside;
  inside.element = eval::Element::Bool;
  inside.shape = {sizes.batch, 1};
  inside.allocate();
  for (int64_t n = 0; n < sizes.batch; ++n)
    eval::storeInt(inside, n, step < (*operands.knownLengths)[n]);
  return node.makeConstant(inside, node.builder.getI1Type());
}

bool Recurrence::isBehindAllEnds(int64_t step) const {
  return operands.knownLengths &&
         llvm::all_of(*operands.knownLengths,
                      [&](int64_t length) { return step >= length; });
}

static bool isInsideAll(const RecurrentOperands &operands, int64_t step) {
  if (!operands.lengths)
    return true;
  return operands.knownLengths &&
         llvm::all_of(*operands.knownLengths,
                      [&](int64_t length) { return step < length; });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Recurrence::runStep(const RecurrentCell &cell, Value products, int64_t d,
                         int64_t step, CellState &state) {
  Value &shown = sequence[step * sizes.directions + d];
  if (isBehindAllEnds(step)) {
    shown = zeros;
    return;
  }
  Value input = terms.slice(products, 0, step * sizes.batch, sizes.batch);
  CellState next = cell.step(terms, input, state);
  shown = next.hidden;
  if (!isInsideAll(operands, step)) {
    Value mask = maskOf(step);
    shown = terms.select(mask, next.hidden, zeros);
    next.hidden = terms.select(mask, next.hidden, state.hidden);
    if (kind.form.hasCell)
      next.cell = terms.select(mask, next.cell, state.cell);
  }
  state = next;
}

void Recurrence::runDirection(int64_t d) {
  bool isReversed = operands.isReversed || d == 1;
  node.loc = node.stepLocation(isReversed ? "reverse" : "forward");
  std::unique_ptr<RecurrentCell> cell = cellOf(d);
  Value products = inputProducts(*cell, d);
  CellState state = {initialState(kInitialHidden, d), {}};
  if (kind.form.hasCell)
    state.cell = initialState(kInitialCell, d);
  for (int64_t i = 0; i < sizes.steps; ++i) {
    int64_t step = isReversed ? sizes.steps - 1 - i : i;
    node.loc = node.stepLocation((isReversed ? "reverse." : "") +
                                 std::to_string(step));
    runStep(*cell, products, d, step, state);
  }
  finals.push_back(state);
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Y [T, D, N, H], or [N, T, D, H] with layout 1.
Status Recurrence::bindSequence() {
  if (!node.node.hasOutput(0))
    return Status::success();
  node.loc = node.outputLocation(0);
  Value whole =
      terms.reshape(terms.concat(sequence, 0),
                    {sizes.steps, sizes.directions, sizes.batch, sizes.hidden});
  if (operands.isBatchFirst)
    whole = terms.transpose(whole, {2, 0, 1, 3});
  if (Status status = terms.status(); !status)
    return status;
  return node.bind(0, whole);
}

/// Y_h or Y_c: [D, N, H], or [N, D, H] with layout 1.
Status Recurrence::bindFinal(size_t output, Value CellState::*part) {
  if (!node.node.hasOutput(output))
    return Status::success();
  node.loc = node.outputLocation(output);
  SmallVector<Value> parts;
  for (const CellState &state : finals)
    parts.push_back(state.*part);
  Value whole = terms.reshape(terms.concat(parts, 0),
                              {sizes.directions, sizes.batch, sizes.hidden});
  if (operands.isBatchFirst)
    whole = terms.transpose(whole, {1, 0, 2});
  if (Status status = terms.status(); !status)
    return status;
  return node.bind(output, whole);
}

Status Recurrence::run() {
  node.loc = node.stepLocation("");
  zeros = terms.filled(0, {sizes.batch, sizes.hidden}, operands.element);
  Value steps = operands.isBatchFirst
                    ? terms.transpose(operands.input, {1, 0, 2})
                    : operands.input;
  rows = terms.reshape(steps, {sizes.steps * sizes.batch, sizes.inputs});
  if (operands.lengths && !operands.knownLengths)
    masks = runtimeMasks();
  sequence.resize(sizes.steps * sizes.directions);
  for (int64_t d = 0; d < sizes.directions; ++d)
    runDirection(d);
  if (Status status = terms.status(); !status)
    return status;
  if (Status status = bindSequence(); !status)
    return status;
  if (Status status = bindFinal(1, &CellState::hidden); !status)
    return status;
  return kind.form.hasCell ? bindFinal(2, &CellState::cell) : Status::success();
}

static constexpr int64_t kNodesPerStep = 16;

static Status importRecurrent(NodeImport &node, const RecurrentKind &kind) {
  auto operands = RecurrentOperands::read(node, kind.form);
  if (!operands)
    return operands.takeError();
  const RecurrentSizes &sizes = operands->sizes;
  auto functions = activationsOf(node, kind.functions, sizes.directions);
  if (!functions)
    return functions.takeError();
  if (Status status =
          chargeUnrolled(node, sizes.steps * sizes.directions * kNodesPerStep);
      !status)
    return status;
  return Recurrence(node, kind, std::move(*operands), std::move(*functions))
      .run();
}

static Status lstm(NodeImport &node) {
  return importRecurrent(node, lstmKind());
}

static Status dynamicLstm(NodeImport &node) {
  return importRecurrent(node, dynamicLstmKind());
}

static Status gru(NodeImport &node) { return importRecurrent(node, gruKind()); }

static Status rnn(NodeImport &node) { return importRecurrent(node, rnnKind()); }

llvm::ArrayRef<ImportRow> tally::nn::recurrentRows() {
  static const ImportRow rows[] = {
      {"", "GRU", 1, gru, 3},
      {"", "LSTM", 1, lstm, 3},
      {"", "RNN", 1, rnn, 3},
      {"com.microsoft", "DynamicQuantizeLSTM", 1, dynamicLstm, 3},
  };
  return rows;
}
