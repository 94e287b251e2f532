//===- Elementwise.cpp - elementwise kernels ------------------------------===//

#include "tally/cpu/lower/Elementwise.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void tally::cpu::lowerUnary(KernelBuilder &k,
                            llvm::function_ref<Value(Value)> fn) {
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  k.loop(k.resultInfo().count(),
         [&](Value i) { k.store(fn(k.load(input, i)), output, i); });
}

/// Strides of an operand seen through the result's dimensions.
static eval::Shape broadcastStrides(const eval::Shape &operand, size_t rank) {
  eval::Shape own = eval::stridesOf(operand), strides(rank, 0);
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

void tally::cpu::forEachBroadcast(
    KernelBuilder &k, const eval::Shape &result,
    llvm::ArrayRef<eval::Shape> operands,
    llvm::function_ref<void(Value, ValueRange)> body) {
  if (llvm::all_of(operands, [&](auto &shape) { return shape == result; })) {
    k.loop(eval::elementCount(result),
           [&](Value i) { body(i, SmallVector<Value>(operands.size(), i)); });
    return;
  }
  k.loops(result, [&](ValueRange indices) {
    SmallVector<Value> elements;
    for (const eval::Shape &operand : operands)
      elements.push_back(
          flatIndex(k, indices, broadcastStrides(operand, result.size())));
    body(flatIndex(k, indices, eval::stridesOf(result)), elements);
  });
}

void tally::cpu::lowerBinary(KernelBuilder &k,
                             llvm::function_ref<Value(Value, Value)> fn) {
  Value a = k.flat(k.operand(0)), b = k.flat(k.operand(1));
  Value output = k.flat(k.result());
  forEachBroadcast(k, k.resultInfo().shape,
                   {k.operandInfo(0).shape, k.operandInfo(1).shape},
                   [&](Value i, ValueRange at) {
                     k.store(fn(k.load(a, at[0]), k.load(b, at[1])), output, i);
                   });
}
