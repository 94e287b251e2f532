//===- Lanes.cpp - lines of floats, sixteen at a time ---------------------===//

#include "tally/cpu/lower/Lanes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tally::cpu;

static VectorType vectorType(KernelBuilder &k, int64_t lanes) {
  return VectorType::get({lanes}, k.f32());
}

/// Flat element of a line's index.
static Value elementOf(KernelBuilder &k, const FloatLine &line, Value i) {
  if (!line.offsets)
    return k.addIndex(line.base, k.mulIndex(i, line.stride));
  Value offset = k.toIndex(k.load(line.offsets, i), /*isSigned=*/false);
  return k.addIndex(line.base, offset);
}

static bool isDense(const FloatLine &line) {
  return line.stride == 1 && !line.offsets;
}

Value tally::cpu::loadLine(KernelBuilder &k, const FloatLine &line, Value i,
                           int64_t lanes) {
  if (line.isAcross)
    return vector::LoadOp::create(k.b, vectorType(k, kLineLanes), line.memref,
                                  ValueRange{elementOf(k, line, i)});
  if (!lanes)
    return k.load(line.memref, elementOf(k, line, i));
  if (isDense(line))
    return vector::LoadOp::create(k.b, vectorType(k, lanes), line.memref,
                                  ValueRange{k.addIndex(line.base, i)});
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane)
    elements.push_back(
        k.load(line.memref, elementOf(k, line, k.addIndex(i, k.index(lane)))));
  return vector::FromElementsOp::create(k.b, vectorType(k, lanes), elements);
}

void tally::cpu::storeLine(KernelBuilder &k, const FloatLine &line, Value i,
                           Value value, int64_t lanes) {
  if (!lanes)
    return k.store(value, line.memref, elementOf(k, line, i));
  if (isDense(line)) {
    vector::StoreOp::create(k.b, value, line.memref,
                            ValueRange{k.addIndex(line.base, i)});
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane)
    k.store(vector::ExtractOp::create(k.b, value, lane), line.memref,
            elementOf(k, line, k.addIndex(i, k.index(lane))));
}

Value tally::cpu::spread(KernelBuilder &k, Value scalar, int64_t lanes) {
  if (!lanes)
    return scalar;
  return vector::BroadcastOp::create(k.b, vectorType(k, lanes), scalar);
}

void tally::cpu::forEachLane(
    KernelBuilder &k, int64_t n,
    llvm::function_ref<void(FloatMath &, Value, int64_t)> body) {
  FloatMath wide(k, kLineLanes), single(k);
  int64_t blocks = n / kLineLanes;
  if (blocks)
    k.loop(blocks, [&](Value block) {
      body(wide, k.mulIndex(block, kLineLanes), kLineLanes);
    });
  if (n % kLineLanes)
    k.loop(n % kLineLanes, [&](Value rest) {
      body(single, k.addIndex(rest, k.index(blocks * kLineLanes)), 0);
    });
}

Value tally::cpu::combineLanes(KernelBuilder &k, Value partials,
                               LaneCombine combine) {
  for (int64_t half = kLineLanes / 2; half > 0; half /= 2) {
    auto part = [&](int64_t first) -> Value {
      auto lanes = llvm::to_vector(llvm::seq(first, first + half));
      return vector::ShuffleOp::create(k.b, partials, partials, lanes);
    };
    FloatMath narrower(k, half);
    partials = combine(narrower, part(0), part(half));
  }
  return vector::ExtractOp::create(k.b, partials, int64_t(0));
}

/// Partial j holds term i of each line for i mod 16 = j.
static Value reduceAcross(KernelBuilder &k, int64_t n, float start,
                          LaneStep step, LaneCombine combine) {
  FloatMath math(k, kLineLanes);
  SmallVector<Value> partials(kLineLanes, math.f32(start));
  int64_t blocks = n / kLineLanes, rest = n % kLineLanes;
  auto add = [&](Value first, int64_t count) {
    for (int64_t j = 0; j < count; ++j)
      partials[j] = step(math, partials[j], k.addIndex(first, k.index(j)), 0);
  };
  if (blocks) {
    auto loop = scf::ForOp::create(k.b, k.index(0), k.index(blocks), k.index(1),
                                   partials);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), partials.begin());
    add(k.mulIndex(loop.getInductionVar(), kLineLanes), kLineLanes);
    scf::YieldOp::create(k.b, partials);
    llvm::copy(loop.getResults(), partials.begin());
  }
  add(k.index(n - rest), rest);
  for (int64_t half = kLineLanes / 2; half > 0; half /= 2)
    for (int64_t j = 0; j < half; ++j)
      partials[j] = combine(math, partials[j], partials[j + half]);
  return partials[0];
}

Value tally::cpu::reduceLanes(KernelBuilder &k, int64_t n, float start,
                              LaneStep step, LaneCombine combine,
                              bool isAcross) {
  if (isAcross)
    return reduceAcross(k, n, start, step, combine);
  FloatMath wide(k, kLineLanes), single(k);
  Value partials = wide.f32(start);
  int64_t blocks = n / kLineLanes;
  if (blocks)
    partials = k.fold(blocks, partials, [&](Value block, Value carried) {
      return step(wide, carried, k.mulIndex(block, kLineLanes), kLineLanes);
    });
  for (int64_t lane = 0; lane < n % kLineLanes; ++lane) {
    Value partial = vector::ExtractOp::create(k.b, partials, lane);
    partial = step(single, partial, k.index(blocks * kLineLanes + lane), 0);
    partials = vector::InsertOp::create(k.b, partial, partials, lane);
  }
  return combineLanes(k, partials, combine);
}

Value tally::cpu::pinnedSum(KernelBuilder &k, int64_t n, LaneStep step,
                            bool isAcross) {
  return reduceLanes(
      k, n, 0, step,
      [](FloatMath &math, Value a, Value b) { return math.add(a, b); },
      isAcross);
}

Value tally::cpu::lineSum(KernelBuilder &k, const FloatLine &line, int64_t n) {
  return pinnedSum(
      k, n,
      [&](FloatMath &math, Value partial, Value i, int64_t lanes) {
        return math.add(partial, loadLine(k, line, i, lanes));
      },
      line.isAcross);
}

Value tally::cpu::lineMaximum(KernelBuilder &k, const FloatLine &line,
                              int64_t n) {
  auto larger = [&](Value a, Value b) -> Value {
    return arith::MaximumFOp::create(k.b, a, b);
  };
  return reduceLanes(
      k, n, -std::numeric_limits<float>::infinity(),
      [&](FloatMath &, Value partial, Value i, int64_t lanes) {
        return larger(partial, loadLine(k, line, i, lanes));
      },
      [&](FloatMath &, Value a, Value b) { return larger(a, b); },
      line.isAcross);
}
