//===- DotConvTranspose.cpp - transposed convolutions of bytes ------------===//
//
// Where the stride is the kernel, an input pixel makes a block of output pixels
// of its own, one for each tap. Rows are input pixels, and columns the output
// channels for one tap after the other, each rounded up to whole vectors:
//
//     kernel 2x2, 3 channels:   columns 0..2   of tap (0,0), 16..18 of (0,1),
//                               32..34 of (1,0), 48..50 of (1,1)
//
// With a single output channel that would be fifteen columns of sixteen for
// nothing. There columns are taps, and products are those of one line of the
// input: their sums are put in the order of the pixels, from which vectors
// along an output line are finished.
//
// In the panel of weights taps are reversed, as for a convolution over the
// input with its elements spread apart (Conv.cpp).
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/DotConvTranspose.h"
#include "tally/cpu/kernels/ByteProduct.h"
#include "tally/cpu/kernels/PixelRun.h"
#include "tally/cpu/lower/DotOperands.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::isDotConvTranspose(const KernelBuilder &k, const ConvSizes &s,
                                    const ConstantPanel &weights, bool wide) {
  const WindowShape &w = s.window;
  auto hasOneTap = [&](size_t d) {
    return w.spread[d] == w.kernel[d] && w.dilations[d] == 1 &&
           w.pads[d] == w.kernel[d] - 1 &&
           w.output[d] == w.input[d] * w.kernel[d];
  };
  return s.isTransposed && s.group == 1 && w.rank() <= 2 &&
         llvm::all_of(llvm::seq<size_t>(0, w.rank()), hasOneTap) &&
         canUseDots(k, s.input, weights, wide);
}

namespace {
class DotConvTranspose {
public:
  DotConvTranspose(KernelBuilder &k, const ConvSizes &s,
                   const ConstantPanel &weights);
  void emit(ArrayRef<int64_t> addends, FinishChannels finish);
  /// By lines, where hasLines: takes vectors along an output line.
  void emitLines(ArrayRef<int64_t> addends, FinishChannels finish);

private:
  bool areSigned() const { return eval::isSigned(s.input.element); }
  bool flipsSign() const { return areSigned() && !readsSignedRows(k.tier); }
  bool readsAsTheyAre() const;
  int64_t zero() const {
    return s.input.quant->zeroPoint() + (flipsSign() ? 128 : 0);
  }
  /// A step of a column and an input channel; 0 where there is no channel.
  int64_t step(int64_t column, int64_t channel) const;
  Value starts(ArrayRef<int64_t> addends);
  ByteColumns columns(ArrayRef<int64_t> addends);
  void emitProduct(Value base, Value copy, const ByteColumns &columns,
                   FinishLanes finish);
  void finishLine(Value image, Value line, Value sums, FinishChannels finish);
  Value pixel(Value row, Value tap);
  void finishVector(Value image, Value row, Value column, Value sums,
                    FinishChannels finish);

  KernelBuilder &k;
  const ConvSizes &s;
  const ConstantPanel &weights;
  const bool byLines;
  const int64_t tapColumns; ///< of one tap, padding included
  PixelRun run;
  ByteShape shape;
};
} // namespace

/// Whether products are those of one line of the input.
static bool hasLines(Tier tier, const ConvSizes &s) {
  bool isAvx2 = tier == Tier::Avx2 || tier == Tier::AvxVnni;
  return isAvx2 && s.outputs == 1 && s.taps <= kDotLanes;
}

static PixelRun runOf(const ConvSizes &s, bool byLines) {
  int64_t pixels =
      byLines ? s.window.input.back() : eval::elementCount(s.window.input);
  return {
      {1, 1, 1, 1, 0, 1}, {pixels, pixels, 1, 1, 0, 1}, s.channels, s.channels};
}

DotConvTranspose::DotConvTranspose(KernelBuilder &k, const ConvSizes &s,
                                   const ConstantPanel &weights)
    : k(k), s(s), weights(weights), byLines(hasLines(k.tier, s)),
      tapColumns(byLines ? 1 : vectorsOf(s.outputs) * kDotLanes),
      run(runOf(s, byLines)),
      shape{run.rows(), s.taps * tapColumns, run.chunks(), run.chunkBytes()} {}

