//===- DotConv.cpp - convolutions of bytes as dot products ----------------===//
//
// Rows are output channels and lanes are output pixels. The common dimension is
// walked in steps of four terms, four channels of one tap or four taps of one
// channel, whichever takes fewer; the copy of the input (PixelWords) has the
// lanes' words of each step where they are wanted, so no patch is gathered. A
// padded pixel is the zero point, and bytes without a term have weight 0.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/DotConv.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/PixelQuads.h"
#include "tally/cpu/kernels/TapQuads.h"
#include "tally/cpu/lower/DotOperands.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Lanes whose sums are held at once, so that the sums of a tile's rows stay in
/// the cache and large images need no large scratch.
static constexpr int64_t kBandLanes = 4096;

bool tally::cpu::isDotConv(const KernelBuilder &k, const ConvSizes &s,
                           const ConstantPanel &weights, bool wide) {
  return canUseDots(k, s.input, weights, wide) && !s.isTransposed &&
         (s.window.rank() == 1 || s.window.rank() == 2);
}

/// The spatial dimensions, y and x. Pixels of a small 1x1
/// convolution are one row.
static std::pair<PixelAxis, PixelAxis> axesOf(const ConvSizes &s) {
  const WindowShape &w = s.window;
  auto axis = [&](size_t d) {
    return PixelAxis{w.input[d],   w.output[d], w.kernel[d],
                     w.strides[d], w.pads[d],   w.dilations[d]};
  };
  PixelAxis one = {1, 1, 1, 1, 0, 1};
  if (w.rank() == 1)
    return {one, axis(0)};
  bool isPointwise = s.taps == 1 && w.input == w.output &&
                     llvm::all_of(w.strides, [](auto v) { return v == 1; }) &&
                     llvm::all_of(w.pads, [](auto v) { return v == 0; });
  if (isPointwise && s.pixels <= kBandLanes)
    return {one, {s.pixels, s.pixels, 1, 1, 0, 1}};
  return {axis(0), axis(1)};
}

/// The form with the fewer steps.
static std::unique_ptr<PixelWords> pixelWords(const ConvSizes &s) {
  auto [y, x] = axesOf(s);
  auto channels = std::make_unique<PixelQuads>(y, x, s.channels);
  auto taps = std::make_unique<TapQuads>(y, x, s.channels);
  if (taps->steps().size() < channels->steps().size())
    return taps;
  return channels;
}

/// The weights in the order of the steps.
static eval::Tensor weightWords(Tier tier, const ConvSizes &s,
                                const DotShape &shape,
                                const ConstantPanel &weights,
                                ArrayRef<PixelWords::Step> steps) {
  return tiledWords(tier, shape, s.group, [&](int64_t m, int64_t quad) {
    return dotWord([&](int64_t byte) {
      int64_t term = steps[quad].terms[byte];
      return term < 0 ? 0 : eval::loadInt(weights.tensor, m * s.k_ + term);
    });
  });
}

/// Where the lanes' words of each step start.
static std::vector<int32_t> offsetsOf(ArrayRef<PixelWords::Step> steps) {
  std::vector<int32_t> offsets;
  for (const PixelWords::Step &step : steps)
    offsets.push_back(static_cast<int32_t>(step.offset));
  return offsets;
}

namespace {
/// Output rows [first, first + rows) of an image; every band has as many rows,
/// the last one ends at the last row, and they overlap as little as they can.
struct Band {
  Value image, firstChannel, first;
  int64_t rows;

  static int64_t rowsOf(const PixelWords &pixels) {
    int64_t all = pixels.y.output;
    int64_t most = std::clamp<int64_t>(kBandLanes / pixels.pitch(), 1, all);
    int64_t bands = (all + most - 1) / most;
    return (all + bands - 1) / bands;
  }
};
} // namespace

