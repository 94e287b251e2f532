//===- Bands.h - parts of a tensor in global memory -------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_BANDS_H
#define TALLY_SCHEDULE_LOWER_BANDS_H

#include "tally/schedule/lower/Product.h"

namespace tally::schedule {

/// Pixels of a rectangle and channels [first, first + count) of one image.
struct BandPlace {
  int64_t image = 0;
  Rows rows;
  int64_t first = 0, count = 1;
};

/// Whether the tensor is in global memory.
bool isAway(const Pixels &pixels);

/// The indices of one axis that windows [first, first + count) touch.
Rows inputRows(const Product &product, const Rows &output);

/// SRAM for a band of `pixels`, to be used with the indices of the whole: its
/// offset is that which index 0 would have.
Pixels bandOf(Scheduler &s, const Pixels &pixels, const BandPlace &place);
/// Moves a band from, or to, global memory.
Status loadBand(Scheduler &s, const Pixels &whole, const Pixels &band,
                const BandPlace &place);
Status storeBand(Scheduler &s, const Pixels &band, const Pixels &whole,
                 const BandPlace &place);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_BANDS_H
