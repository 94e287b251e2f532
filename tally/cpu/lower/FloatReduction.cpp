//===- FloatReduction.cpp - reductions of floats on the CPU ---------------===//
//
// Lines of neighbouring elements go in step, some at a time (LineGroup.h);
// lines that lie side by side sixteen at once, one in each lane; any others one
// by one. A product, and the logarithm of a sum of exponentials, always go the
// latter ways.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/LineGroup.h"
#include "tally/cpu/lower/ReductionLines.h"

#include "tally/quant/PinnedMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

using Kind = ReductionKind;
using Lines = ReductionLines;

namespace {
/// What a reduction of floats does with one element, with partial results and
/// with the last of these. Values may be vectors.
struct FloatSteps {
  Kind kind;

  float start() const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    return kind == Kind::Max ? -infinity : kind == Kind::Min ? infinity : 0;
  }
  Value combine(FloatMath &math, Value a, Value b) const {
    if (kind == Kind::Max)
      return math.maximum(a, b);
    return kind == Kind::Min ? math.minimum(a, b) : math.add(a, b);
  }
  Value add(FloatMath &math, Value partial, Value x) const {
    if (kind == Kind::L2 || kind == Kind::SumSquare)
      return math.fma(x, x, partial);
    return combine(math, partial, kind == Kind::L1 ? math.abs(x) : x);
  }
  Value finish(FloatMath &math, Value result, int64_t n) const {
    if (kind == Kind::Mean)
      return math.div(result, math.f32(static_cast<float>(n)));
    if (kind == Kind::L2)
      return math.sqrt(result);
    return kind == Kind::LogSum ? tally::quant::pinned::log(math, result)
                                : result;
  }
};
} // namespace

static Value logSumExp(KernelBuilder &k, const FloatLine &line, int64_t n) {
  FloatMath math(k, line.isAcross ? kLineLanes : 0);
  Value largest = lineMaximum(k, line, n);
  Value shift = math.select(math.isFinite(largest), largest, math.f32(0));
  Value sum = pinnedSum(
      k, n,
      [&](FloatMath &lane, Value partial, Value i, int64_t lanes) {
        Value x =
            lane.sub(loadLine(k, line, i, lanes), spread(k, shift, lanes));
        return lane.add(partial, tally::quant::pinned::exp(lane, x));
      },
      line.isAcross);
  return math.add(tally::quant::pinned::log(math, sum), shift);
}

static Value product(KernelBuilder &k, const FloatLine &line, int64_t n) {
  FloatMath math(k, line.isAcross ? kLineLanes : 0);
  return foldTerms(k, n, math.f32(1), [&](Value i, Value carried) {
    return math.mul(carried, loadLine(k, line, i, 0));
  });
}

static Value reduceFloat(KernelBuilder &k, Kind kind, const FloatLine &line,
                         int64_t n) {
  if (kind == Kind::Prod)
    return product(k, line, n);
  if (kind == Kind::LogSumExp)
    return logSumExp(k, line, n);
  FloatSteps steps{kind};
  FloatMath math(k, line.isAcross ? kLineLanes : 0);
  Value result = reduceLanes(
      k, n, steps.start(),
      [&](FloatMath &lane, Value partial, Value i, int64_t lanes) {
        return steps.add(lane, partial, loadLine(k, line, i, lanes));
      },
      [&](FloatMath &lane, Value a, Value b) {
        return steps.combine(lane, a, b);
      },
      line.isAcross);
  return steps.finish(math, result, n);
}

/// Lines of neighbouring elements, one behind the other, in step.
static void reduceRows(KernelBuilder &k, Kind kind, const Lines &lines) {
  FloatSteps steps{kind};
  FloatMath math(k);
  Value output = k.flat(k.result());
  int64_t count = eval::elementCount(lines.kept);
  forEachGroup(k, count, lines.n, [&](Value first, int64_t size) {
    LineGroup group(k, lines.n, /*inner=*/1, first, size);
    auto results = reduceInStep(
        k, lines.n, size, steps.start(),
        [&](FloatMath &lane, int64_t line, Value partials, Value i) {
          return steps.add(lane, partials, group.load(k.index(line), i));
        },
        [&](FloatMath &lane, Value a, Value b) {
          return steps.combine(lane, a, b);
        });
    for (auto [line, value] : llvm::enumerate(results))
      k.store(steps.finish(math, value, lines.n), output,
              k.addIndex(first, k.index(static_cast<int64_t>(line))));
  });
}

/// Where lines lie side by side, sixteen at once, and the rest one by one.
static void reduceColumns(KernelBuilder &k, Kind kind, const Lines &lines) {
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  auto single = [&](Value base, Value result) {
    FloatLine line{input, base, lines.stride, lines.offsets};
    k.store(reduceFloat(k, kind, line, lines.n), output, result);
  };
  int64_t sides = lines.sideBySide() / kLineLanes * kLineLanes;
  if (!sides)
    return lines.forEach(k, single);
  Lines blocks = lines.firstOfBlocks(kLineLanes), rest = lines.from(sides);
  blocks.forEach(k, [&](Value base, Value result) {
    FloatLine line{input, base, lines.stride, lines.offsets, true};
    vector::StoreOp::create(k.b, reduceFloat(k, kind, line, lines.n), output,
                            ValueRange{result});
  });
  rest.forEach(k, single);
}

void tally::cpu::reduceFloats(KernelBuilder &k, Kind kind, const Lines &lines) {
  bool hasSteps = kind != Kind::Prod && kind != Kind::LogSumExp;
  if (hasSteps && lines.areRows())
    return reduceRows(k, kind, lines);
  reduceColumns(k, kind, lines);
}
