//===- RecurrentCells.cpp - one step of LSTM, GRU and RNN -----------------===//
//
// Equations: ONNX standard, operators LSTM, GRU and RNN. Products marked · are
// matrix products, others elementwise. Where the standard leaves room:
//
//   * clip bounds what the gates' functions take, not what LSTM's h takes of C;
//   * input_forget makes LSTM's forget gate 1 - i.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/RecurrentCells.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// The codes and their grid are those of ONNX's DynamicQuantizeLinear.
static Value dynamicProduct(Terms &terms, Value rows,
                            const RecurrentWeights &weights) {
  Value codes = terms.make<DynamicQuantizeLinearOp>(rows);
  if (!codes)
    return {};
  Value scale = codes.getDefiningOp()->getResult(1);
  Value zero = codes.getDefiningOp()->getResult(2);
  Value sums =
      terms.make<MatMulIntegerOp>(codes, weights.matrix, zero, weights.zero);
  return terms.mul(terms.cast(sums, elementType(rows)),
                   terms.mul(scale, weights.scale));
}

Value RecurrentWeights::product(Terms &terms, Value rows, Value addend) const {
  if (!scale)
    return terms.product(rows, matrix, addend);
  Value product = dynamicProduct(terms, rows, *this);
  return addend ? terms.add(product, addend) : product;
}

Value RecurrentCell::inputBias(Terms &terms) const {
  if (!parameters.inputBias)
    return {};
  return terms.add(parameters.inputBias, parameters.hiddenBias);
}

Value RecurrentCell::gate(Terms &terms, size_t i, Value value) const {
  if (parameters.clip) {
    OpBuilder &builder = terms.node.builder;
    value =
        terms.make<ClipOp>(value, builder.getF32FloatAttr(-*parameters.clip),
                           builder.getF32FloatAttr(*parameters.clip));
  }
  return parameters.functions[i](terms, value);
}

Value RecurrentCell::gates(Terms &terms, Value value, int64_t axis,
                           int64_t first, int64_t count) const {
  int64_t hidden = parameters.sizes.hidden;
  return terms.slice(value, axis, first * hidden, count * hidden);
}

Value RecurrentCell::complement(Terms &terms, Value value) const {
  return terms.sub(terms.filled(1, {}, parameters.element), value);
}

//===----------------------------------------------------------------------===//
// RNN
//===----------------------------------------------------------------------===//

namespace {
/// H' = f(X·Wᵀ + H·Rᵀ + Wb + Rb)
class RnnCell : public RecurrentCell {
public:
  using RecurrentCell::RecurrentCell;

