//===- WinogradTransforms.cpp - when sums by squares are exact ------------===//
//
// The magnitudes of a row of B^T add up to 10 at most, those of a row of G to
// 7. Along both axes a code counts up to 100 times and a step up to 49 times:
//
//     codes of 8 bits, up to 255     V up to 25,500      of 32,767
//     steps of 8 bits, up to 128     U up to  6,272      of 32,767
//
// Two products of such numbers fit 32 bits, as they are not all four -32,768.
// So only the sum of a channel can fail: 255 times what its positive steps, or
// its negative ones, add up to must be below 2^25 = 33,554,432, so up to
// 131,585. That is 1,028 terms of 128, or some thousands as networks have them.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/WinogradTransforms.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace tally;

static constexpr int64_t kCodeGain = 10 * 10;
static constexpr int64_t kStepGain = 7 * 7;
static constexpr int64_t kResultBits = 25;

bool tally::cpu::areSquaresExact(int64_t mostCode, int64_t mostStep,
                                 llvm::ArrayRef<nn::Interval> sums) {
  constexpr int64_t most16 = std::numeric_limits<int16_t>::max();
  if (mostCode > most16 / kCodeGain || mostStep > most16 / kStepGain)
    return false;
  constexpr __int128 limit = __int128(1) << kResultBits;
  return llvm::all_of(sums, [](const nn::Interval &sum) {
    return sum.lo >= -limit && sum.hi < limit;
  });
}