/// Calls body(first) for the bands of an image.
static void forEachBand(KernelBuilder &k, int64_t rows, int64_t allRows,
                        llvm::function_ref<void(Value first)> body) {
  k.loop((allRows + rows - 1) / rows, [&](Value band) {
    body(arith::MinSIOp::create(k.b, k.mulIndex(band, rows),
                                k.index(allRows - rows)));
  });
}

/// Hands the sums of a band's pixels of some channels to `store`.
static void storePixels(KernelBuilder &k, const ConvSizes &s,
                        const PixelWords &pixels, const DotSums &block,
                        const Band &band,
                        llvm::function_ref<void(Value, Value, Value)> store) {
  // Rows without lanes in between are one.
  int64_t rows = pixels.pitch() == pixels.x.output ? 1 : band.rows;
  int64_t columns = band.rows * pixels.x.output / rows;
  Value start = k.mulIndex(band.first, pixels.x.output);
  k.loop(block.rows, [&](Value i) {
    Value channel = k.addIndex(band.firstChannel, k.addIndex(block.row, i));
    k.loops({rows, columns}, [&](ValueRange at) {
      Value lane = k.addIndex(k.mulIndex(at[0], pixels.pitch()), at[1]);
      Value pixel = k.addIndex(k.mulIndex(at[0], pixels.x.output), at[1]);
      store(channel,
            s.resultElement(k, band.image, channel, k.addIndex(start, pixel)),
            k.load(block.sums, {i, lane}));
    });
  });
}

void tally::cpu::emitDotConv(
    KernelBuilder &k, const ConvSizes &s, const ConstantPanel &weights,
    ArrayRef<int64_t> addends,
    llvm::function_ref<void(Value, Value, Value)> store) {
  std::unique_ptr<PixelWords> pixels = pixelWords(s);
  std::vector<PixelWords::Step> steps = pixels->steps();
  int64_t rows = Band::rowsOf(*pixels), pitch = pixels->pitch();
  DotShape shape = {s.outputs, (rows - 1) * pitch + pixels->x.output,
                    static_cast<int64_t>(steps.size())};
  PixelCodes codes = {k.flatOperand(0), eval::isSigned(s.input.element),
                      unsignedZero(s.input)};
  Value words = k.constant(weightWords(k.tier, s, shape, weights, steps));
  Value offsets = k.constant<int32_t>(offsetsOf(steps));
  Value starts = k.constant<int32_t>(dotStarts(s.input, weights, addends));
  Value copy = pixels->prepare(k, codes);
  auto sumsType = VectorType::get({kDotLanes}, k.i32());
  auto emitBand = [&](const Band &band) {
    Value firstLane = k.mulIndex(band.first, pitch);
    auto place = [&](Value quad, Value lane) {
      Value offset = k.toIndex(k.load(offsets, quad), /*isSigned=*/true);
      return k.addIndex(offset, k.addIndex(firstLane, lane));
    };
    emitDotProduct(
        k, shape,
        {DotTiledWords{words, band.firstChannel}, copy, place,
         /*areLanesUnsigned=*/true},
        DotOrder::RowsOutside,
        [&](Value row, Value) -> Value {
          Value start = k.load(starts, k.addIndex(band.firstChannel, row));
          return vector::BroadcastOp::create(k.b, sumsType, start);
        },
        [&](const DotSums &block) {
          storePixels(k, s, *pixels, block, band, store);
        });
  };
  k.loops({s.input.shape[0], s.group}, [&](ValueRange at) {
    Value firstInput = k.addIndex(k.mulIndex(at[0], s.group * s.channels),
                                  k.mulIndex(at[1], s.channels));
    pixels->copyFrom(k, codes, k.mulIndex(firstInput, s.inputPixels));
    Value firstChannel = k.mulIndex(at[1], s.outputs);
    forEachBand(k, rows, pixels->y.output, [&](Value first) {
      emitBand({at[0], firstChannel, first, rows});
    });
  });
}
