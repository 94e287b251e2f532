//===- MatMul.cpp - matrix products of the last two dimensions ------------===//
//
// Batches broadcast; when all products share one right matrix and the left one
// is not transposed, they are one product with more rows. Integers: both
// matrices become panels of steps (code - zero point) with k innermost; a
// constant right matrix that all products share is packed at compile time.
// Floats: the right matrix becomes a panel (kernels/FloatProduct.h). A
// transposed operand is read along the other stride when its panel is filled.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/FloatProduct.h"
#include "tally/cpu/lower/DotOperands.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/QuantizedProduct.h"
#include "tally/cpu/lower/RuntimeColumns.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {
struct MatMulSizes {
  MatMulSizes(KernelBuilder &k, bool transA, bool transB)
      : a(k.operandInfo(0)), b(k.operandInfo(1)), result(k.resultInfo()),
        rows(result.shape[result.rank() - 2]),
        terms(a.shape[a.rank() - (transA ? 2 : 1)]),
        columns(result.shape[result.rank() - 1]), transA(transA),
        transB(transB) {
    int64_t products = eval::elementCount(batchOf(a));
    isShared = eval::elementCount(batchOf(b)) == 1;
    isOne = isShared && (products == 1 || !transA);
    if (isOne)
      rows *= products;
    else
      batch = batchOf(result);
  }

  /// Distances in flat elements within one matrix.
  int64_t rowStrideA() const { return transA ? 1 : terms; }
  int64_t termStrideA() const { return transA ? rows : 1; }
  int64_t termStrideB() const { return transB ? 1 : columns; }
  int64_t columnStrideB() const { return transB ? terms : 1; }
  /// Flat elements, counted from the start of a matrix.
  Value elementA(KernelBuilder &k, Value row, Value term) const {
    return k.addIndex(k.mulIndex(row, rowStrideA()),
                      k.mulIndex(term, termStrideA()));
  }
  Value elementB(KernelBuilder &k, Value term, Value column) const {
    return k.addIndex(k.mulIndex(term, termStrideB()),
                      k.mulIndex(column, columnStrideB()));
  }

  static eval::Shape batchOf(const eval::Tensor &tensor) {
    return eval::Shape(tensor.shape.begin(), tensor.shape.end() - 2);
  }

  eval::Tensor a, b, result;
  int64_t rows, terms, columns; ///< of one product
  bool transA, transB;
  eval::Shape batch;     ///< products; empty when there is one
  bool isShared = false; ///< all products use the whole of b
  bool isOne = false;    ///< there is one product
};

/// Where one product's matrices start.
struct Bases {
  Value matrixA, matrixB; ///< counted in matrices
  Value a, b, result;     ///< flat elements
};
} // namespace

/// The matrix of an operand that broadcasting pairs with a batch position.
static Value matrixIndex(KernelBuilder &k, const eval::Shape &operand,
                         ValueRange position) {
  eval::Shape strides = eval::stridesOf(operand);
  size_t lead = position.size() - operand.size();
  Value index = k.index(0);
  for (size_t d = 0; d < operand.size(); ++d)
    if (operand[d] != 1)
      index = k.addIndex(index, k.mulIndex(position[lead + d], strides[d]));
  return index;
}

/// `inParallel` says that a body has no memory but its own to write, besides
/// its part of the result.
static void forEachProduct(KernelBuilder &k, const MatMulSizes &s,
                           llvm::function_ref<void(const Bases &)> body,
                           bool inParallel = false) {
  if (s.isOne) {
    Value zero = k.index(0);
    return body({zero, zero, zero, zero, zero});
  }
  auto emit = [&](ValueRange position) {
    Bases bases;
    bases.matrixA = matrixIndex(k, MatMulSizes::batchOf(s.a), position);
    bases.matrixB = matrixIndex(k, MatMulSizes::batchOf(s.b), position);
    bases.a = k.mulIndex(bases.matrixA, s.rows * s.terms);
    bases.b = k.mulIndex(bases.matrixB, s.terms * s.columns);
    bases.result =
        k.mulIndex(matrixIndex(k, s.batch, position), s.rows * s.columns);
    body(bases);
  };
  if (inParallel)
    k.parallelLoops(s.batch, emit);
  else
    k.loops(s.batch, emit);
}

