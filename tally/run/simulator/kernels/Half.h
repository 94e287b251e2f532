//===- Half.h - binary16 numbers --------------------------------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_KERNELS_HALF_H
#define TALLY_RUN_SIMULATOR_KERNELS_HALF_H

#include <cstdint>

namespace tally::simulator {

/// Exact; NaN becomes a NaN.
float floatOfHalf(uint16_t bits);
/// Rounded once to nearest, ties to even; overflow to infinity, NaN to the
/// canonical 0x7e00.
uint16_t halfOf(double value);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_KERNELS_HALF_H
