//===- Window.cpp - sliding windows over n spatial dimensions -------------===//
//
// A window's taps are the product of one list of positions per dimension, and
// those lists are tabulated once: taps of (o1, o2) = rows(o1) x columns(o2).
// The product is built in place, one dimension at a time, from its end.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Window.h"

using namespace tally::eval;

static Shape positions(const WindowGeometry &g, size_t d) {
  int64_t stride = stridesOf(g.input)[d];
  int64_t spread = g.spread.empty() ? 1 : g.spread[d];
  Shape table;
  for (int64_t o = 0; o < g.output[d]; ++o)
    for (int64_t t = 0; t < g.kernel[d]; ++t) {
      int64_t place = o * g.strides[d] - g.pads[d] + t * g.dilations[d];
      bool isElement =
          place >= 0 && place % spread == 0 && place / spread < g.input[d];
      table.push_back(isElement ? place / spread * stride : -1);
    }
  return table;
}

WindowTaps::WindowTaps(const WindowGeometry &geometry) : geometry(geometry) {
  for (size_t d = 0; d < geometry.rank(); ++d)
    tables.push_back(positions(geometry, d));
}

void WindowTaps::at(int64_t pixel, int64_t *taps) const {
  taps[0] = 0;
  int64_t known = 1, rest = geometry.pixels();
  for (size_t d = 0; d < geometry.rank(); ++d) {
    rest /= geometry.output[d];
    int64_t size = geometry.kernel[d];
    const int64_t *row = &tables[d][pixel / rest * size];
    pixel %= rest;
    for (int64_t i = known; i-- > 0;) {
      int64_t outer = taps[i];
      for (int64_t t = 0; t < size; ++t)
        taps[i * size + t] = outer < 0 || row[t] < 0 ? -1 : outer + row[t];
    }
    known *= size;
  }
}

void WindowTaps::block(int64_t first, int64_t count,
                       std::vector<int64_t> &taps) const {
  int64_t size = geometry.taps();
  taps.resize(count * size);
  for (int64_t i = 0; i < count; ++i)
    at(first + i, taps.data() + i * size);
}
