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

/// Neighbours that one thread computes: lines of the cache, and vectors, stay
/// whole.
static constexpr int64_t kSplitElements = 256;

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

/// Calls body(element of the result, element of each operand) in loops;
/// operands broadcast to the result's shape. One flat loop when all shapes and
/// orders are equal.
static void forEachBroadcast(KernelBuilder &k, const eval::Shape &result,
                             llvm::ArrayRef<size_t> operands,
                             llvm::function_ref<void(Value, ValueRange)> body) {
  Order order = k.resultOrder();
  auto isLikeResult = [&](size_t operand) {
    return k.operandInfo(operand).shape == result &&
           k.operandOrder(operand) == order;
  };
  if (llvm::all_of(operands, isLikeResult)) {
    k.parallelLoop(
        eval::elementCount(result),
        [&](Value i) { body(i, SmallVector<Value>(operands.size(), i)); },
        kSplitElements);
    return;
  }
  forEachIndex(k, result, order, [&](ValueRange indices) {
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
// Kernels and stages
//===----------------------------------------------------------------------===//

/// Elements of a kernel at a time: a wide register of codes.
static constexpr int64_t kElementLanes = 64;

/// Whether operand `i` has an element for every one of the result in the same
/// place, or a single one for all.
static bool liesAlongside(const KernelBuilder &k, size_t i) {
  eval::Tensor operand = k.operandInfo(i);
  return operand.count() == 1 || (operand.shape == k.resultInfo().shape &&
                                  k.operandOrder(i) == k.resultOrder());
}

static bool lieAlongside(const KernelBuilder &k) {
  for (size_t i = 0; i < k.operandCount(); ++i)
    if (k.hasOperand(i) && !liesAlongside(k, i))
      return false;
  return true;
}

/// `lanes` elements of an operand that lies alongside.
static Value loadAlongside(KernelBuilder &k, size_t operand, Value element,
                           int64_t lanes) {
  Value memref = k.flatOperand(operand);
  if (k.operandInfo(operand).count() > 1)
    return k.loadLanes(memref, element, lanes);
  Value single = k.load(memref, k.index(0));
  auto type = VectorType::get({lanes}, single.getType());
  return vector::BroadcastOp::create(k.b, type, single);
}

/// Elements [element, element + count) as the first lanes of a vector.
static void emitLanes(KernelBuilder &k, const ElementCode &code, Value element,
                      int64_t count) {
  auto load = [&](size_t operand) {
    return loadAlongside(k, operand, element, kElementLanes);
  };
  k.usingLanes(count,
               [&] { k.storeLanes(code({load, element}), element, count); });
}

static void emitElements(KernelBuilder &k, const ElementCode &code) {
  SmallVector<size_t> present;
  for (size_t i = 0; i < k.operandCount(); ++i)
    if (k.hasOperand(i))
      present.push_back(i);
  forEachBroadcast(
      k, k.resultInfo().shape, present, [&](Value element, ValueRange at) {
        auto load = [&](size_t operand) {
          auto place = llvm::find(present, operand) - present.begin();
          return k.load(k.flatOperand(operand), at[place]);
        };
        k.storeResult(code({load, element}), element);
      });
}

void tally::cpu::emitElementwise(KernelBuilder &k, const ElementCode &code) {
  int64_t count = k.resultInfo().count(), blocks = count / kElementLanes;
  if (!code.takesLanes || !blocks || !lieAlongside(k))
    return emitElements(k, code);
  k.parallelLoop(
      blocks,
      [&](Value block) {
        emitLanes(k, code, k.mulIndex(block, kElementLanes), kElementLanes);
      },
      std::max<int64_t>(kSplitElements / kElementLanes, 1));
  if (int64_t rest = count % kElementLanes)
    emitLanes(k, code, k.index(count - rest), rest);
}

ElementStage tally::cpu::elementStage(KernelBuilder &k, size_t chained,
                                      ElementCode code) {
  Operation *op = k.op;
  bool takesLanes = code.takesLanes && lieAlongside(k);
  ElementStage stage = [&k, chained, op,
                        code = std::move(code)](Value value, Value element) {
    Value result;
    auto load = [&](size_t operand) -> Value {
      if (operand == chained)
        return value;
      if (int64_t lanes = lanesOf(value))
        return loadAlongside(k, operand, element, lanes);
      Value at = broadcastElement(k, k.operandInfo(operand).shape,
                                  k.operandOrder(operand), k.resultInfo().shape,
                                  element);
      return k.load(k.flatOperand(operand), at);
    };
    k.within(op, [&] { result = code({load, element}); });
    return result;
  };
  stage.takesLanes = takesLanes;
  return stage;
}
