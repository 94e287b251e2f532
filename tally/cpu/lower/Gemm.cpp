//===- Gemm.cpp - alpha * A' * B' + beta * C on the CPU -------------------===//

#include "tally/cpu/FloatMath.h"
#include "tally/cpu/kernels/FloatProduct.h"
#include "tally/cpu/lower/DotOperands.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/QuantizedProduct.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {
struct GemmSizes {
  GemmSizes(nn::GemmOp op, KernelBuilder &k)
      : a(k.operandInfo(0)), b(k.operandInfo(1)), result(k.resultInfo()),
        transA(op.getTransA()), transB(op.getTransB()),
        alpha(op.getAlpha().convertToFloat()),
        beta(op.getBeta().convertToFloat()), rows(result.shape[0]),
        columns(result.shape[1]), terms(a.shape[transA ? 0 : 1]) {}

  /// Flat element of A' at (row, term) and of B' at (term, column).
  Value elementA(KernelBuilder &k, Value row, Value term) const {
    return transA ? k.addIndex(k.mulIndex(term, rows), row)
                  : k.addIndex(k.mulIndex(row, terms), term);
  }
  Value elementB(KernelBuilder &k, Value term, Value column) const {
    return transB ? k.addIndex(k.mulIndex(column, terms), term)
                  : k.addIndex(k.mulIndex(term, columns), column);
  }
  Value resultElement(KernelBuilder &k, Value row, Value column) const {
    return k.addIndex(k.mulIndex(row, columns), column);
  }
  int64_t constantB(int64_t term, int64_t column) const {
    return transB ? column * terms + term : term * columns + column;
  }

  eval::Tensor a, b, result;
  bool transA, transB;
  float alpha, beta;
  int64_t rows, columns, terms;
};
} // namespace

