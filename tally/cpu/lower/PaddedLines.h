//===- PaddedLines.h - lines of pixels with their padding -------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_PADDEDLINES_H
#define TALLY_CPU_LOWER_PADDEDLINES_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/kernels/PixelAxis.h"

namespace tally::cpu {

/// A part of an output line: pixels [pixel, pixel + pixels).
struct LineSegment {
  Value image, line, pixel;
  int64_t pixels;
};

/// The lines of bytes, channels last, that an output line of a window reads,
/// one for each row of the kernel.
struct PaddedLines {
  PixelAxis y, x;
  int64_t channels; ///< of a pixel
  Value input;      ///< flat memref of i8
  int64_t padding;  ///< the byte where there is no input

  /// Columns that so many windows read, and those of one tap more.
  int64_t columnsOf(int64_t pixels) const {
    return (pixels - 1) * x.stride + x.kernel * x.dilation + 1;
  }
  /// Copies channels [channel, channel + lanes) of what the windows of a
  /// segment read: column c of row r of the kernel is at (r * columnsOf(pixels)
  /// + c) * lanes, where the first column is that of the first window's first
  /// tap.
  void emitCopy(KernelBuilder &k, const LineSegment &segment, Value channel,
                int64_t lanes, Value copy) const;

private:
  struct Row;
  void pad(const Row &row, int64_t first, int64_t count) const;
  void copyColumns(const Row &row, const LineSegment &segment,
                   Value line) const;
};

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_PADDEDLINES_H
