//===- Order.cpp - what depends on the order of elements ------------------===//
//
// Floats are compared in double and integers in int64_t (loadOrdered), exactly.
// A NaN is the extreme of either kind of search for an index, and the largest
// number for a sort.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/eval/Reduction.h"

#include <algorithm>
#include <numeric>

using namespace tally;
using namespace tally::eval;

//===----------------------------------------------------------------------===//
// Index of an extreme
//===----------------------------------------------------------------------===//

template <typename T, typename Load>
static int64_t extremeIndex(int64_t n, bool wantsLargest, bool selectLast,
                            Load load) {
  int64_t best = 0;
  auto isNan = [](T x) { return x != x; };
  for (int64_t i = 1; i < n; ++i) {
    T a = load(best), b = load(i);
    bool isBetter = wantsLargest ? b > a : b < a;
    bool ties = a == b;
    if (isNan(a) || isNan(b)) { // NaN is the extreme of either kind
      isBetter = !isNan(a);
      ties = isNan(a) && isNan(b);
    }
    if (isBetter || (ties && selectLast))
      best = i;
  }
  return best;
}

Status tally::eval::evaluateArgExtreme(Request &request, int64_t axis,
                                       bool wantsLargest, bool selectLast) {
  const Tensor &in = request.in(0);
  if (in.isQuantized() && !in.quant->perTensor())
    return noMeaning(in);
  int64_t axes[] = {axis};
  ReductionOffsets offsets(in.shape, axes);
  auto n = static_cast<int64_t>(offsets.terms.size());
  for (size_t i = 0; i < offsets.outputs.size(); ++i) {
    auto element = [&](int64_t j) {
      return offsets.outputs[i] + offsets.terms[j];
    };
    int64_t index =
        isFloat(in.element)
            ? extremeIndex<double>(
                  n, wantsLargest, selectLast,
                  [&](int64_t j) { return loadFloat(in, element(j)); })
            : extremeIndex<int64_t>(
                  n, wantsLargest, selectLast,
                  [&](int64_t j) { return loadOrdered(in, element(j)); });
    storeInt(request.out(), static_cast<int64_t>(i), index);
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The first k
//===----------------------------------------------------------------------===//

template <typename T, typename Load>
static std::vector<int64_t> sortedIndices(int64_t n, bool largest, Load load) {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  auto less = [](T a, T b) { return b != b ? a == a : a < b; };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    T first = load(largest ? b : a), second = load(largest ? a : b);
    if (less(first, second) || less(second, first))
      return less(first, second);
    return a < b;
  });
  return order;
}

Status tally::eval::evaluateTopK(Request &request, int64_t axis, bool largest) {
  const Tensor &in = request.in(0);
  Tensor &values = request.out(0), &indices = request.out(1);
  int64_t axes[] = {axis};
  ReductionOffsets from(in.shape, axes), to(values.shape, axes);
  auto n = static_cast<int64_t>(from.terms.size());
  for (size_t line = 0; line < from.outputs.size(); ++line) {
    auto element = [&](int64_t i) {
      return from.outputs[line] + from.terms[i];
    };
    std::vector<int64_t> order =
        isFloat(in.element)
            ? sortedIndices<double>(
                  n, largest,
                  [&](int64_t i) { return loadFloat(in, element(i)); })
            : sortedIndices<int64_t>(n, largest, [&](int64_t i) {
                return loadOrdered(in, element(i));
              });
    int64_t bytes = byteSize(in.element);
    for (size_t i = 0; i < to.terms.size(); ++i) {
      int64_t target = to.outputs[line] + to.terms[i];
      std::memcpy(values.storage.get() + target * bytes,
                  in.storage.get() + element(order[i]) * bytes, bytes);
      storeInt(indices, target, order[i]);
    }
  }
  return Status::success();
}