bool DotConvTranspose::readsAsTheyAre() const {
  return s.inputStrides[1] == 1 && !flipsSign() && shape.bytesBehind() == 0;
}

int64_t DotConvTranspose::step(int64_t column, int64_t channel) const {
  int64_t tap = column / tapColumns, m = column % tapColumns;
  if (m >= s.outputs)
    return 0;
  int64_t term = channel * s.taps + s.taps - 1 - tap;
  return eval::loadInt(weights.tensor, m * s.k_ + term);
}

Value DotConvTranspose::starts(ArrayRef<int64_t> addends) {
  std::vector<int32_t> values;
  for (int64_t column = 0; column < shape.columns; ++column) {
    int64_t sum = 0, m = column % tapColumns;
    for (int64_t channel = 0; channel < s.channels; ++channel)
      sum += step(column, channel);
    int64_t addend = m < s.outputs ? addends[m] : 0;
    values.push_back(wrapTo32(addend - zero() * sum));
  }
  return k.constant(packStarts(shape, 1, values));
}

/// The output pixel that a tap makes of an input pixel.
Value DotConvTranspose::pixel(Value row, Value tap) {
  auto divide = [&](Value value, int64_t by) {
    return std::pair<Value, Value>(
        arith::DivUIOp::create(k.b, value, k.index(by)),
        arith::RemUIOp::create(k.b, value, k.index(by)));
  };
  const WindowShape &w = s.window;
  int64_t tall = w.rank() == 2 ? w.kernel[0] : 1, wide = w.kernel.back();
  auto [y, x] = divide(row, w.input.back());
  auto [tapY, tapX] = divide(tap, wide);
  Value line = k.addIndex(k.mulIndex(y, tall), tapY);
  Value place = k.addIndex(k.mulIndex(x, wide), tapX);
  return k.addIndex(k.mulIndex(line, w.output.back()), place);
}

/// The sums of sixteen columns, which are of one tap.
void DotConvTranspose::finishVector(Value image, Value row, Value column,
                                    Value sums, FinishChannels finish) {
  Value size = k.index(tapColumns);
  Value tap = arith::DivUIOp::create(k.b, column, size);
  Value channel = arith::RemUIOp::create(k.b, column, size);
  Value to = pixel(row, tap);
  int64_t rest = s.outputs % kDotLanes;
  if (rest == 0 || s.outputs < kDotLanes)
    return finish(image, to, channel, rest ? rest : kDotLanes, sums);
  Value isFull = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, channel,
                                       k.index(s.outputs - rest));
  auto branch = scf::IfOp::create(k.b, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(branch.thenBlock());
  finish(image, to, channel, kDotLanes, sums);
  k.b.setInsertionPointToStart(branch.elseBlock());
  finish(image, to, channel, rest, sums);
}

ByteColumns DotConvTranspose::columns(ArrayRef<int64_t> addends) {
  auto byteStep = [&](int64_t column, int64_t chunk, int64_t byte) {
    return step(column, run.term(chunk, byte).first);
  };
  return {packedColumns(k, shape, 1, byteStep), starts(addends)};
}

/// The product of the pixels whose bytes begin at `base` of the input, or of
/// their copy.
void DotConvTranspose::emitProduct(Value base, Value copy,
                                   const ByteColumns &columns,
                                   FinishLanes finish) {
  if (copy)
    run.emitCopy(k,
                 {k.flatOperand(0), s.inputStrides[1], s.inputStrides.back(),
                  flipsSign(), zero()},
                 base, copy);
  emitByteProduct(k, shape,
                  {copy ? copy : k.flatOperand(0), copy ? k.index(0) : base,
                   run.pitch(), areSigned() && !flipsSign()},
                  columns, finish);
}

