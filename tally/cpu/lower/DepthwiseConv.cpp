//===- DepthwiseConv.cpp - convolutions of each channel alone -------------===//
//
// Lanes are channels. The products of four taps of a column of the kernel are
// one instruction, once the bytes of four lines stand side by side:
//
//     line 0      a0 a1 a2 ...        a0 b0 c0 z | a1 b1 c1 z | ...
//     line 1      b0 b1 b2 ...   =>   a word for each channel, whose last byte
//     line 2      c0 c1 c2 ...        meets a weight of 0 in a 3x3 kernel
//
// Such words of a column of the input serve every window that holds the column,
// so a walk along an output line makes each of them once and carries those that
// the next window shares. Up to 64 channels go along at a time; weights, words
// and sums are all in registers then. What is in the padding is the zero point.
//
// Cost, for 3x3 windows with stride 1 and 16 outputs: 3 loads, 4 shuffles, 3
// products.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/DepthwiseConv.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/lower/DepthwisePairs.h"
#include "tally/cpu/lower/DotOperands.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::isDepthwiseConv(const KernelBuilder &k, const ConvSizes &s,
                                 const ConstantPanel &weights, bool wide) {
  // Vectors that overlap finish some channels twice.
  bool overlaps = s.group % kDotLanes != 0;
  if (overlaps && ConvSizes::writesOverOperand(k))
    return false;
  return isDotConv(k, s, weights, wide) && s.channels == 1 && s.outputs == 1 &&
         s.group >= kDotLanes && s.inputStrides[1] == 1 &&
         s.resultStrides[1] == 1;
}

namespace {
/// Vectors of sixteen channels that go along at a time. The first channel of
/// each, and where its weights and starts are among those of all vectors.
struct ChannelGroup {
  SmallVector<Value> channels, vectors;
  bool isContiguous;
  size_t size() const { return channels.size(); }
};

/// The words of one column of the input: [vector of the block][quad of taps].
using Column = SmallVector<Value>;

class DepthwiseConv {
public:
  DepthwiseConv(KernelBuilder &k, const ConvSizes &s,
                const ConstantPanel &weights, ArrayRef<int64_t> addends);
  void emit(FinishChannels finish);

private:
  int64_t quads() const { return quadsOf(y.kernel); }
  int64_t vectors() const { return vectorsOf(s.group); }
  /// The last vector ends at the last channel.
  int64_t firstChannel(int64_t vector) const {
    return std::min(vector * kDotLanes, s.group - kDotLanes);
  }
  int64_t vectorsAtATime() const;
  Value packedWeights() const;
  Value packedStarts(ArrayRef<int64_t> addends) const;

  void forEachBlock(llvm::function_ref<void(const ChannelGroup &)> body);
  void emitLine(const ChannelGroup &block, Value image, Value line,
                FinishChannels finish);
  SmallVector<Value> loadWeights(const ChannelGroup &block);
  Column loadColumn(const ChannelGroup &block, ArrayRef<Value> lines, Value at);
  Value loadTap(Value channel, Value line, Value at, Value isInside);
  Value wordsOf(ArrayRef<Value> taps);
  Value productSum(const ChannelGroup &block, size_t vector,
                   ArrayRef<Column> window, ArrayRef<Value> weights);

  KernelBuilder &k;
  const ConvSizes &s;
  const ConstantPanel &weights;
  PixelAxis y, x;
  bool areSigned;
  Value input, weightWords, starts, padding;
  SmallVector<Value> areLinesInside; ///< of the taps of the line in work
};
} // namespace

PixelAxis tally::cpu::axisOf(const ConvSizes &s, size_t fromBehind) {
  const WindowShape &w = s.window;
  if (fromBehind >= w.rank())
    return {1, 1, 1, 1, 0, 1};
  size_t d = w.rank() - 1 - fromBehind;
  return {w.input[d],   w.output[d], w.kernel[d],
          w.strides[d], w.pads[d],   w.dilations[d]};
}