  CellState step(Terms &terms, Value input,
                 const CellState &old) const override {
    Value sum = parameters.hiddenWeights.product(terms, old.hidden, input);
    return {gate(terms, 0, sum), {}};
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// GRU
//===----------------------------------------------------------------------===//

namespace {
/// Gates z, r, h:
///   z = f(X·Wzᵀ + H·Rzᵀ + Wbz + Rbz),  r likewise
///   n = g(X·Whᵀ + (r H)·Rhᵀ + Rbh + Wbh), or with linear_before_reset
///   n = g(X·Whᵀ + r (H·Rhᵀ + Rbh) + Wbh)
///   H' = (1 - z) n + z H
class GruCell : public RecurrentCell {
public:
  GruCell(CellParameters parameters, bool resetsProduct)
      : RecurrentCell(std::move(parameters)), resetsProduct(resetsProduct) {}

  Value inputBias(Terms &terms) const override;
  CellState step(Terms &terms, Value input,
                 const CellState &old) const override;

private:
  Value candidate(Terms &terms, Value input, Value hidden, Value reset) const;

  bool resetsProduct; ///< linear_before_reset
};
} // namespace

/// With linear_before_reset Rbh is inside what r scales.
Value GruCell::inputBias(Terms &terms) const {
  if (!parameters.inputBias || !resetsProduct)
    return RecurrentCell::inputBias(terms);
  Value both = terms.add(gates(terms, parameters.inputBias, 0, 0, 2),
                         gates(terms, parameters.hiddenBias, 0, 0, 2));
  return terms.concat({both, gates(terms, parameters.inputBias, 0, 2, 1)}, 0);
}

Value GruCell::candidate(Terms &terms, Value input, Value hidden,
                         Value reset) const {
  Value weights = gates(terms, parameters.hiddenWeights.matrix, 0, 2, 1);
  if (!resetsProduct)
    return terms.product(terms.mul(reset, hidden), weights, input);
  Value bias = parameters.hiddenBias
                   ? gates(terms, parameters.hiddenBias, 0, 2, 1)
                   : Value();
  Value sum = terms.product(hidden, weights, bias);
  return terms.add(input, terms.mul(reset, sum));
}

CellState GruCell::step(Terms &terms, Value input, const CellState &old) const {
  Value weights = gates(terms, parameters.hiddenWeights.matrix, 0, 0, 2);
  Value sums = terms.product(old.hidden, weights, gates(terms, input, 1, 0, 2));
  Value both = gate(terms, 0, sums);
  Value update = gates(terms, both, 1, 0, 1),
        reset = gates(terms, both, 1, 1, 1);
  Value fresh =
      gate(terms, 1,
           candidate(terms, gates(terms, input, 1, 2, 1), old.hidden, reset));
  return {terms.add(terms.mul(complement(terms, update), fresh),
                    terms.mul(update, old.hidden)),
          {}};
}

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

namespace {
/// Gates i, o, f, c; peepholes Pi, Po, Pf:
///   i = f(X·Wiᵀ + H·Riᵀ + Wbi + Rbi + Pi C),  f likewise (or 1 - i)
///   n = g(X·Wcᵀ + H·Rcᵀ + Wbc + Rbc)
///   C' = f C + i n
///   o = f(X·Woᵀ + H·Roᵀ + Wbo + Rbo + Po C')
///   H' = o h(C')
class LstmCell : public RecurrentCell {
public:
  LstmCell(CellParameters parameters, bool couplesForget)
      : RecurrentCell(std::move(parameters)), couplesForget(couplesForget) {}

  CellState step(Terms &terms, Value input,
                 const CellState &old) const override;

private:
  struct Gates {
    Value input, output, forget; ///< output null: wants the new C first
  };
  Gates gatesOf(Terms &terms, Value sums, Value cell) const;
  Value peeped(Terms &terms, Value sums, int64_t i, Value cell) const;

  bool couplesForget; ///< input_forget
};
} // namespace

/// Sum `i` of the gates, plus its peephole at `cell`.
Value LstmCell::peeped(Terms &terms, Value sums, int64_t i, Value cell) const {
  Value sum = gates(terms, sums, 1, i, 1);
  if (!parameters.peepholes)
    return sum;
  Value weights = gates(terms, parameters.peepholes, 0, i, 1);
  return terms.add(sum, terms.mul(weights, cell));
}

/// Without peepholes the three gates of one function are one operation.
LstmCell::Gates LstmCell::gatesOf(Terms &terms, Value sums, Value cell) const {
  Gates result;
  if (parameters.peepholes) {
    result.input = gate(terms, 0, peeped(terms, sums, 0, cell));
    if (!couplesForget)
      result.forget = gate(terms, 0, peeped(terms, sums, 2, cell));
  } else {
    Value all = gate(terms, 0, gates(terms, sums, 1, 0, couplesForget ? 2 : 3));
    result.input = gates(terms, all, 1, 0, 1);
    result.output = gates(terms, all, 1, 1, 1);
    if (!couplesForget)
      result.forget = gates(terms, all, 1, 2, 1);
  }
  if (couplesForget)
    result.forget = complement(terms, result.input);
  return result;
}

CellState LstmCell::step(Terms &terms, Value input,
                         const CellState &old) const {
  Value sums = parameters.hiddenWeights.product(terms, old.hidden, input);
  Gates now = gatesOf(terms, sums, old.cell);
  Value fresh = gate(terms, 1, gates(terms, sums, 1, 3, 1));
  Value cell =
      terms.add(terms.mul(now.forget, old.cell), terms.mul(now.input, fresh));
  if (!now.output)
    now.output = gate(terms, 0, peeped(terms, sums, 1, cell));
  return {terms.mul(now.output, parameters.functions[2](terms, cell)), cell};
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

using CellPointer = std::unique_ptr<RecurrentCell>;

static CellPointer makeRnn(NodeImport &, CellParameters parameters) {
  return std::make_unique<RnnCell>(std::move(parameters));
}

static CellPointer makeGru(NodeImport &node, CellParameters parameters) {
  bool resetsProduct = node.intAttr("linear_before_reset", 0) != 0;
  return std::make_unique<GruCell>(std::move(parameters), resetsProduct);
}

static CellPointer makeLstm(NodeImport &node, CellParameters parameters) {
  bool couplesForget = node.intAttr("input_forget", 0) != 0;
  return std::make_unique<LstmCell>(std::move(parameters), couplesForget);
}

static constexpr const char *kRnnFunctions[] = {"Tanh"};
static constexpr const char *kGruFunctions[] = {"Sigmoid", "Tanh"};
static constexpr const char *kLstmFunctions[] = {"Sigmoid", "Tanh", "Tanh"};

const RecurrentKind &tally::nn::rnnKind() {
  static const RecurrentKind kind = {{1, false, false}, kRnnFunctions, makeRnn};
  return kind;
}

const RecurrentKind &tally::nn::gruKind() {
  static const RecurrentKind kind = {{3, false, false}, kGruFunctions, makeGru};
  return kind;
}

const RecurrentKind &tally::nn::lstmKind() {
  static const RecurrentKind kind = {
      {4, true, false}, kLstmFunctions, makeLstm};
  return kind;
}

const RecurrentKind &tally::nn::dynamicLstmKind() {
  static const RecurrentKind kind = {{4, true, true}, kLstmFunctions, makeLstm};
  return kind;
}
