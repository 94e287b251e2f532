//===- RuntimeScales.cpp - grids known only when run ----------------------===//
//
// Codes of a scale and zero point that are tensors: the operators' formulas,
// one command for each operation. Quotients are cut to +-2^24 before they
// become integers, which changes no code: codes and zero points have at most 16
// bits.
//
// Example: 1.0, -3.0 and 2.0: low = -3, high = 2, scale = fl32(5 / 255), zero
// point = rhe(153.0) = 153, codes 204, 0 and 255.
//
// Cost: a dozen passes over the tensor.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Types.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Steps.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::Function;
using machine::ElementType;

using Operands = llvm::ArrayRef<Tensor>;

namespace {
/// Codes [low, high].
struct CodeRange {
  int64_t low = 0, high = 255;
};
} // namespace

/// sat(rhe(x / scale) + zero), NaN the least code. `zero` is i32.
static void quantizeBy(Steps &v, const Tensor &x, const Tensor &scale,
                       const Tensor &zero, const CodeRange &range,
                       const Tensor &out) {
  auto integer = [&](int64_t value) {
    return v.integer(value, ElementType::I32);
  };
  constexpr float most = 1 << 24;
  Tensor quotient = v.floats(Function::FloatDiv, {x, scale});
  Tensor isNumber = v.floats(Function::FloatEq, {quotient, quotient});
  Tensor raised = v.floats(Function::FloatMax, {quotient, v.number(-most)});
  Tensor cut = v.floats(Function::FloatMin, {raised, v.number(most)});
  Tensor whole = v.cast(v.floats(Function::FloatRound, cut), ElementType::I32);
  Tensor moved = v.integers(Function::IntAdd, {whole, zero});
  Tensor above = v.integers(Function::IntMax, {moved, integer(range.low)});
  Tensor code = v.integers(Function::IntMin, {above, integer(range.high)});
  v.cast(v.select(isNumber, code, integer(range.low)), out.type, &out);
}

/// One number as a scalar, entries of `axis` as a column along it.
static Tensor alongAxis(Tensor entries, int64_t axis, int64_t rank) {
  if (entries.count() == 1) {
    entries.shape.clear();
    entries.strides.clear();
    return entries;
  }
  for (int64_t d = axis + 1; d < rank; ++d)
    entries = withDimension(entries, entries.rank());
  return entries;
}

/// Scale and zero point are read whole; the axis that they go along stays so.
static PiecewiseNode nodeOfScales(Scheduler &s, Operation *op, int64_t axis,
                                  Formula formula) {
  auto scale = cast<RankedTensorType>(op->getOperand(1).getType());
  SmallVector<int64_t> uncut;
  if (scale.getNumElements() != 1)
    uncut.push_back(axis);
  PiecewiseNode node =
      formulaNode(s, op, std::move(formula), uncut, /*temporaries=*/4);
  for (Read &read : llvm::MutableArrayRef(node.reads).drop_front())
    read = wholeRead(read.value);
  return node;
}