/// Vectors of one type, 1, 2 or 4, one behind the other.
static Value joinLanes(KernelBuilder &k, ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  Value a = joinLanes(k, parts.take_front(parts.size() / 2));
  Value b = joinLanes(k, parts.drop_front(parts.size() / 2));
  int64_t lanes = 2 * cast<VectorType>(a.getType()).getNumElements();
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  return vector::ShuffleOp::create(k.b, a, b, all);
}

static VectorType vectorOf(int64_t count, Type type) {
  return VectorType::get({count}, type);
}

DepthwiseConv::DepthwiseConv(KernelBuilder &k, const ConvSizes &s,
                             const ConstantPanel &weights,
                             ArrayRef<int64_t> addends)
    : k(k), s(s), weights(weights), y(axisOf(s, 1)), x(axisOf(s, 0)),
      areSigned(eval::isSigned(s.input.element)), input(k.flatOperand(0)),
      weightWords(packedWeights()), starts(packedStarts(addends)) {
  Value zero = k.integer(k.i8(), s.input.quant->zeroPoint());
  padding = vector::BroadcastOp::create(k.b, vectorOf(kDotLanes, k.i8()), zero);
}

/// Weights, the words of a window and a sum stay within the registers. Half or
/// a quarter of a vector is one where registers are shorter.
int64_t DepthwiseConv::vectorsAtATime() const {
  int64_t registers = registerLanesOf(k.tier) == kDotLanes ? 30 : 7;
  int64_t perVector = 2 * x.kernel * quads() + 1;
  return std::clamp<int64_t>(registers / perVector, 1,
                             std::min<int64_t>(4, vectors()));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Of each vector, tap along x and quad along y: sixteen words.
Value DepthwiseConv::packedWeights() const {
  std::vector<int32_t> words;
  for (int64_t vector = 0; vector < vectors(); ++vector)
    for (int64_t tx = 0; tx < x.kernel; ++tx)
      for (int64_t quad = 0; quad < quads(); ++quad)
        for (int64_t lane = 0; lane < kDotLanes; ++lane)
          words.push_back(dotWord([&](int64_t byte) -> int64_t {
            int64_t ty = quad * kDotTerms + byte;
            int64_t row = (firstChannel(vector) + lane) * s.taps;
            return ty < y.kernel
                       ? eval::loadInt(weights.tensor, row + ty * x.kernel + tx)
                       : 0;
          }));
  return k.constant<int32_t>(words);
}

Value DepthwiseConv::packedStarts(ArrayRef<int64_t> addends) const {
  std::vector<int32_t> all = dotStarts(unsignedZero(s.input), weights, addends),
                       packed;
  for (int64_t vector = 0; vector < vectors(); ++vector)
    for (int64_t lane = 0; lane < kDotLanes; ++lane)
      packed.push_back(all[firstChannel(vector) + lane]);
  return k.constant<int32_t>(packed);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Sixteen channels of the pixel `at` of `line`, or the zero point.
Value DepthwiseConv::loadTap(Value channel, Value line, Value at,
                             Value isInside) {
  Value pixel = k.addIndex(k.mulIndex(line, x.input), at);
  Value place = k.addIndex(channel, k.mulIndex(pixel, s.group));
  Value bytes = vector::LoadOp::create(k.b, vectorOf(kDotLanes, k.i8()), input,
                                       ValueRange{place});
  return isInside ? arith::SelectOp::create(k.b, isInside, bytes, padding)
                        .getResult()
                  : bytes;
}

/// The bytes of up to four taps side by side, as unsigned ones. A tap that is
/// not there meets weights of 0.
Value DepthwiseConv::wordsOf(ArrayRef<Value> taps) {
  auto tap = [&](size_t i) { return taps[std::min(i, taps.size() - 1)]; };
  Value bytes = joinLanes(k, {tap(0), tap(1), tap(2), tap(3)});
  // First the words of each four channels next to one another, then their
  // bytes; neither moves a byte both across and within 128 bits.
  auto wordsType = vectorOf(kDotLanes, k.i32());
  SmallVector<int64_t> wordOf, byteOf;
  for (int64_t lane = 0; lane < kDotLanes; ++lane) {
    wordOf.push_back(lane % 4 * 4 + lane / 4);
    for (int64_t i = 0; i < kDotTerms; ++i)
      byteOf.push_back(lane / 4 * 16 + i * 4 + lane % 4);
  }
  Value words = vector::BitCastOp::create(k.b, wordsType, bytes);
  words = vector::ShuffleOp::create(k.b, words, words, wordOf);
  bytes = vector::BitCastOp::create(k.b, bytes.getType(), words);
  bytes = vector::ShuffleOp::create(k.b, bytes, bytes, byteOf);
  words = vector::BitCastOp::create(k.b, wordsType, bytes);
  if (!areSigned)
    return words;
  Value flip = vector::BroadcastOp::create(
      k.b, words.getType(),
      k.integer(k.i32(), static_cast<int32_t>(0x80808080)));
  return arith::XOrIOp::create(k.b, words, flip);
}

/// The words of the pixels `at` of the lines that the taps along y read.
Column DepthwiseConv::loadColumn(const ChannelGroup &block,
                                 ArrayRef<Value> lines, Value at) {
  Value isInside;
  if (x.pad > 0 || x.reach() > x.input) {
    isInside = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, at,
                                     k.index(x.input));
    at = arith::SelectOp::create(k.b, isInside, at, k.index(0));
  }
  Column column;
  for (Value channel : block.channels)
    for (int64_t quad = 0; quad < quads(); ++quad) {
      SmallVector<Value> taps;
      for (int64_t ty = quad * kDotTerms;
           ty < std::min((quad + 1) * kDotTerms, y.kernel); ++ty) {
        Value both = areLinesInside[ty];
        if (both && isInside)
          both = arith::AndIOp::create(k.b, both, isInside);
        taps.push_back(loadTap(channel, lines[ty], at, both ? both : isInside));
      }
      column.push_back(wordsOf(taps));
    }
  return column;
}

SmallVector<Value> DepthwiseConv::loadWeights(const ChannelGroup &block) {
  SmallVector<Value> loaded;
  int64_t perVector = x.kernel * quads();
  for (Value vector : block.vectors)
    for (int64_t i = 0; i < perVector; ++i) {
      Value word = k.addIndex(k.mulIndex(vector, perVector), k.index(i));
      loaded.push_back(
          vector::LoadOp::create(k.b, vectorOf(kDotLanes, k.i32()), weightWords,
                                 ValueRange{k.mulIndex(word, kDotLanes)}));
    }
  return loaded;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value DepthwiseConv::productSum(const ChannelGroup &block, size_t vector,
                                ArrayRef<Column> window,
                                ArrayRef<Value> weights) {
  Value sum = vector::LoadOp::create(
      k.b, vectorOf(kDotLanes, k.i32()), starts,
      ValueRange{k.mulIndex(block.vectors[vector], kDotLanes)});
  for (int64_t tx = 0; tx < x.kernel; ++tx)
    for (int64_t quad = 0; quad < quads(); ++quad) {
      size_t step = tx * quads() + quad;
      sum = addDots(k, sum, window[tx][vector * quads() + quad],
                    weights[vector * x.kernel * quads() + step]);
    }
  return sum;
}

/// Finishes neighbouring channels as one vector where that is one of 16, 32 or
/// 64.
static void finishSums(KernelBuilder &k, const ChannelGroup &block, Value image,
                       Value pixel, ArrayRef<Value> sums,
                       FinishChannels finish) {
  for (size_t i = 0, many = 0; i < sums.size(); i += many) {
    many = block.isContiguous ? llvm::bit_floor(sums.size() - i) : 1;
    finish(image, pixel, block.channels[i],
           static_cast<int64_t>(many) * kDotLanes,
           joinLanes(k, sums.slice(i, many)));
  }
}

/// The output line `line`, from left to right.
void DepthwiseConv::emitLine(const ChannelGroup &block, Value image, Value line,
                             FinishChannels finish) {
  SmallVector<Value> lines;
  areLinesInside.clear();
  for (int64_t ty = 0; ty < y.kernel; ++ty) {
    Value at = k.addIndex(k.mulIndex(line, y.stride),
                          k.index(ty * y.dilation - y.pad));
    Value isInside;
    if (y.pad > 0 || y.reach() > y.input) {
      isInside = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, at,
                                       k.index(y.input));
      at = arith::SelectOp::create(k.b, isInside, at, k.index(0));
    }
    areLinesInside.push_back(isInside);
    lines.push_back(k.addIndex(k.mulIndex(image, y.input), at));
  }
  SmallVector<Value> loaded = loadWeights(block);
  // A window shares its last columns with the next one.
  int64_t shared =
      x.dilation == 1 ? std::max<int64_t>(x.kernel - x.stride, 0) : 0;
  auto columnAt = [&](Value start, int64_t tx) {
    Value at = k.addIndex(start, k.index(tx * x.dilation - x.pad));
    return loadColumn(block, lines, at);
  };
  SmallVector<Value> carried;
  for (int64_t tx = 0; tx < shared; ++tx)
    llvm::append_range(carried, columnAt(k.index(0), tx));
  auto loop = scf::ForOp::create(k.b, k.index(0), k.index(x.output), k.index(1),
                                 carried);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  Value pixel = loop.getInductionVar();
  SmallVector<Column> window;
  size_t perColumn = block.size() * quads();
  for (int64_t tx = 0; tx < shared; ++tx)
    window.emplace_back(llvm::to_vector(
        ValueRange(loop.getRegionIterArgs()).slice(tx * perColumn, perColumn)));
  for (int64_t tx = shared; tx < x.kernel; ++tx)
    window.push_back(columnAt(k.mulIndex(pixel, x.stride), tx));
  SmallVector<Value> sums;
  for (size_t i = 0; i < block.size(); ++i)
    sums.push_back(productSum(block, i, window, loaded));
  finishSums(k, block, image, k.addIndex(k.mulIndex(line, x.output), pixel),
             sums, finish);
  SmallVector<Value> next;
  for (int64_t tx = x.kernel - shared; tx < x.kernel; ++tx)
    llvm::append_range(next, window[tx]);
  if (!next.empty())
    scf::YieldOp::create(k.b, next);
}

void DepthwiseConv::forEachBlock(
    llvm::function_ref<void(const ChannelGroup &)> body) {
  int64_t most = vectorsAtATime(), whole = s.group / kDotLanes / most;
  k.loop(whole, [&](Value i) {
    ChannelGroup block = {{}, {}, /*isContiguous=*/true};
    for (int64_t j = 0; j < most; ++j) {
      block.vectors.push_back(k.addIndex(k.mulIndex(i, most), k.index(j)));
      block.channels.push_back(k.mulIndex(block.vectors.back(), kDotLanes));
    }
    body(block);
  });
  ChannelGroup rest = {{}, {}, /*isContiguous=*/s.group % kDotLanes == 0};
  for (int64_t vector = whole * most; vector < vectors(); ++vector) {
    rest.vectors.push_back(k.index(vector));
    rest.channels.push_back(k.index(firstChannel(vector)));
  }
  if (rest.size())
    body(rest);
}

void DepthwiseConv::emit(FinishChannels finish) {
  k.parallelLoops({s.input.shape[0], y.output}, [&](ValueRange at) {
    forEachBlock([&](const ChannelGroup &block) {
      emitLine(block, at[0], at[1], finish);
    });
  });
}

void tally::cpu::emitDepthwiseConv(KernelBuilder &k, const ConvSizes &s,
                                   const ConstantPanel &weights,
                                   ArrayRef<int64_t> addends,
                                   FinishChannels finish) {
  if (hasDepthwisePairs(k.tier))
    return emitDepthwisePairs(k, s, weights, addends, finish);
  DepthwiseConv(k, s, weights, addends).emit(finish);
}