//===----------------------------------------------------------------------===//
// Panels of steps
//===----------------------------------------------------------------------===//

/// panel[line][term] = code - zero(line), the code at flat element
/// base + line * lineStride + term * termStride.
static void fillSteps(KernelBuilder &k, const eval::Tensor &tensor, Value flat,
                      Value base, int64_t lineStride, int64_t termStride,
                      ArrayRef<int64_t> shape, Value panel,
                      eval::Element element,
                      llvm::function_ref<Value(Value line)> zero) {
  k.loop(shape[0], [&](Value line) {
    Value zeroPoint = zero(line);
    Value start = k.addIndex(base, k.mulIndex(line, lineStride));
    k.loop(shape[1], [&](Value term) {
      Value at = k.addIndex(start, k.mulIndex(term, termStride));
      Value code = k.widen(k.load(flat, at), tensor.element, k.i32());
      Value step = arith::SubIOp::create(k.b, code, zeroPoint);
      k.store(k.narrow(step, element), panel, {line, term});
    });
  });
}

/// A grid's zero point of a row or column of any product.
static std::function<Value(Value)> gridZero(KernelBuilder &k,
                                            const eval::Quantization &grid) {
  if (grid.perTensor()) {
    Value zero = k.integer(k.i32(), grid.zeroPoint());
    return [zero](Value) { return zero; };
  }
  std::vector<int32_t> values(grid.zeroPoints.begin(), grid.zeroPoints.end());
  Value table = k.constant<int32_t>(values);
  Value size = k.index(static_cast<int64_t>(values.size()));
  return [&k, table, size](Value line) {
    return k.load(table, arith::RemUIOp::create(k.b, line, size).getResult());
  };
}

