//===- Elementwise.cpp - elementwise kernels ------------------------------===//

#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/LaneCodes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Strides of an operand seen through the result's dimensions.
static eval::Shape broadcastStrides(const eval::Shape &operand, Order order,
                                    size_t rank) {
  eval::Shape own = stridesIn(order, operand), strides(rank, 0);
  size_t lead = rank - operand.size();
  for (size_t i = 0; i < operand.size(); ++i)
    strides[lead + i] = operand[i] == 1 ? 0 : own[i];
  return strides;
}

static Value flatIndex(KernelBuilder &k, ValueRange indices,
                       const eval::Shape &strides) {
  Value flat = k.index(0);
  for (auto [index, stride] : llvm::zip(indices, strides))
    if (stride)
      flat = k.addIndex(flat, k.mulIndex(index, stride));
  return flat;
}

void tally::cpu::forEachIndex(KernelBuilder &k, const eval::Shape &shape,
                              Order order,
                              llvm::function_ref<void(ValueRange)> body) {
  std::vector<size_t> dims = outermostFirst(order, shape.size());
  eval::Shape sizes;
  for (size_t d : dims)
    sizes.push_back(shape[d]);
  k.parallelLoops(sizes, [&](ValueRange loops) {
    SmallVector<Value> indices(shape.size());
    for (auto [d, index] : llvm::zip(dims, loops))
      indices[d] = index;
    body(indices);
  });
}

/// Calls body(element of the result, element of each operand) in loops over
/// `loops`, the result's shape or, with dimensions of 1, part of it; operands
/// broadcast to the result's shape.
static void forEachBroadcast(KernelBuilder &k, const eval::Shape &loops,
                             llvm::ArrayRef<size_t> operands,
                             llvm::function_ref<void(Value, ValueRange)> body) {
  Order order = k.resultOrder();
  eval::Shape result = k.resultInfo().shape;
  forEachIndex(k, loops, order, [&](ValueRange indices) {
    SmallVector<Value> elements;
    for (size_t operand : operands)
      elements.push_back(
          flatIndex(k, indices,
                    broadcastStrides(k.operandInfo(operand).shape,
                                     k.operandOrder(operand), result.size())));
    body(flatIndex(k, indices, stridesIn(order, result)), elements);
  });
}