/// Flat element of C that broadcasting pairs with (row, column).
static Value elementC(KernelBuilder &k, const eval::Shape &shape, Value row,
                      Value column) {
  int64_t columns = shape.empty() ? 1 : shape.back();
  int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  Value base = rows == 1 ? k.index(0) : k.mulIndex(row, columns);
  return columns == 1 ? base : k.addIndex(base, column);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The bias as one element per column; C that varies by row has no record.
static Status columnBias(KernelBuilder &k, const GemmSizes &s,
                         std::vector<BiasParts> &parts) {
  parts.resize(s.columns);
  if (!k.hasOperand(2))
    return Status::success();
  auto c = k.constantOperand(2);
  if (!c)
    return k.unsupported("a run-time C on codes");
  if (c->rank() >= 2 && c->shape[c->rank() - 2] != 1)
    return k.unsupported("a C that differs by row on codes");
  if (Status status = checkFinite(k, *c, "a C"); !status)
    return status;
  if (!std::isfinite(s.beta))
    return k.unsupported("a beta that is not finite");
  bool isVector = c->rank() >= 1 && c->shape.back() != 1;
  // Under beta nothing is in accumulator units.
  float unitA = s.beta == 1 ? s.alpha * s.a.quant->scale() : 0;
  for (int64_t n = 0; n < s.columns; ++n) {
    int64_t element = isVector ? n : 0;
    int64_t channel = c->isQuantized() && !c->quant->perTensor()
                          ? eval::AxisIndex(c->shape, c->quant->axis)(element)
                          : 0;
    parts[n] = biasParts(*c, element, channel, unitA, s.b.quant->scale(n));
    parts[n].real = parts[n].real * tally::quant::Dyadic::of(s.beta);
  }
  return Status::success();
}

namespace {
/// The columns of B' as a panel of steps, and the intervals of their sums.
struct ColumnPanel {
  std::optional<ConstantPanel> constant; ///< none when filled at run time
  std::vector<Interval> sums;
};
} // namespace

/// panel[line][term] = code - zero point of the line.
static void fillPanel(KernelBuilder &k, const eval::Tensor &tensor,
                      Value memref, ArrayRef<int64_t> shape, Value panel,
                      eval::Element element,
                      llvm::function_ref<Value(Value line, Value term)> place) {
  const eval::Quantization &grid = *tensor.quant;
  std::vector<int32_t> zeros(grid.zeroPoints.begin(), grid.zeroPoints.end());
  Value table = k.constant<int32_t>(zeros);
  k.loops(shape, [&](ValueRange at) {
    Value zero = k.load(table, grid.perTensor() ? k.index(0) : at[0]);
    Value code =
        k.widen(k.load(memref, place(at[0], at[1])), tensor.element, k.i32());
    Value step = arith::SubIOp::create(k.b, code, zero);
    k.store(k.narrow(step, element), panel, at);
  });
}

static ColumnPanel columnPanel(KernelBuilder &k, const GemmSizes &s,
                               Interval steps) {
  auto weight = k.constantOperand(1);
  if (!weight)
    return {{},
            std::vector<Interval>(
                s.columns, productSum(steps, allSteps(*s.b.quant), s.terms))};
  ConstantPanel constant =
      constantPanel(k, s.columns, s.terms, steps, [&](int64_t n, int64_t i) {
        return eval::loadInt(*weight, s.constantB(i, n)) -
               weight->quant->zeroPoint(n);
      });
  if (hasOtherReaders(k))
    constant = constant.termMajor();
  return {constant, constant.sums};
}

/// The columns as an operand of emitIntegerProduct.
static IntegerPanel panelOf(KernelBuilder &k, const GemmSizes &s,
                            const ColumnPanel &columns) {
  if (columns.constant)
    return columns.constant->in(k);
  eval::Element element = panelElement(allSteps(*s.b.quant));
  Value panel = k.scratch({s.columns, s.terms}, k.storage(element));
  fillPanel(
      k, s.b, k.flat(k.operand(1)), {s.columns, s.terms}, panel, element,
      [&](Value column, Value term) { return s.elementB(k, term, column); });
  return {panel, element, {}};
}

/// One record per column, or per row when A's grid is per row.
static Result<std::vector<ChannelRecord>>
gemmRecords(KernelBuilder &k, const GemmSizes &s, bool perRow,
            ArrayRef<BiasParts> bias, ArrayRef<Interval> sums) {
  Interval all;
  for (Interval sum : sums)
    all = {std::min(all.lo, sum.lo), std::max(all.hi, sum.hi)};
  auto problem = [&](int64_t c) {
    ChannelProblem channel;
    channel.scaleA = s.a.quant->scale(c);
    channel.scaleB = s.b.quant->scale(c);
    channel.factor = s.alpha;
    channel.offset = perRow ? tally::quant::Dyadic() : bias[c].real;
    channel.accumulator = perRow ? all : sums[c] + bias[c].units;
    return channel;
  };
  return channelRecords(k, perRow ? s.rows : s.columns, problem,
                        *s.result.quant);
}

static Status lowerCodes(KernelBuilder &k, const GemmSizes &s) {
  bool perRow = !s.a.quant->perTensor();
  if (perRow && (k.hasOperand(2) || !s.b.quant->perTensor()))
    return k.unsupported("an A with a grid per row beside a C or a B with one "
                         "per column");
  std::vector<BiasParts> bias;
  if (Status status = columnBias(k, s, bias); !status)
    return status;
  Interval steps = allSteps(*s.a.quant);
  ColumnPanel columns = columnPanel(k, s, steps);
  auto records = gemmRecords(k, s, perRow, bias, columns.sums);
  if (!records)
    return records.takeError();
  std::vector<int64_t> addends;
  std::vector<Interval> bounds = columns.sums;
  for (int64_t n = 0; n < s.columns; ++n) {
    addends.push_back(bias[n].units);
    bounds.push_back(columns.sums[n] + bias[n].units);
  }
  auto wide = needsWide(k, bounds);
  if (!wide)
    return wide.takeError();

  using Lanes = RequantizeTables::Lanes;
  RequantizeTables requantize(k, *records,
                              perRow ? Lanes::OneChannel : Lanes::Channels);
  auto codes = [&](Value row, Value column, Value sum) {
    return requantize.codes(sum, perRow ? row : column, s.result.element);
  };
  auto elementA = [&](Value row, Value term) {
    return s.elementA(k, row, term);
  };
  bool isPacked = columns.constant && allPackAlike(k);
  if (isPacked && canUseDots(k, s.a, *columns.constant, *wide)) {
    LeftCodes left = {{}, s.transA ? 1 : s.terms, s.transA ? s.rows : 1};
    emitDotMatrix(k, s.rows, *columns.constant, addends, left,
                  [&](Value row, Value column, int64_t count, Value sums) {
                    k.storeLanes(codes(row, column, sums),
                                 s.resultElement(k, row, column), count,
                                 s.columns);
                  });
    return Status::success();
  }
  eval::Element element = panelElement(steps);
  Value panel = k.scratch({s.rows, s.terms}, k.storage(element));
  fillPanel(k, s.a, k.flat(k.operand(0)), {s.rows, s.terms}, panel, element,
            elementA);
  Value addend = k.constant<int64_t>(addends);
  emitIntegerProduct(
      k, {s.rows, s.columns, s.terms}, {panel, element, {}},
      panelOf(k, s, columns), *wide, [&](Value row, Value column, Value sum) {
        Value units = k.load(addend, column);
        if (!*wide)
          units = arith::TruncIOp::create(k.b, k.i32(), units);
        sum = arith::AddIOp::create(k.b, sum, units);
        k.storeResult(codes(row, column, sum), s.resultElement(k, row, column));
      });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static Value floatPanel(KernelBuilder &k, const GemmSizes &s) {
  FloatPanel panel{s.terms, s.columns};
  Value memory = constantColumns(k, panel, [&](int64_t term, int64_t column) {
    return s.constantB(term, column);
  });
  if (memory)
    return memory;
  memory = panel.scratch(k);
  panel.fill(k, memory, k.flat(k.operand(1)), k.index(0),
             s.transB ? 1 : s.columns, s.transB ? s.terms : 1);
  return memory;
}

/// What of C broadcasting pairs with the elements of a row from `column` on,
/// in as many lanes as `sums` has.
static Value addends(KernelBuilder &k, Value c, Value row, Value column,
                     Value sums) {
  eval::Shape shape = k.operandInfo(2).shape;
  Value element = elementC(k, shape, row, column);
  bool isAlong = !shape.empty() && shape.back() != 1;
  return isAlong ? k.loadLanes(c, element, lanesOf(sums))
                 : spreadLike(k, sums, k.load(c, element));
}

static Status lowerFloats(KernelBuilder &k, const GemmSizes &s) {
  if (s.a.element != eval::Element::F32)
    return k.unsupported(std::string(eval::name(s.a.element)) + " operands");
  Value a = k.flat(k.operand(0));
  Value c = k.hasOperand(2) ? k.flat(k.operand(2)) : Value();
  Value panel = floatPanel(k, s);
  FloatMath math(k, kFloatLanes);
  auto finish = [&](Value row, Value column, int64_t count, Value sums) {
    if (s.alpha != 1)
      sums = math.mul(sums, math.f32(s.alpha));
    if (c) {
      Value addend;
      k.usingLanes(count, [&] { addend = addends(k, c, row, column, sums); });
      if (s.beta != 1)
        addend = math.mul(addend, math.f32(s.beta));
      sums = math.add(sums, addend);
    }
    k.storeLanes(sums, s.resultElement(k, row, column), count, s.columns);
  };
  emitFloatProduct(
      k, {s.rows, s.columns, s.terms},
      [&](Value row, Value term) {
        return k.load(a, s.elementA(k, row, term));
      },
      panel, finish);
  return Status::success();
}

namespace {
struct GemmLowering : CpuLowering::ExternalModel<GemmLowering, nn::GemmOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    GemmSizes sizes(cast<nn::GemmOp>(op), k);
    return sizes.a.isQuantized() ? lowerCodes(k, sizes) : lowerFloats(k, sizes);
  }

  bool takesEpilogue(Operation *) const { return true; }
};
} // namespace

void tally::cpu::registerGemmLowering(MLIRContext &context) {
  nn::GemmOp::attachInterface<GemmLowering>(context);
}
