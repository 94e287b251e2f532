//===- ReductionLines.cpp - what a reduction walks along ------------------===//

#include "tally/cpu/lower/ReductionLines.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static eval::Shape scaled(eval::Shape strides, int64_t factor) {
  for (int64_t &stride : strides)
    stride *= factor;
  return strides;
}

/// Row-major offsets over some dimensions.
static std::vector<int32_t> offsetTable(const eval::Shape &sizes,
                                        const eval::Shape &strides) {
  std::vector<int32_t> table = {0};
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    std::vector<int32_t> next;
    for (int32_t offset : table)
      for (int64_t i = 0; i < size; ++i)
        next.push_back(static_cast<int32_t>(offset + i * stride));
    table = std::move(next);
  }
  return table;
}

ReductionLines::ReductionLines(KernelBuilder &k, ArrayRef<int64_t> axes) {
  eval::Shape shape = k.operandInfo(0).shape;
  eval::Shape strides = stridesIn(k.operandOrder(0), shape);
  eval::Shape sizes, reducedStrides;
  for (size_t d = 0; d < shape.size(); ++d) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(d));
    (isReduced ? sizes : kept).push_back(shape[d]);
    (isReduced ? reducedStrides : keptStrides).push_back(strides[d]);
  }
  resultStrides = eval::stridesOf(kept);
  n = eval::elementCount(sizes);
  stride = reducedStrides.empty() ? 1 : reducedStrides.back();
  bool neighbours = axes.empty() || axes.back() - axes.front() + 1 ==
                                        static_cast<int64_t>(axes.size());
  if (!neighbours && n > 0)
    offsets = k.constant<int32_t>(offsetTable(sizes, reducedStrides));
}

void ReductionLines::forEach(
    KernelBuilder &k, llvm::function_ref<void(Value, Value)> body) const {
  k.loops(kept, [&](ValueRange at) {
    Value base = k.index(skipped), result = k.index(skipped);
    for (size_t d = 0; d < kept.size(); ++d) {
      base = k.addIndex(base, k.mulIndex(at[d], keptStrides[d]));
      result = k.addIndex(result, k.mulIndex(at[d], resultStrides[d]));
    }
    body(base, result);
  });
}

bool ReductionLines::areRows() const {
  return n > 1 && stride == 1 && !offsets && skipped == 0 &&
         keptStrides == scaled(resultStrides, n);
}

ReductionLines ReductionLines::firstOfBlocks(int64_t size) const {
  ReductionLines blocks = *this;
  blocks.kept.back() /= size;
  blocks.keptStrides.back() *= size;
  blocks.resultStrides.back() *= size;
  return blocks;
}

ReductionLines ReductionLines::from(int64_t first) const {
  ReductionLines rest = *this;
  rest.kept.back() -= first;
  rest.skipped = first;
  return rest;
}

Value tally::cpu::foldTerms(KernelBuilder &k, int64_t n, Value start,
                            llvm::function_ref<Value(Value, Value)> step) {
  return n ? k.fold(n, start, step) : start;
}
