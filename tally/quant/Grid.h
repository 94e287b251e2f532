//===- Grid.h - where codes lie on the real line ---------------*- C++ -*-===//

#ifndef TALLY_QUANT_GRID_H
#define TALLY_QUANT_GRID_H

#include "tally/quant/CodeType.h"
#include "tally/support/Result.h"

#include <vector>

namespace tally::quant {

/// A quantization: real = (code - zeroPoint) * scale, where the scale is the
/// exact rational that its fp32 bits denote. One scale and one zero point per
/// tensor, or one per index of dimension `axis`.
struct Grid {
  CodeType type;
  std::vector<float> scales;       ///< 1 or C entries
  std::vector<int32_t> zeroPoints; ///< as many as scales, or a single one
  int32_t axis = -1;               ///< -1: per tensor; else >= 0, normalized

  bool isPerAxis() const { return axis >= 0; }
  float scale(size_t channel = 0) const {
    return scales.size() == 1 ? scales[0] : scales[channel];
  }
  int32_t zeroPoint(size_t channel = 0) const {
    return zeroPoints.size() == 1 ? zeroPoints[0] : zeroPoints[channel];
  }

  static Grid perTensor(CodeType type, float scale, int32_t zeroPoint) {
    return {type, {scale}, {zeroPoint}, -1};
  }
  friend bool operator==(const Grid &, const Grid &) = default;
};

/// Checks, in this order, with the rule label each failure carries:
///   QNT-TYPE   bits are 4, 8, 16 or 32
///   QNT-COUNT  there is a scale; zero points are one or as many as scales;
///              per tensor means one of each
///   QNT-SCALE  every scale is finite and > 0
///   QNT-ZERO   every zero point is a code of the type
/// Failures are of kind Model: quantizations come from the user's model.
Status validate(const Grid &grid);

/// The same, and that a per-axis grid has exactly `channels` scales
/// (QNT-CHANNELS).
Status validate(const Grid &grid, int64_t channels);

} // namespace tally::quant

#endif // TALLY_QUANT_GRID_H
