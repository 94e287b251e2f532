//===- ElementwiseBool.cpp - to booleans, and by booleans -----------------===//

#include "tally/eval/Elementwise.h"
#include "tally/eval/Movement.h"

using namespace tally;
using namespace tally::eval;

Status
tally::eval::evaluateClassification(Request &request,
                                    const std::function<bool(double)> &fn) {
  const Tensor &in = request.in(0);
  if (in.isQuantized() || !isFloat(in.element))
    return noMeaning(in);
  for (int64_t i = 0, e = in.count(); i < e; ++i)
    storeInt(request.out(), i, fn(loadFloat(in, i)));
  return Status::success();
}

/// The order of two elements of one type; a double holds every float.
static std::partial_ordering order(const Tensor &a, int64_t ia, const Tensor &b,
                                   int64_t ib) {
  if (isFloat(a.element))
    return loadFloat(a, ia) <=> loadFloat(b, ib);
  if (a.element == Element::U64)
    return a.data<uint64_t>()[ia] <=> b.data<uint64_t>()[ib];
  return loadInt(a, ia) <=> loadInt(b, ib);
}

Status tally::eval::evaluateComparison(
    Request &request, const std::function<bool(std::partial_ordering)> &holds) {
  const Tensor &a = request.in(0), &b = request.in(1);
  Tensor &out = request.out();
  if (a.isQuantized() || b.isQuantized())
    return noMeaning(a.isQuantized() ? a : b);
  forEachBroadcast(out.shape, a.shape, b.shape,
                   [&](int64_t i, int64_t ia, int64_t ib) {
                     storeInt(out, i, holds(order(a, ia, b, ib)));
                   });
  return Status::success();
}

Status tally::eval::evaluateWhere(Request &request) {
  const Tensor &condition = request.in(0);
  Tensor &out = request.out();
  int64_t size = byteSize(out.element);
  // Two passes of pairs broadcast three operands.
  for (bool wanted : {true, false}) {
    Tensor from = onGridOf(request.in(wanted ? 1 : 2), out, request.profile);
    forEachBroadcast(out.shape, condition.shape, from.shape,
                     [&](int64_t i, int64_t ic, int64_t ix) {
                       if ((loadInt(condition, ic) != 0) == wanted)
                         std::memcpy(out.storage.get() + i * size,
                                     from.storage.get() + ix * size, size);
                     });
  }
  return Status::success();
}