/// Emits every product of step panels; store(result element, row, column,
/// sum). A null `packedB` is filled at run time.
static void
emitSums(KernelBuilder &k, const MatMulSizes &s, eval::Element elementA,
         IntegerPanel packedB, bool wide,
         llvm::function_ref<Value(const Bases &, Value row)> zeroA,
         llvm::function_ref<Value(const Bases &, Value column)> zeroB,
         llvm::function_ref<void(Value, Value, Value, Value)> store) {
  Value a = k.flat(k.operand(0));
  Value panelA = k.scratch({s.rows, s.terms}, k.storage(elementA));
  bool isPacked = packedB.memref != nullptr;
  Value b = isPacked ? Value() : k.flat(k.operand(1));
  if (!isPacked)
    packedB.memref =
        k.scratch({s.columns, s.terms}, k.storage(packedB.element));
  forEachProduct(k, s, [&](const Bases &bases) {
    fillSteps(k, s.a, a, bases.a, s.rowStrideA(), s.termStrideA(),
              {s.rows, s.terms}, panelA, elementA,
              [&](Value row) { return zeroA(bases, row); });
    if (!isPacked)
      fillSteps(k, s.b, b, bases.b, s.columnStrideB(), s.termStrideB(),
                {s.columns, s.terms}, packedB.memref, packedB.element,
                [&](Value column) { return zeroB(bases, column); });
    emitIntegerProduct(k, {s.rows, s.columns, s.terms}, {panelA, elementA, {}},
                       packedB, wide, [&](Value row, Value column, Value sum) {
                         Value element = k.addIndex(
                             bases.result,
                             k.addIndex(k.mulIndex(row, s.columns), column));
                         store(element, row, column, sum);
                       });
  });
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

namespace {
/// The right matrix and what is known of every column's sums.
struct RightSide {
  std::optional<ConstantPanel> constant; ///< none when packed at run time
  eval::Element element;                 ///< of its steps
  std::vector<Interval> sums;            ///< one, or one per column

  IntegerPanel panel(KernelBuilder &k) const {
    return constant ? constant->in(k) : IntegerPanel{{}, element, {}};
  }
};
} // namespace

static RightSide rightSide(KernelBuilder &k, const MatMulSizes &s) {
  Interval stepsA = allSteps(*s.a.quant), stepsB = allSteps(*s.b.quant);
  auto constant = k.constantOperand(1);
  if (!constant || !s.isShared)
    return {{}, panelElement(stepsB), {productSum(stepsA, stepsB, s.terms)}};
  ConstantPanel panel =
      constantPanel(k, s.columns, s.terms, stepsA, [&](int64_t n, int64_t i) {
        return eval::loadInt(*constant,
                             i * s.termStrideB() + n * s.columnStrideB()) -
               constant->quant->zeroPoint(n);
      });
  if (hasOtherReaders(k))
    panel = panel.termMajor();
  return {panel, panel.tensor.element, panel.sums};
}

/// The product with a constant right matrix in dots; codes(row, column, sums)
/// are those of a vector of sums.
static void emitDots(KernelBuilder &k, const MatMulSizes &s,
                     const ConstantPanel &right,
                     llvm::function_ref<Value(Value, Value, Value)> codes) {
  forEachProduct(k, s, [&](const Bases &bases) {
    emitDotMatrix(
        k, s.rows, right, {}, {bases.a, s.rowStrideA(), s.termStrideA()},
        [&](Value row, Value column, int64_t count, Value sums) {
          Value element = k.addIndex(k.mulIndex(row, s.columns), column);
          k.storeLanes(codes(row, column, sums),
                       k.addIndex(bases.result, element), count, s.columns);
        });
  });
}

static bool isByte(const eval::Tensor &tensor) {
  return tensor.element == eval::Element::I8 ||
         tensor.element == eval::Element::U8;
}

/// The right operand as products of bytes take it; no base and codes yet.
static RightCodes rightCodes(KernelBuilder &k, const MatMulSizes &s) {
  RightCodes right;
  if (s.isShared)
    right.constant = k.constantOperand(1);
  right.termStride = s.termStrideB();
  right.columnStride = s.columnStrideB();
  right.areSigned = eval::isSigned(s.b.element);
  return right;
}

static bool canUseRuntimeDots(KernelBuilder &k, const MatMulSizes &s,
                              bool wide) {
  return isByte(s.a) && isByte(s.b) && !wide && s.terms > 0 &&
         canPackAtRunTime(k, s.terms, rightCodes(k, s));
}

/// Every product, of bytes that are packed when the code runs, with one zero
/// point on each side; lanes(row, column, sums) is what is stored of a vector.
static void
emitRuntimeDots(KernelBuilder &k, const MatMulSizes &s,
                llvm::function_ref<CodeZero(size_t operand)> zero,
                llvm::function_ref<Value(Value, Value, Value)> lanes) {
  RightCodes right = rightCodes(k, s);
  if (!right.constant)
    right.codes = k.flatOperand(1);
  auto body = [&](const Bases &bases) {
    right.base = bases.b;
    emitRuntimeProduct(
        k, s.rows, s.terms, s.columns,
        {bases.a, s.rowStrideA(), s.termStrideA()}, zero(0), right, zero(1),
        [&](Value row, Value column, int64_t count, Value sums) {
          Value element = k.addIndex(k.mulIndex(row, s.columns), column);
          k.storeLanes(lanes(row, column, sums),
                       k.addIndex(bases.result, element), count, s.columns);
        });
  };
  forEachProduct(k, s, body, /*inParallel=*/true);
}

static Status lowerCodes(KernelBuilder &k, const MatMulSizes &s) {
  const eval::Quantization &gridA = *s.a.quant, &gridB = *s.b.quant;
  bool perRow = !gridA.perTensor();
  if (perRow && !gridB.perTensor())
    return k.unsupported("grids per row and per column at once");
  RightSide right = rightSide(k, s);
  auto wide = needsWide(k, right.sums);
  if (!wide)
    return wide.takeError();
  Interval all = right.sums[0];
  for (Interval sum : right.sums)
    all = {std::min(all.lo, sum.lo), std::max(all.hi, sum.hi)};
  size_t channels = perRow ? gridA.scales.size()
                           : std::max(gridB.scales.size(), right.sums.size());
  auto problem = [&](int64_t c) {
    ChannelProblem channel;
    channel.scaleA = gridA.scale(perRow ? c : 0);
    channel.scaleB = gridB.scale(perRow ? 0 : c);
    channel.accumulator =
        perRow || right.sums.size() == 1 ? all : right.sums[c];
    return channel;
  };
  auto records = channelRecords(k, static_cast<int64_t>(channels), problem,
                                *s.result.quant);
  if (!records)
    return records.takeError();
  using Lanes = RequantizeTables::Lanes;
  RequantizeTables requantize(k, *records,
                              perRow ? Lanes::OneChannel : Lanes::Channels);
  Value rowsOfGrid = k.index(static_cast<int64_t>(gridA.scales.size()));
  auto codes = [&](Value row, Value column, Value sum) {
    Value channel = column;
    if (channels == 1)
      channel = k.index(0);
    else if (perRow)
      channel = arith::RemUIOp::create(k.b, row, rowsOfGrid);
    return requantize.codes(sum, channel, s.result.element);
  };
  bool isPacked = right.constant && allPackAlike(k);
  if (isPacked && canUseDots(k, s.a, *right.constant, *wide)) {
    emitDots(k, s, *right.constant, codes);
    return Status::success();
  }
  if (!right.constant && !perRow && gridB.perTensor() &&
      canUseRuntimeDots(k, s, *wide)) {
    auto zero = [&](size_t operand) -> CodeZero {
      return {(operand == 0 ? gridA : gridB).zeroPoint(), {}};
    };
    emitRuntimeDots(k, s, zero, codes);
    return Status::success();
  }
  auto zeroA = gridZero(k, gridA), zeroB = gridZero(k, gridB);
  emitSums(
      k, s, panelElement(allSteps(gridA)), right.panel(k), *wide,
      [&](const Bases &, Value row) { return zeroA(row); },
      [&](const Bases &, Value column) { return zeroB(column); },
      [&](Value element, Value row, Value column, Value sum) {
        k.storeResult(codes(row, column, sum), element);
      });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Plain integers
//===----------------------------------------------------------------------===//

/// Zero point operand: one, or one per line of all matrices or of each.
static Value runtimeZero(KernelBuilder &k, size_t operand,
                         const eval::Tensor &of, Value matrix, int64_t lines,
                         Value line) {
  if (!k.hasOperand(operand))
    return k.integer(k.i32(), 0);
  int64_t count = k.operandInfo(operand).count();
  Value at = k.index(0);
  if (count > 1) {
    at = k.addIndex(k.mulIndex(matrix, lines), line);
    at = arith::RemUIOp::create(k.b, at, k.index(count));
  }
  return k.widen(k.load(k.flat(k.operand(operand)), at), of.element, k.i32());
}

/// Whether each side has one zero point, or none.
static bool haveOneZero(KernelBuilder &k) {
  return llvm::all_of(llvm::seq<size_t>(2, 4), [&](size_t operand) {
    return !k.hasOperand(operand) || k.operandInfo(operand).count() == 1;
  });
}

static CodeZero onlyZero(KernelBuilder &k, const MatMulSizes &s,
                         size_t operand) {
  size_t zero = operand + 2;
  if (!k.hasOperand(zero))
    return {0, {}};
  if (auto constant = k.constantOperand(zero))
    return {eval::loadInt(*constant, 0), {}};
  return {{}, runtimeZero(k, zero, operand == 0 ? s.a : s.b, {}, 1, {})};
}

static Status lowerIntegers(KernelBuilder &k, const MatMulSizes &s) {
  auto wide = needsWide(
      k, productSum(stepRange(s.a.element), stepRange(s.b.element), s.terms));
  if (!wide)
    return wide.takeError();
  if (haveOneZero(k) && canUseRuntimeDots(k, s, *wide)) {
    emitRuntimeDots(
        k, s, [&](size_t operand) { return onlyZero(k, s, operand); },
        [](Value, Value, Value sums) { return sums; });
    return Status::success();
  }
  emitSums(
      k, s, eval::Element::I16, {{}, eval::Element::I16, {}}, *wide,
      [&](const Bases &bases, Value row) {
        return runtimeZero(k, 2, s.a, bases.matrixA, s.rows, row);
      },
      [&](const Bases &bases, Value column) {
        return runtimeZero(k, 3, s.b, bases.matrixB, s.columns, column);
      },
      [&](Value element, Value, Value, Value sum) {
        k.storeResult(k.narrow(sum, eval::Element::I32), element);
      });
  return Status::success();
}

/// Sums that wrap in the element's own type.
static void lowerWrapping(KernelBuilder &k, const MatMulSizes &s) {
  Value a = k.flat(k.operand(0)), b = k.flat(k.operand(1));
  Type type = k.storage(s.a.element);
  forEachProduct(k, s, [&](const Bases &bases) {
    k.loops({s.rows, s.columns}, [&](ValueRange at) {
      Value sum = k.fold(
          s.terms, k.integer(type, 0), [&](Value i, Value carried) -> Value {
            Value x = k.load(a, k.addIndex(bases.a, s.elementA(k, at[0], i)));
            Value y = k.load(b, k.addIndex(bases.b, s.elementB(k, i, at[1])));
            return arith::AddIOp::create(k.b, carried,
                                         arith::MulIOp::create(k.b, x, y));
          });
      k.storeResult(
          sum, k.addIndex(bases.result,
                          k.addIndex(k.mulIndex(at[0], s.columns), at[1])));
    });
  });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static void lowerFloats(KernelBuilder &k, const MatMulSizes &s) {
  Value a = k.flat(k.operand(0)), b, memory;
  FloatPanel panel{s.terms, s.columns};
  if (s.isShared)
    memory = constantColumns(k, panel, [&](int64_t term, int64_t column) {
      return term * s.termStrideB() + column * s.columnStrideB();
    });
  if (!memory) {
    b = k.flat(k.operand(1));
    memory = panel.scratch(k);
  }
  forEachProduct(k, s, [&](const Bases &bases) {
    if (b)
      panel.fill(k, memory, b, bases.b, s.termStrideB(), s.columnStrideB());
    emitFloatProduct(
        k, {s.rows, s.columns, s.terms},
        [&](Value row, Value term) {
          return k.load(a, k.addIndex(bases.a, s.elementA(k, row, term)));
        },
        memory,
        [&](Value row, Value column, int64_t count, Value sums) {
          Value element = k.addIndex(k.mulIndex(row, s.columns), column);
          k.storeLanes(sums, k.addIndex(bases.result, element), count,
                       s.columns);
        });
  });
}

namespace {
struct MatMulLowering
    : CpuLowering::ExternalModel<MatMulLowering, nn::MatMulOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::MatMulOp>(operation);
    MatMulSizes sizes(k, op.getTransA(), op.getTransB());
    if (sizes.result.count() == 0)
      return Status::success();
    if (sizes.a.isQuantized())
      return lowerCodes(k, sizes);
    if (sizes.a.element == eval::Element::F32)
      lowerFloats(k, sizes);
    else if (!eval::isFloat(sizes.a.element))
      lowerWrapping(k, sizes);
    else
      return k.unsupported(std::string(eval::name(sizes.a.element)) +
                           " operands");
    return Status::success();
  }

  bool takesEpilogue(Operation *) const { return true; }
};

struct MatMulIntegerLowering
    : CpuLowering::ExternalModel<MatMulIntegerLowering, nn::MatMulIntegerOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::MatMulIntegerOp>(operation);
    MatMulSizes sizes(k, op.getTransA(), op.getTransB());
    if (sizes.result.count() == 0)
      return Status::success();
    return lowerIntegers(k, sizes);
  }

  bool takesEpilogue(Operation *) const { return true; }
};
} // namespace

void tally::cpu::registerMatMulLowerings(MLIRContext &context) {
  nn::MatMulOp::attachInterface<MatMulLowering>(context);
  nn::MatMulIntegerOp::attachInterface<MatMulIntegerLowering>(context);
}
