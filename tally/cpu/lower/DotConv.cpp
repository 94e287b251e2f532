//===- DotConv.cpp - convolutions of bytes as products of bytes -----------===//
//
// Rows are output pixels and columns are output channels, so results are made
// channels last: all channels of a pixel are neighbours. The input is read as
// it lies where that is channels last and no padding is read, else from a copy
// (PixelRun.h). A padded pixel is the zero point.
//
// Groups of few channels would leave most columns of a vector empty. Several of
// them are one product then, whose steps are 0 where a column meets channels of
// another group:
//
//     2 groups of 2 channels:    a b 0 0
//                                c d 0 0
//                                0 0 e f
//                                0 0 g h
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/DotConv.h"
#include "tally/cpu/kernels/ByteProduct.h"
#include "tally/cpu/kernels/ByteTranspose.h"
#include "tally/cpu/kernels/PixelRun.h"
#include "tally/cpu/kernels/Winograd.h"
#include "tally/cpu/kernels/WinogradTransforms.h"
#include "tally/cpu/lower/DotOperands.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Codes without sign and steps of 8 bits.
static constexpr int64_t kMostCode = 255;
static constexpr int64_t kMostStep = 128;

bool tally::cpu::isDotConv(const KernelBuilder &k, const ConvSizes &s,
                           const ConstantPanel &weights, bool wide) {
  return canUseDots(k, s.input, weights, wide) && !s.isTransposed &&
         (s.window.rank() == 1 || s.window.rank() == 2);
}

/// The spatial dimensions, y and x. Pixels of a 1x1 convolution are one line.
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
  if (isPointwise)
    return {one, {s.pixels, s.pixels, 1, 1, 0, 1}};
  return {axis(0), axis(1)};
}

/// How many groups are one product: as many as fill a vector's columns.
static int64_t groupsInOne(const ConvSizes &s) {
  int64_t most = std::clamp<int64_t>(kDotLanes / s.outputs, 1, s.group);
  while (s.group % most)
    --most;
  return most;
}

namespace {
/// One convolution in this form.
class DotConv {
public:
  DotConv(KernelBuilder &k, const ConvSizes &s, const ConstantPanel &weights,
          ArrayRef<int64_t> addends);
  void emit(FinishChannels finish);

private:
  bool canUseSquares() const;
  PatchSource patches() const;
  Value channelsLast();
  void emitBySquares(const ProductSchedule &schedule, FinishChannels finish);
  void emitPixels(FinishChannels finish);
  bool areSigned() const { return eval::isSigned(s.input.element); }
  bool readsAsTheyAre() const;
  /// The zero point of the bytes that the product reads.
  int64_t zero() const {
    bool isMoved = areSigned() && !readsSignedRows(k.tier);
    return s.input.quant->zeroPoint() + (isMoved ? 128 : 0);
  }
  PixelSource source();
  Value packedColumns();
  Value packedStarts(ArrayRef<int64_t> addends);
  /// All groups of the images behind `image`, whose bytes begin at `base`.
  void emitProducts(Value bytes, Value base, Value image,
                    FinishChannels finish);
  /// Finishes a row where it is a pixel.
  void finishRow(Value image, Value row, Value channel, int64_t count,
                 Value sums, FinishChannels finish);

  KernelBuilder &k;
  const ConvSizes &s;
  const ConstantPanel &weights;
  int64_t merged; ///< groups in one product
  PixelRun run;
  ByteShape shape;
  bool isInPlace;
  Value columns, starts, pixels;
};
} // namespace

static PixelRun runOf(const ConvSizes &s, int64_t merged) {
  auto [y, x] = axesOf(s);
  return {y, x, s.group * s.channels, merged * s.channels};
}

DotConv::DotConv(KernelBuilder &k, const ConvSizes &s,
                 const ConstantPanel &weights, ArrayRef<int64_t> addends)
    : k(k), s(s), weights(weights), merged(groupsInOne(s)),
      run(runOf(s, merged)) {
  auto sizes = [&] {
    return ByteShape{run.rows(), merged * s.outputs, run.chunks(),
                     run.chunkBytes()};
  };
  shape = sizes();
  isInPlace = readsAsTheyAre();
  if (isInPlace) {
    run.stayInPlace();
    shape = sizes();
  }
  if (canUseSquares()) {
    shape.squares = patches().squares();
    shape.channels = s.channels;
  }
  columns = packedColumns();
  starts = packedStarts(addends);
}

bool DotConv::readsAsTheyAre() const {
  bool isChannelsLast = s.inputStrides[1] == 1;
  bool canRead = !areSigned() || readsSignedRows(k.tier);
  return isChannelsLast && canRead && run.readsInPlace() &&
         shape.bytesBehind() == 0;
}

PixelSource DotConv::source() {
  return {k.flatOperand(0), s.inputStrides[1], s.inputStrides.back(),
          areSigned() && !readsSignedRows(k.tier), zero()};
}

Value DotConv::packedColumns() {
  auto step = [&](int64_t m, int64_t chunk, int64_t byte) -> int64_t {
    auto [channel, tap] = run.term(chunk, byte);
    int64_t inProduct = m / s.outputs % merged;
    if (channel / s.channels != inProduct)
      return 0;
    int64_t term = channel % s.channels * s.taps + tap;
    return eval::loadInt(weights.tensor, m * s.k_ + term);
  };
  return tally::cpu::packedColumns(k, shape, s.group / merged, step);
}