void DotConvTranspose::emit(ArrayRef<int64_t> addends, FinishChannels finish) {
  Value copy;
  if (readsAsTheyAre())
    run.stayInPlace();
  else
    copy = k.scratch({run.copyBytes() + shape.bytesBehind()}, k.i8());
  ByteColumns right = columns(addends);
  int64_t imageElements = s.input.count() / s.input.shape[0];
  k.loop(s.input.shape[0], [&](Value image) {
    emitProduct(
        k.mulIndex(image, imageElements), copy, right,
        [&](Value row, Value column, int64_t count, Value sums) {
          for (int64_t lane = 0; lane < count; lane += kDotLanes) {
            auto own = llvm::to_vector(llvm::seq(lane, lane + kDotLanes));
            finishVector(image, row, k.addIndex(column, k.index(lane)),
                         vector::ShuffleOp::create(k.b, sums, sums, own),
                         finish);
          }
        });
  });
}

/// An output line, whose sums stand in memory from 0 on.
void DotConvTranspose::finishLine(Value image, Value line, Value sums,
                                  FinishChannels finish) {
  constexpr int64_t kLanes = 2 * kDotLanes;
  int64_t pixels = s.window.output.back();
  auto some = [&](Value first, int64_t count) {
    auto type = VectorType::get({vectorsOf(count) * kDotLanes}, k.i32());
    finish(image, k.addIndex(k.mulIndex(line, pixels), first), k.index(0),
           count, vector::LoadOp::create(k.b, type, sums, ValueRange{first}));
  };
  k.loop(pixels / kLanes,
         [&](Value i) { some(k.mulIndex(i, kLanes), kLanes); });
  if (int64_t rest = pixels % kLanes)
    some(k.index(pixels - rest), rest);
}

void DotConvTranspose::emitLines(ArrayRef<int64_t> addends,
                                 FinishChannels finish) {
  bool isInPlace = readsAsTheyAre();
  if (isInPlace)
    run.stayInPlace();
  ByteColumns right = columns(addends);
  const WindowShape &w = s.window;
  int64_t wide = w.kernel.back(), tall = s.taps / wide, pixels = w.input.back();
  int64_t imageElements = s.input.count() / s.input.shape[0];
  int64_t lines = eval::elementCount(w.input) / pixels;
  k.parallelLoops({s.input.shape[0], lines}, [&](ValueRange at) {
    Value copy;
    if (!isInPlace)
      copy = k.scratch({run.copyBytes() + shape.bytesBehind()}, k.i8());
    // Of each output line; vectors may end behind it.
    SmallVector<Value> sums;
    for (int64_t tapY = 0; tapY < tall; ++tapY)
      sums.push_back(
          k.scratch({vectorsOf(pixels * wide) * kDotLanes}, k.i32()));
    Value base = k.addIndex(k.mulIndex(at[0], imageElements),
                            k.mulIndex(at[1], pixels * s.inputStrides.back()));
    emitProduct(base, copy, right, [&](Value row, Value, int64_t, Value taps) {
      for (int64_t tapY = 0; tapY < tall; ++tapY) {
        auto own = llvm::to_vector(llvm::seq(tapY * wide, (tapY + 1) * wide));
        vector::StoreOp::create(k.b,
                                vector::ShuffleOp::create(k.b, taps, taps, own),
                                sums[tapY], ValueRange{k.mulIndex(row, wide)});
      }
    });
    for (int64_t tapY = 0; tapY < tall; ++tapY)
      finishLine(at[0], k.addIndex(k.mulIndex(at[1], tall), k.index(tapY)),
                 sums[tapY], finish);
  });
}

void tally::cpu::emitDotConvTranspose(KernelBuilder &k, const ConvSizes &s,
                                      const ConstantPanel &weights,
                                      ArrayRef<int64_t> addends,
                                      FinishChannels finish,
                                      FinishChannels finishPixels) {
  DotConvTranspose conv(k, s, weights);
  if (hasLines(k.tier, s))
    conv.emitLines(addends, finishPixels);
  else
    conv.emit(addends, finish);
}