/// What of scales has no commands.
static Status checkScales(Scheduler &s, Value scale, int64_t blockSize) {
  auto type = cast<RankedTensorType>(scale.getType());
  if (!type.getElementType().isF32())
    return s.unsupported("a scale known only when run that is not f32",
                         "cast it to f32, or compile with --fallback=cpu");
  if (blockSize != 0 && type.getNumElements() != 1)
    return s.unsupported("scales of blocks known only when run",
                         "make them constants, or compile with --fallback=cpu");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Quantize and Dequantize
//===----------------------------------------------------------------------===//

static CodeRange rangeOf(nn::QuantizeRuntimeOp node) {
  auto type = cast<IntegerType>(node.getResult().getType().getElementType());
  int64_t bits = node.getBits() ? node.getBits() : type.getWidth();
  int64_t low = type.isUnsigned() ? 0 : -(int64_t(1) << (bits - 1));
  return {low, low + (int64_t(1) << bits) - 1};
}

static Result<PiecewiseNode> prepareQuantize(Scheduler &s, Operation *op) {
  auto node = cast<nn::QuantizeRuntimeOp>(op);
  if (Status status = checkScales(s, node.getScale(), node.getBlockSize());
      !status)
    return status.takeError();
  int64_t axis = node.getAxis();
  return nodeOfScales(
      s, op, axis,
      [axis, range = rangeOf(node)](Steps &v, Operands in, const Tensor &out) {
        auto along = [&](const Tensor &entries) {
          return alongAxis(entries, axis, in[0].rank());
        };
        Tensor zero = in.size() > 2 ? v.cast(along(in[2]), ElementType::I32)
                                    : v.integer(0, ElementType::I32);
        quantizeBy(v, in[0], along(in[1]), zero, range, out);
      });
}

static Result<PiecewiseNode> prepareDequantize(Scheduler &s, Operation *op) {
  auto node = cast<nn::DequantizeRuntimeOp>(op);
  if (Status status = checkScales(s, node.getScale(), node.getBlockSize());
      !status)
    return status.takeError();
  int64_t axis = node.getAxis();
  return nodeOfScales(
      s, op, axis, [axis](Steps &v, Operands in, const Tensor &out) {
        // Differences of 32-bit codes take 33 bits.
        ElementType wide =
            in[0].bytes() < 4 ? ElementType::I32 : ElementType::I64;
        Tensor steps = v.cast(in[0], wide);
        if (in.size() > 2) {
          Tensor zero = alongAxis(in[2], axis, in[0].rank());
          steps = v.integers(Function::IntSub, {steps, v.cast(zero, wide)});
        }
        v.floats(Function::FloatMul,
                 {v.cast(steps, ElementType::F32),
                  alongAxis(in[1], axis, in[0].rank())},
                 &out);
      });
}

//===----------------------------------------------------------------------===//
// DynamicQuantizeLinear
//===----------------------------------------------------------------------===//

/// The smallest or largest element and 0; NaN takes no part.
static Tensor endOfRange(Steps &v, const Tensor &x, Function reduction,
                         Function function) {
  Tensor isNumber = v.floats(Function::FloatEq, {x, x});
  Tensor flat = v.select(isNumber, x, v.number(0));
  flat.shape = {flat.count()};
  flat.strides = {flat.bytes()};
  Tensor end = alongAxis(v.reduce(reduction, flat, {0}), 0, 0);
  return v.floats(function, {end, v.number(0)});
}

/// (high - low) / 255, or 1 if they are equal.
static void writeScale(Steps &v, const Tensor &low, const Tensor &high,
                       const Tensor &out) {
  Tensor isNothing = v.floats(Function::FloatEq, {high, low});
  Tensor width = v.floats(Function::FloatSub, {high, low});
  v.select(isNothing, v.number(1),
           v.floats(Function::FloatDiv, {width, v.number(255)}), &out);
}

/// rhe(clamp(0 - low / scale, 0, 255)) as i32; NaN counts as 0.
static Tensor zeroPoint(Steps &v, const Tensor &low, const Tensor &scale) {
  Tensor ratio = v.floats(Function::FloatDiv, {low, scale});
  Tensor start = v.floats(Function::FloatSub, {v.number(0), ratio});
  Tensor raised = v.floats(Function::FloatMax, {start, v.number(0)});
  Tensor cut = v.floats(Function::FloatMin, {raised, v.number(255)});
  Tensor whole = v.floats(Function::FloatRound, cut);
  Tensor isNumber = v.floats(Function::FloatEq, {start, start});
  return v.cast(v.select(isNumber, whole, v.number(0)), ElementType::I32);
}

static Status lowerDynamicQuantize(Scheduler &s, Operation *op) {
  auto x = s.value(op->getOperand(0));
  if (!x)
    return x.takeError();
  SmallVector<Tensor> results;
  for (Value result : op->getResults()) {
    auto tensor = s.allocateResult(result, Layout::RowMajor);
    if (!tensor)
      return tensor.takeError();
    s.bind(result, *tensor);
    results.push_back(*tensor);
  }
  Steps::Numbers numbers;
  Steps v(s, numbers);
  Tensor low = endOfRange(v, *x, Function::ReduceMin, Function::FloatMin);
  Tensor high = endOfRange(v, *x, Function::ReduceMax, Function::FloatMax);
  writeScale(v, low, high, results[1]);
  Tensor zero = zeroPoint(v, low, results[1]);
  v.cast(zero, ElementType::U8, &results[2]);
  quantizeBy(v, *x, results[1], zero, CodeRange(), results[0]);
  return v.finish();
}

llvm::ArrayRef<LoweringRow> tally::schedule::runtimeScaleLowerings() {
  static const LoweringRow rows[] = {
      {"nn.dequantize_runtime", prepareDequantize},
      {"nn.dynamic_quantize_linear", lowerDynamicQuantize},
      {"nn.quantize_runtime", prepareQuantize},
  };
  return rows;
}
