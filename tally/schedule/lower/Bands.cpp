//===- Bands.cpp - parts of a tensor in global memory ---------------------===//
//
// A band keeps the strides' order of the whole, rows below each other, so its
// pixels are found with the indices of the whole once the offset of its first
// one is taken back.
//
// Example: rows 8 and 9 of 100 bytes each lie at 0 and 100 of their storage;
// with offset -800, row 9 is found at -800 + 9 * 100.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Bands.h"
#include "tally/graph/Locations.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

bool tally::schedule::isAway(const Pixels &pixels) {
  return pixels.tensor.isGlobal();
}

static std::pair<int64_t, int64_t> touched(int64_t first, int64_t count,
                                           int64_t step, int64_t kernel,
                                           int64_t dilation, int64_t before,
                                           int64_t size) {
  int64_t begin = first * step - before;
  int64_t end = (first + count - 1) * step + (kernel - 1) * dilation - before;
  begin = std::clamp<int64_t>(begin, 0, size - 1);
  end = std::clamp<int64_t>(end, begin, size - 1);
  return {begin, end + 1 - begin};
}

Rows tally::schedule::inputRows(const Product &p, const Rows &output) {
  auto [y, rows] = touched(output.y, output.rows, p.stepH, p.kernelH,
                           p.dilationH, p.beforeH, p.inH);
  auto [x, width] = touched(output.x, output.width, p.stepW, p.kernelW,
                            p.dilationW, p.beforeW, p.inW);
  return {y, rows, x, width};
}

/// The rectangle as a tensor of rows, pixels and channels.
static Tensor viewOf(const Pixels &pixels, const BandPlace &place) {
  Tensor view = pixels.tensor;
  view.offset += place.image * pixels.image + place.rows.y * pixels.row +
                 place.rows.x * pixels.column + place.first * pixels.channel;
  view.shape = {place.rows.rows, place.rows.width, place.count};
  view.strides = {pixels.row, pixels.column, pixels.channel};
  return view;
}

Pixels tally::schedule::bandOf(Scheduler &s, const Pixels &pixels,
                               const BandPlace &place) {
  int64_t bytes = pixels.tensor.bytes();
  Pixels band = pixels;
  band.image = 0;
  band.channel = bytes;
  band.column = place.count * bytes;
  band.row = place.rows.width * band.column;
  band.tensor.storage =
      s.storage(nn::nodeName(s.node) + ".band", place.rows.rows * band.row,
                s.machine.sram.alignment, isa::kSram);
  band.tensor.offset = -(place.rows.y * band.row + place.rows.x * band.column +
                         place.first * bytes);
  return band;
}

Status tally::schedule::loadBand(Scheduler &s, const Pixels &whole,
                                 const Pixels &band, const BandPlace &place) {
  return s.copy(viewOf(whole, place), viewOf(band, place));
}

Status tally::schedule::storeBand(Scheduler &s, const Pixels &band,
                                  const Pixels &whole, const BandPlace &place) {
  return s.copy(viewOf(band, place), viewOf(whole, place));
}
