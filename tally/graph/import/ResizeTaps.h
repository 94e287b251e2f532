//===- ResizeTaps.h - where a resized dimension reads -----------*- C++ -*-===//
//
// The formulas of ONNX's Resize, one dimension at a time. Coordinates count
// input elements, the first being 0; they are computed in fp64 in the written
// order. Outside the dimension its first or last element stands in.
//
// Coordinate x of result index i, with scale s, input size n and the real
// result size m = s * n:
//
//   half_pixel            (i + 0.5) / s - 0.5
//   half_pixel_symmetric  n/2 * (1 - size/m) + (i + 0.5) / s - 0.5
//   pytorch_half_pixel    as half_pixel; 0 when the size is 1
//   align_corners         i * (n - 1) / (m - 1); 0 when m is 1
//   asymmetric            i / s
//   tf_half_pixel_for_nn  (i + 0.5) / s
//   tf_crop_and_resize    roi start * (n - 1) +
//                         i * (roi end - roi start) * (n - 1) / (size - 1);
//                         when the size is 1, (start + end) * (n - 1) / 2
//
// Source: the ONNX operator specification, Resize-19.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_RESIZETAPS_H
#define TALLY_GRAPH_IMPORT_RESIZETAPS_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tally::nn {

enum class ResizeCoordinates {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNn,
  TfCropAndResize
};
/// By ONNX's name, such as "half_pixel".
std::optional<ResizeCoordinates> findCoordinates(std::string_view name);

enum class NearestRounding { PreferFloor, PreferCeil, Floor, Ceil };
/// By ONNX's name, such as "round_prefer_floor".
std::optional<NearestRounding> findRounding(std::string_view name);

/// One dimension; all sizes are positive.
struct ResizedDim {
  int64_t input = 0, output = 0;
  double scale = 1;
  double roiStart = 0, roiEnd = 1; ///< TfCropAndResize only
};

double sourceCoordinate(ResizeCoordinates coordinates, const ResizedDim &dim,
                        int64_t index);

/// The element nearest to coordinate `x`: PreferFloor and PreferCeil differ
/// where x lies half-way.
int64_t nearestIndex(NearestRounding rounding, double x, int64_t input);

/// How neighbours are weighted. Linear takes two neighbours, cubic four with
/// parameter `cubicA` (Keys 1981). With `antialias`, a kernel of a dimension
/// that shrinks is widened by 1/scale. With `excludeOutside`, neighbours
/// outside the dimension count 0 and the others are scaled to sum 1.
struct TapKernel {
  bool isCubic = false;
  double cubicA = -0.75;
  bool antialias = false;
  bool excludeOutside = false;
};

/// Sources and weights as nn.resize has them: equally many taps for each of
/// the coordinates, weights in units of 2^-23 that sum to exactly 2^23.
struct ResizeTaps {
  std::vector<int64_t> sources, weights;
};
ResizeTaps resizeTaps(const TapKernel &kernel, const ResizedDim &dim,
                      const std::vector<double> &coordinates);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_RESIZETAPS_H
