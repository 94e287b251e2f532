//===- Updates.cpp - elements combined one after the other ----------------===//

#include "tally/eval/Updates.h"
#include "tally/eval/Movement.h"

#include <type_traits>

using namespace tally::eval;

/// T is float, double or uint64_t, whose sum and product wrap as integers of
/// any width and sign do.
template <typename T> static T arithmetic(UpdateKind kind, T old, T update) {
  return kind == UpdateKind::Add ? old + update : old * update;
}

/// `update` where it is better, or not a number; else `old`.
template <typename T> static T extreme(UpdateKind kind, T old, T update) {
  bool isBetter = kind == UpdateKind::Min ? update < old : update > old;
  return isBetter || update != update ? update : old;
}

template <typename T> static T combine(UpdateKind kind, T old, T update) {
  bool isOrder = kind == UpdateKind::Min || kind == UpdateKind::Max;
  return isOrder ? extreme(kind, old, update) : arithmetic(kind, old, update);
}

static int64_t combineInt(UpdateKind kind, Element element, int64_t old,
                          int64_t update) {
  auto a = static_cast<uint64_t>(old), b = static_cast<uint64_t>(update);
  bool isOrder = kind == UpdateKind::Min || kind == UpdateKind::Max;
  if (isOrder && element != Element::U64)
    return extreme(kind, old, update);
  return static_cast<int64_t>(combine(kind, a, b));
}

void tally::eval::update(UpdateKind kind, Tensor &out, int64_t to,
                         const Tensor &updates, int64_t from) {
  if (kind == UpdateKind::Replace)
    return copyElement(updates, from, out, to);
  if (!isFloat(out.element))
    return storeInt(out, to,
                    combineInt(kind, out.element, loadInt(out, to),
                               loadInt(updates, from)));
  double old = loadFloat(out, to), next = loadFloat(updates, from);
  if (out.element == Element::F64)
    return storeFloat(out, to, combine(kind, old, next));
  storeFloat(out, to,
             combine(kind, static_cast<float>(old), static_cast<float>(next)));
}