Value DotConv::packedStarts(ArrayRef<int64_t> addends) {
  std::vector<int32_t> values = dotStarts(zero(), weights, addends);
  return k.constant(packStarts(shape, s.group / merged, values));
}

void DotConv::finishRow(Value image, Value row, Value channel, int64_t count,
                        Value sums, FinishChannels finish) {
  if (!pixels)
    return finish(image, row, channel, count, sums);
  Value pixel = k.load(pixels, row);
  Value isPixel = arith::CmpIOp::create(k.b, arith::CmpIPredicate::sge, pixel,
                                        k.integer(k.i32(), 0));
  auto branch = scf::IfOp::create(k.b, isPixel);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(branch.thenBlock());
  finish(image, k.toIndex(pixel, /*isSigned=*/false), channel, count, sums);
}

void DotConv::emitProducts(Value bytes, Value base, Value image,
                           FinishChannels finish) {
  int64_t products = s.group / merged;
  k.parallelLoop(products, [&](Value product) {
    Value first = k.mulIndex(product, merged * s.channels);
    Value firstChannel = k.mulIndex(product, shape.columns);
    emitByteProduct(k, shape,
                    {bytes, k.addIndex(base, first), run.pitch(),
                     areSigned() && readsSignedRows(k.tier)},
                    {columns, starts, product},
                    [&](Value row, Value column, int64_t count, Value sums) {
                      finishRow(image, row, k.addIndex(firstChannel, column),
                                count, sums, finish);
                    });
  });
}

//===----------------------------------------------------------------------===//
// By squares
//===----------------------------------------------------------------------===//

/// What a channel's sum of codes without sign times its steps can be.
static std::vector<Interval> sumsOfCodes(const ConstantPanel &weights) {
  int64_t rows = weights.tensor.shape[0], terms = weights.tensor.shape[1];
  std::vector<Interval> sums(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows * terms; ++i) {
    int64_t step = eval::loadInt(weights.tensor, i);
    Interval &sum = sums[static_cast<size_t>(i / terms)];
    (step < 0 ? sum.lo : sum.hi) += kMostCode * step;
  }
  return sums;
}

bool DotConv::canUseSquares() const {
  const WindowShape &w = s.window;
  auto areAll = [](const auto &values, int64_t wanted) {
    return llvm::all_of(values, [&](int64_t v) { return v == wanted; });
  };
  bool isDense = s.group == 1 && s.channels % kSquareChannels == 0;
  bool fits = hasSquares(k.tier) && isDense && w.rank() == 2 &&
              areAll(w.kernel, kKernel) && areAll(w.strides, 1) &&
              areAll(w.dilations, 1);
  return fits && areSquaresExact(kMostCode, kMostStep, sumsOfCodes(weights));
}

/// The input as squares read it.
PatchSource DotConv::patches() const {
  auto [y, x] = axesOf(s);
  return {{},
          areSigned(),
          s.input.quant->zeroPoint(),
          s.input.shape[0],
          s.channels,
          y,
          x};
}

/// The input, or a copy of one in plain order.
Value DotConv::channelsLast() {
  if (s.inputStrides[1] == 1)
    return k.flatOperand(0);
  Value plain = k.flatOperand(0);
  Value copy = k.scratch({s.input.count()}, k.i8());
  int64_t pixels = s.inputStrides[1];
  k.parallelLoop(s.input.shape[0], [&](Value image) {
    Value first = k.mulIndex(image, s.channels * pixels);
    emitByteTranspose(k, {plain, first, pixels}, {copy, first, s.channels},
                      s.channels, pixels);
  });
  return copy;
}

void DotConv::emitBySquares(const ProductSchedule &schedule,
                            FinishChannels finish) {
  PatchSource source = patches();
  source.codes = channelsLast();
  emitSquares(k, source, shape, {columns, starts}, schedule, finish);
}

//===----------------------------------------------------------------------===//
// By pixels
//===----------------------------------------------------------------------===//

void DotConv::emit(FinishChannels finish) {
  if (shape.squares) {
    auto schedule = k.scheduleOf(dotTask(k.tier, shape, run.pitch()));
    if (schedule.transforms)
      return emitBySquares(schedule, finish);
  }
  emitPixels(finish);
}

void DotConv::emitPixels(FinishChannels finish) {
  if (!run.isDense())
    pixels = k.constant<int32_t>(run.pixels());
  int64_t imageElements = s.input.count() / s.input.shape[0];
  if (isInPlace)
    return k.loop(s.input.shape[0], [&](Value image) {
      emitProducts(k.flatOperand(0), k.mulIndex(image, imageElements), image,
                   finish);
    });
  PixelSource from = source();
  Value copy = k.scratch({run.copyBytes() + shape.bytesBehind()}, k.i8());
  k.loop(s.input.shape[0], [&](Value image) {
    run.emitCopy(k, from, k.mulIndex(image, imageElements), copy);
    emitProducts(copy, k.index(0), image, finish);
  });
}

void tally::cpu::emitDotConv(KernelBuilder &k, const ConvSizes &s,
                             const ConstantPanel &weights,
                             ArrayRef<int64_t> addends, FinishChannels finish) {
  DotConv(k, s, weights, addends).emit(finish);
}
