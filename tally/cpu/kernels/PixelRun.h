//===- PixelRun.h - output pixels as rows of products of bytes --*- C++ -*-===//
//
// A convolution over channels-last bytes is a product of bytes
// (ByteProduct.h) whose rows are the output pixels of an image: each tap, or
// each row of the kernel, is a chunk of the row's terms. For the rows to lie at
// one distance, the input is copied with its padding written out, unless there
// is none and the input can serve itself.
//
// The rows of all lines of the image are one run. Between two lines there may
// be a few rows that belong to no pixel; `pixels` tells.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_PIXELRUN_H
#define TALLY_CPU_KERNELS_PIXELRUN_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/kernels/PixelAxis.h"

namespace tally::cpu {

/// Where the input of a convolution is: a flat memref of 8-bit codes.
struct PixelSource {
  Value codes;
  /// Distances in it, in elements.
  int64_t channelStride, pixelStride;
  bool flipsSign; ///< the copy holds code + 128 of signed codes
  int64_t zero;   ///< what the copy holds where the padding is

  bool isChannelsLast() const { return channelStride == 1; }
};

class PixelRun {
public:
  /// `channels` are those of a pixel, of which a product reads `slice`
  /// neighbours.
  PixelRun(PixelAxis y, PixelAxis x, int64_t channels, int64_t slice);

  /// Whether channels-last codes can serve as they are: no padding is read, and
  /// the output's lines are those of the input.
  bool readsInPlace() const;
  /// Uses the codes as they are; before any of what follows.
  void stayInPlace() { isCopied = false; }

  /// Rows of an image, those without pixel included, and the bytes from one to
  /// the next.
  int64_t rows() const { return (y.output - 1) * linePixels() + x.output; }
  int64_t pitch() const { return step() * channels; }
  /// Of a row: where its chunks begin, how long they are, and the term behind
  /// a byte as (channel of the slice, tap).
  std::vector<int64_t> chunks() const;
  int64_t chunkBytes() const {
    return isLineChunk() ? x.kernel * slice : slice;
  }
  std::pair<int64_t, int64_t> term(int64_t chunk, int64_t byte) const;
  /// Whether every row is a pixel.
  bool isDense() const { return y.output == 1 || linePixels() == x.output; }
  /// The pixel of each row, or -1.
  std::vector<int32_t> pixels() const;

  /// Bytes of the copy.
  int64_t copyBytes() const;
  /// Copies the image whose first element is `base`. `copy` is a flat memref of
  /// i8.
  void emitCopy(KernelBuilder &k, const PixelSource &from, Value base,
                Value copy) const;

private:
  /// One kernel position along x needs only the pixels that it reads.
  bool isThinned() const { return isCopied && x.kernel == 1; }
  /// Pixels of a line from one output pixel to the next.
  int64_t step() const { return isThinned() ? 1 : x.stride; }
  bool isLineChunk() const { return slice == channels && x.dilation == 1; }
  /// Pixels of a line that windows reach, padding included.
  int64_t reach() const;
  /// Output pixels from a line to the next.
  int64_t linePixels() const;
  int64_t lineBytes() const { return linePixels() * pitch(); }
  /// Lines of a phase; one more of padding where the last one's windows read
  /// on.
  int64_t planeLines() const;
  int64_t planeBytes() const { return planeLines() * lineBytes(); }
  int64_t tapOffset(int64_t ty, int64_t tx) const;
  /// Of a line: pixels of padding in front, and those of the input.
  int64_t frontPixels() const;
  int64_t inputPixels() const;
  void emitLine(KernelBuilder &k, const PixelSource &from, Value line,
                Value copy, Value to) const;

  PixelAxis y, x;
  int64_t channels, slice;
  bool isCopied = true;
  std::vector<int64_t> phases; ///< of lines, those that some tap reads
};

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_PIXELRUN_H