Value tally::cpu::broadcastElement(KernelBuilder &k, const eval::Shape &operand,
                                   Order operandOrder,
                                   const eval::Shape &result, Value element) {
  Order order = k.resultOrder();
  if (operand == result && operandOrder == order)
    return element;
  eval::Shape from = stridesIn(order, result);
  eval::Shape to = broadcastStrides(operand, operandOrder, result.size());
  Value flat = k.index(0);
  for (size_t d = 0; d < result.size(); ++d) {
    if (to[d] == 0)
      continue;
    Value index = arith::DivUIOp::create(k.b, element, k.index(from[d]));
    if (d > 0)
      index = arith::RemUIOp::create(k.b, index, k.index(result[d]));
    flat = k.addIndex(flat, k.mulIndex(index, to[d]));
  }
  return flat;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

namespace {
/// How an operand lies beside the result: in each aligned block of `span`
/// elements of the result it has an element for every one, in the same order,
/// or a single one for all.
///
///     result [2, 3, 4], plain:  [3, 4] along, 12    [1] for all, 24
///                               [4]    along, 4     [3, 1] for all, 4
///     result [1, 8, 2, 2], channels last:           [8, 1, 1] along, 8
struct Beside {
  bool isAlong = false;
  int64_t span = 1;
};
} // namespace

static Beside besideResult(const KernelBuilder &k, const eval::Shape &operand,
                           Order order) {
  eval::Shape result = k.resultInfo().shape;
  eval::Shape own = stridesIn(k.resultOrder(), result);
  eval::Shape strides = broadcastStrides(operand, order, result.size());
  std::vector<size_t> dimensions = outermostFirst(k.resultOrder(), own.size());
  Beside beside;
  for (size_t d : llvm::reverse(dimensions)) {
    if (result[d] == 1)
      continue;
    if (beside.span == 1)
      beside.isAlong = strides[d] == own[d];
    if (strides[d] != (beside.isAlong ? own[d] : 0))
      break;
    beside.span *= result[d];
  }
  return beside;
}

static Beside besideResult(const KernelBuilder &k, size_t operand) {
  return besideResult(k, k.operandInfo(operand).shape, k.operandOrder(operand));
}

/// The largest span that suits all operands, that of the result without any.
/// Spans are products of the innermost sizes, so the least divides the others.
static int64_t spanBeside(const KernelBuilder &k,
                          llvm::ArrayRef<size_t> operands) {
  int64_t span = k.resultInfo().count();
  for (size_t operand : operands)
    span = std::min(span, besideResult(k, operand).span);
  return span;
}

/// `lanes` elements of a flat memref from `at` on, or that one in every lane.
static Value loadBeside(KernelBuilder &k, Value memref, Beside beside, Value at,
                        int64_t lanes) {
  if (beside.isAlong)
    return k.loadLanes(memref, at, lanes);
  Value single = k.load(memref, at);
  auto type = VectorType::get({lanes}, single.getType());
  return vector::BroadcastOp::create(k.b, type, single);
}

int64_t BesideTable::span(const KernelBuilder &k) const {
  return besideResult(k, shape, Order::Plain).span;
}

Value BesideTable::load(KernelBuilder &k, Value element, Value like) const {
  Value at =
      broadcastElement(k, shape, Order::Plain, k.resultInfo().shape, element);
  if (int64_t lanes = lanesOf(like))
    return loadBeside(k, memref, besideResult(k, shape, Order::Plain), at,
                      lanes);
  return k.load(memref, at);
}

//===----------------------------------------------------------------------===//
// Kernels and stages
//===----------------------------------------------------------------------===//

static SmallVector<size_t> loadedOperands(const KernelBuilder &k,
                                          const ElementCode &code) {
  SmallVector<size_t> present;
  for (size_t i = 0; i < std::min(k.operandCount(), code.loaded); ++i)
    if (k.hasOperand(i))
      present.push_back(i);
  return present;
}

namespace {
/// An elementwise kernel.
struct ElementKernel {
  KernelBuilder &k;
  const ElementCode &code;
  llvm::ArrayRef<size_t> operands;
  int64_t lanesSpan; ///< that suits all operands

  void emitElements() const;
  /// By lanes.
  void emitSpans() const;

private:
  void emitSpan(Value element, ValueRange at) const;
  void emitRest(Value element, ValueRange at, int64_t rest) const;
  void emitLanes(Value element, ValueRange at, Value offset, int64_t lanes,
                 int64_t count) const;
  Value placeOf(size_t operand, ValueRange at) const {
    return at[llvm::find(operands, operand) - operands.begin()];
  }
};
} // namespace

/// Elements that one thread computes at least: lines of the cache stay whole.
static constexpr int64_t kSplitElements = 256;

/// One flat loop when all shapes and orders are equal.
void ElementKernel::emitElements() const {
  auto body = [&](Value element, ValueRange at) {
    auto load = [&](size_t operand) {
      return k.load(k.flatOperand(operand), placeOf(operand, at));
    };
    k.storeResult(code({load, element}), element);
  };
  eval::Tensor result = k.resultInfo();
  auto isLikeResult = [&](size_t operand) {
    Beside beside = besideResult(k, operand);
    return beside.isAlong && beside.span == result.count();
  };
  if (!llvm::all_of(operands, isLikeResult))
    return forEachBroadcast(k, result.shape, operands, body);
  k.parallelLoop(
      result.count(),
      [&](Value i) { body(i, SmallVector<Value>(operands.size(), i)); },
      kSplitElements);
}

/// Elements [offset, offset + count) of a span that begins at `element` and,
/// in the operands, at `at`, as the first of `lanes` lanes.
void ElementKernel::emitLanes(Value element, ValueRange at, Value offset,
                              int64_t lanes, int64_t count) const {
  auto load = [&](size_t operand) {
    Value place = placeOf(operand, at);
    Beside beside = besideResult(k, operand);
    if (beside.isAlong)
      place = k.addIndex(place, offset);
    return loadBeside(k, k.flatOperand(operand), beside, place, lanes);
  };
  Value first = k.addIndex(element, offset);
  k.usingLanes(count, [&] {
    k.storeLanes(code({load, first}), first, count, lanesSpan);
  });
}

/// The last elements of a span, fewer than a vector has. Those of one span are
/// lanes of a vector that is not full; of many, where masks of bytes would take
/// their time, vectors of half the lanes, of a quarter and so on.
void ElementKernel::emitRest(Value element, ValueRange at, int64_t rest) const {
  bool isLast = lanesSpan == k.resultInfo().count();
  bool areBytes = eval::byteSize(k.resultInfo().element) == 1;
  if (isLast || !areBytes)
    return emitLanes(element, at, k.index(lanesSpan - rest), code.mostLanes,
                     rest);
  for (int64_t lanes = code.mostLanes / 2; lanes > 0; lanes /= 2)
    if (rest >= lanes) {
      emitLanes(element, at, k.index(lanesSpan - rest), lanes, lanes);
      rest -= lanes;
    }
}

/// One span.
void ElementKernel::emitSpan(Value element, ValueRange at) const {
  int64_t lanes = code.mostLanes;
  if (lanesSpan >= lanes)
    k.parallelLoop(
        lanesSpan / lanes,
        [&](Value block) {
          emitLanes(element, at, k.mulIndex(block, lanes), lanes, lanes);
        },
        std::max<int64_t>(kSplitElements / lanes, 1));
  if (int64_t rest = lanesSpan % lanes)
    emitRest(element, at, rest);
}

/// The result's shape with the dimensions of one span as 1; none where the span
/// is no product of innermost sizes.
static std::optional<eval::Shape> outsideOfSpan(const KernelBuilder &k,
                                                int64_t span) {
  eval::Shape shape = k.resultInfo().shape;
  std::vector<size_t> dimensions =
      outermostFirst(k.resultOrder(), shape.size());
  for (size_t d : llvm::reverse(dimensions)) {
    if (span == 1)
      break;
    if (span % shape[d] != 0)
      return std::nullopt;
    span /= shape[d];
    shape[d] = 1;
  }
  return shape;
}

void ElementKernel::emitSpans() const {
  eval::Shape loops = *outsideOfSpan(k, lanesSpan);
  auto body = [&](Value element, ValueRange at) { emitSpan(element, at); };
  // A single one is split by its vectors, which a nest of no loops would not
  // let it be.
  if (eval::elementCount(loops) > 1)
    return forEachBroadcast(k, loops, operands, body);
  body(k.index(0), SmallVector<Value>(operands.size(), k.index(0)));
}

/// Elements of a span for which lanes are worth their loop.
static constexpr int64_t kLeastSpan = 8;

void tally::cpu::emitElementwise(KernelBuilder &k, const ElementCode &code) {
  SmallVector<size_t> operands = loadedOperands(k, code);
  int64_t span = std::min(spanBeside(k, operands), code.span);
  if (code.mostLanes == 0 || span < kLeastSpan)
    return ElementKernel{k, code, operands, 1}.emitElements();
  // A reshape in between may give the stages spans of other sizes.
  int64_t narrowed = k.epilogueSpan(span, kLeastSpan);
  if (outsideOfSpan(k, narrowed))
    span = narrowed;
  ElementKernel{k, code, operands, span}.emitSpans();
}

ElementStage tally::cpu::elementStage(KernelBuilder &k, size_t chained,
                                      ElementCode code) {
  Operation *op = k.op;
  int64_t mostLanes = code.mostLanes;
  SmallVector<size_t> others = loadedOperands(k, code);
  llvm::erase(others, chained);
  int64_t span = std::min(spanBeside(k, others), code.span);
  ElementStage stage = [&k, chained, op,
                        code = std::move(code)](Value value, Value element) {
    Value result;
    auto load = [&](size_t operand) -> Value {
      if (operand == chained)
        return value;
      Value memref = k.flatOperand(operand);
      Value at = broadcastElement(k, k.operandInfo(operand).shape,
                                  k.operandOrder(operand), k.resultInfo().shape,
                                  element);
      if (int64_t lanes = lanesOf(value))
        return loadBeside(k, memref, besideResult(k, operand), at, lanes);
      return k.load(memref, at);
    };
    k.within(op, [&] { result = code({load, element}); });
    return result;
  };
  stage.mostLanes = mostLanes;
  stage.span = span;
  return stage;
}
