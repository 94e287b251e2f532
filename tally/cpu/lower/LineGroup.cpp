//===- LineGroup.cpp - several lines of floats in step --------------------===//

#include "tally/cpu/lower/LineGroup.h"
#include "tally/cpu/CodeReaders.h"
#include "tally/cpu/LaneCodes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Registers that hold sixteen lanes.
static int64_t registersOfLine(Tier tier) {
  switch (tier) {
  case Tier::Avx512:
  case Tier::Amx:
    return 1;
  case Tier::Avx2:
  case Tier::AvxVnni:
    return 2;
  case Tier::Baseline:
  case Tier::Neon:
  case Tier::I8mm:
    return 4;
  }
  return 1;
}

/// Floats that leave room in the nearest cache, which has 32 KiB or more.
static constexpr int64_t kNearFloats = 6144;

/// An addition takes three or four cycles and two begin in each, so eight
/// registers of partial sums keep a core busy.
int64_t tally::cpu::linesInStep(Tier tier, int64_t n) {
  int64_t fitting = kNearFloats / std::max<int64_t>(n, 1);
  return std::clamp<int64_t>(fitting, 1, 8 / registersOfLine(tier));
}

void tally::cpu::forEachGroup(KernelBuilder &k, int64_t count, int64_t n,
                              llvm::function_ref<void(Value, int64_t)> body) {
  int64_t lines = std::min(linesInStep(k.tier, n), count);
  if (!lines)
    return;
  k.parallelLoop(count / lines,
                 [&](Value group) { body(k.mulIndex(group, lines), lines); });
  if (int64_t rest = count % lines)
    body(k.index(count - rest), rest);
}

int64_t tally::cpu::paddedLine(int64_t n) {
  return (n + kLineLanes - 1) / kLineLanes * kLineLanes;
}

LineGroup::LineGroup(KernelBuilder &k, int64_t n, int64_t inner, Value first,
                     int64_t lines)
    : n(n), inner(inner), lines(lines), codes(operandCodes(k, 0)), k(k),
      first(first), input(k.flat(k.operand(0))) {
  if (inner != 1)
    copy();
}

/// The line's first element in the operand.
Value LineGroup::start(Value line) const {
  Value number = k.addIndex(first, line);
  if (inner == 1)
    return k.mulIndex(number, n);
  Value outer = arith::DivUIOp::create(k.b, number, k.index(inner));
  Value side = arith::RemUIOp::create(k.b, number, k.index(inner));
  return k.addIndex(k.mulIndex(outer, inner * n), side);
}

Value LineGroup::element(Value line, Value i) const {
  return k.addIndex(start(line), k.mulIndex(i, inner));
}

void LineGroup::copy() {
  copied = k.scratch({lines * paddedLine(n)}, storedType());
  k.loops({lines, n}, [&](ValueRange at) {
    Value place = k.addIndex(k.mulIndex(at[0], paddedLine(n)), at[1]);
    k.store(k.load(input, element(at[0], at[1])), copied, place);
  });
}

Type LineGroup::storedType() const {
  return cast<MemRefType>(input.getType()).getElementType();
}

Value LineGroup::loadStored(Value line, Value i, int64_t lanes) const {
  Value from = copied ? copied : input;
  Value place = copied ? k.addIndex(k.mulIndex(line, paddedLine(n)), i)
                       : element(line, i);
  return lanes ? k.loadLanes(from, place, lanes) : k.load(from, place);
}

Value LineGroup::real(Value stored) const {
  if (!codes)
    return stored;
  Value code = k.widen(stored, codes->element, k.i32());
  Value step = arith::SubIOp::create(
      k.b, code, k.integer(code.getType(), codes->quant->zeroPoint()));
  FloatMath math(k, lanesOf(code));
  return math.mul(math.toFloat(step), math.f32(codes->quant->scale()));
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

/// The carried values with lanes [count, 16) as they were.
static SmallVector<Value> keepOthers(KernelBuilder &k, int64_t count,
                                     ValueRange next, ValueRange before) {
  SmallVector<bool> bits(kLineLanes, false);
  std::fill_n(bits.begin(), count, true);
  auto type = VectorType::get({kLineLanes}, k.i1());
  Value inUse =
      arith::ConstantOp::create(k.b, DenseElementsAttr::get(type, bits));
  SmallVector<Value> kept;
  for (auto [fresh, old] : llvm::zip(next, before))
    kept.push_back(arith::SelectOp::create(k.b, inUse, fresh, old));
  return kept;
}

SmallVector<Value> tally::cpu::carryAlong(KernelBuilder &k, int64_t n,
                                          ArrayRef<Value> start, LineStep next,
                                          int64_t most) {
  SmallVector<Value> carried(start);
  int64_t lanes = n % most ? kLineLanes : most;
  int64_t blocks = n / lanes, rest = n % lanes;
  if (blocks) {
    auto loop = scf::ForOp::create(k.b, k.index(0), k.index(blocks), k.index(1),
                                   carried);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(loop.getBody());
    Value i = k.mulIndex(loop.getInductionVar(), lanes);
    scf::YieldOp::create(k.b, next(i, lanes, loop.getRegionIterArgs()));
    carried.assign(loop.getResults().begin(), loop.getResults().end());
  }
  if (rest)
    k.usingLanes(rest, [&] {
      auto fresh = next(k.index(n - rest), kLineLanes, carried);
      carried = keepOthers(k, rest, fresh, carried);
    });
  return carried;
}

int64_t tally::cpu::lanesOfLongSteps(Tier tier) {
  return 4 * kLineLanes / registersOfLine(tier);
}

Value tally::cpu::foldLanes(KernelBuilder &k, Value carried, Value lanes,
                            LaneCombine combine) {
  FloatMath math(k, kLineLanes);
  for (int64_t first = 0, e = lanesOf(lanes); first < e; first += kLineLanes) {
    auto part = llvm::to_vector(llvm::seq(first, first + kLineLanes));
    carried = combine(math, carried,
                      vector::ShuffleOp::create(k.b, lanes, lanes, part));
  }
  return carried;
}

SmallVector<Value> tally::cpu::reduceInStep(
    KernelBuilder &k, int64_t n, int64_t lines, float start,
    llvm::function_ref<Value(FloatMath &, int64_t, Value, Value)> step,
    LaneCombine combine) {
  FloatMath math(k, kLineLanes);
  SmallVector<Value> partials(lines, math.f32(start));
  auto results =
      carryAlong(k, n, partials, [&](Value i, int64_t, ValueRange carried) {
        SmallVector<Value> next;
        for (auto [line, partial] : llvm::enumerate(carried))
          next.push_back(step(math, static_cast<int64_t>(line), partial, i));
        return next;
      });
  for (Value &result : results)
    result = combineLanes(k, result, combine);
  return results;
}

void tally::cpu::forEachStretch(KernelBuilder &k, int64_t n,
                                llvm::function_ref<void(Value, int64_t)> body) {
  if (int64_t blocks = n / kLineLanes)
    k.loop(blocks, [&](Value block) {
      body(k.mulIndex(block, kLineLanes), kLineLanes);
    });
  if (int64_t rest = n % kLineLanes)
    k.usingLanes(rest, [&] { body(k.index(n - rest), rest); });
}
