//===- DepthwisePairs.cpp - depthwise convolutions by pairs of taps -------===//
//
// Where products are of 16 bits, an instruction multiplies and adds two taps in
// each of eight channels, once the codes of both stand side by side. Pairs are
// two rows of one column of the kernel; where rows are odd, those of the last
// one are two columns:
//
//     a b c      a d   b e   c f     of rows 0 and 1
//     d e f      g h   i -           of row 2
//     g h i
//
// so five pairs make a 3x3 window and thirteen one of 5x5. The lines that an
// output line reads are copied, the zero point where there is no input, so that
// what follows knows of no border. Then eight channels walk along the line:
// weights stay in registers, and so do the pairs of codes that the next window
// shares. Large kernels go in several such walks, which add to the same sums.
// Last, sums of 32 channels become codes together. Long lines go in segments
// that stay in the nearest cache.
//
// Cost, for eight outputs of a 3x3 convolution with stride 1: four loads and
// four shuffles, five products and additions, one store.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/DepthwisePairs.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/kernels/HalfWords.h"
#include "tally/cpu/lower/DepthwiseConv.h"
#include "tally/cpu/lower/DotOperands.h"
#include "tally/cpu/lower/PaddedLines.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static constexpr int64_t kSums = 8; ///< in a register
static constexpr int64_t kBlockLanes = 32;
static constexpr int64_t kHalfBlock = kBlockLanes / 2;
/// Pairs of a walk: as many weights and about as many codes are in registers.
static constexpr size_t kMostPairs = 6;
static constexpr int64_t kPixelsAtATime = 4;
/// Of codes and sums of a segment.
static constexpr int64_t kSegmentBytes = 12 << 10;

bool tally::cpu::hasDepthwisePairs(Tier tier) {
  return hasHalves(tier) && registerLanesOf(tier) == kSums;
}

namespace {
/// Neighbouring channels that go along at a time, 16 or 32.
struct Block {
  Value channel; ///< the first one
  Value packed;  ///< where it is among the channels in the order of packing
  int64_t lanes;
};

/// Pairs of taps of one or two rows of the kernel.
struct PairLine {
  int64_t row; ///< the first one
  bool isOneRow;
  int64_t firstPair, pairCount;
};

/// Two taps; the second may be none (-1), with a weight of 0. `column` is that
/// of the first in the kernel.
struct PairOfTaps {
  int64_t column, first, second;
};

/// Lines whose pairs are added up in one walk.
using Walk = SmallVector<PairLine>;

/// A pair of codes of a window: the first is in this row and column of the
/// kernel.
struct CodePlace {
  int64_t row, column;
  bool isOneRow;
  bool isAt(int64_t otherRow, int64_t otherColumn) const {
    return row == otherRow && column == otherColumn;
  }
};
using Window = SmallVector<CodePlace>;

class DepthwisePairs {
public:
  DepthwisePairs(KernelBuilder &k, const ConvSizes &s,
                 const ConstantPanel &weights, ArrayRef<int64_t> addends);
  void emit(FinishChannels finish);

private:
  void choosePairs();
  void chooseChannels();
  Value packedWeights() const;
  Value packedStarts(ArrayRef<int64_t> addends) const;

  int64_t columnsOf(int64_t pixels) const { return lines.columnsOf(pixels); }
  int64_t segmentPixels(int64_t lanes) const;
  void forEachBlock(llvm::function_ref<void(const Block &)> body);
  void emitLine(const Block &block, Value image, Value line,
                FinishChannels finish);
  void emitSegment(const Block &block, const LineSegment &segment,
                   FinishChannels finish);

  Window windowOf(const Walk &walk) const;
  bool isShared(const Window &window, const CodePlace &place) const;
  Value loadPair(const Block &block, const CodePlace &place, int64_t columns,
                 Value pixel, Value lane);
  SmallVector<Value> loadShared(const Block &block, const Window &window,
                                int64_t columns, Value lane);
  SmallVector<Value> addWindow(const Block &block, const Walk &walk,
                               int64_t columns, Value pixel, Value lane,
                               ValueRange shared);
  void emitWalk(const Block &block, const Walk &walk, int64_t pixels,
                Value lane);

  KernelBuilder &k;
  const ConvSizes &s;
  const ConstantPanel &weights;
  PixelAxis y, x;
  PaddedLines lines;
  SmallVector<Walk> walks;
  SmallVector<PairOfTaps> pairs;
  std::vector<int64_t> channels; ///< in the order of packing
  Value weightPairs, starts;
  Value copy, sums; ///< of the block in work
};
} // namespace

static VectorType vectorOf(int64_t count, Type type) {
  return VectorType::get({count}, type);
}

static Value loadVector(KernelBuilder &k, int64_t count, Type type,
                        Value memory, Value at) {
  return vector::LoadOp::create(k.b, vectorOf(count, type), memory,
                                ValueRange{at});
}

DepthwisePairs::DepthwisePairs(KernelBuilder &k, const ConvSizes &s,
                               const ConstantPanel &weights,
                               ArrayRef<int64_t> addends)
    : k(k), s(s), weights(weights), y(axisOf(s, 1)), x(axisOf(s, 0)),
      lines{y, x, s.group, k.flatOperand(0), s.input.quant->zeroPoint()} {
  choosePairs();
  chooseChannels();
  weightPairs = packedWeights();
  starts = packedStarts(addends);
}

void DepthwisePairs::choosePairs() {
  for (int64_t ty = 0; ty < y.kernel; ty += 2) {
    bool isOneRow = ty + 1 == y.kernel;
    auto tap = [&](int64_t row, int64_t tx) {
      return tx < x.kernel ? row * x.kernel + tx : -1;
    };
    PairLine line = {ty, isOneRow, static_cast<int64_t>(pairs.size()), 0};
    for (int64_t tx = 0; tx < x.kernel; tx += isOneRow ? 2 : 1)
      pairs.push_back(
          {tx, tap(ty, tx), isOneRow ? tap(ty, tx + 1) : tap(ty + 1, tx)});
    line.pairCount = static_cast<int64_t>(pairs.size()) - line.firstPair;
    bool isFull = walks.empty() ||
                  pairs.size() - walks.back().front().firstPair > kMostPairs;
    if (isFull)
      walks.emplace_back();
    walks.back().push_back(line);
  }
}

/// Blocks of 32 channels, and for the rest one of 32 or 16 that ends at the
/// last channel, whatever it overlaps; two of 16 where there are not 32.
void DepthwisePairs::chooseChannels() {
  int64_t whole = s.group / kBlockLanes * kBlockLanes, rest = s.group - whole;
  auto add = [&](int64_t first, int64_t count) {
    for (int64_t channel = first; channel < first + count; ++channel)
      channels.push_back(channel);
  };
  add(0, whole);
  if (rest > kHalfBlock)
    add(whole ? s.group - kBlockLanes : 0, kHalfBlock);
  if (rest)
    add(s.group - kHalfBlock, kHalfBlock);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Of each eight channels and pair of taps: two numbers for each channel.
Value DepthwisePairs::packedWeights() const {
  std::vector<int16_t> packed;
  auto weight = [&](int64_t channel, int64_t tap) {
    return tap < 0 ? 0 : eval::loadInt(weights.tensor, channel * s.taps + tap);
  };
  for (size_t first = 0; first < channels.size(); first += kSums)
    for (const PairOfTaps &pair : pairs)
      for (int64_t channel : ArrayRef(channels).slice(first, kSums))
        for (int64_t tap : {pair.first, pair.second})
          packed.push_back(static_cast<int16_t>(weight(channel, tap)));
  return k.constant<int16_t>(packed);
}

Value DepthwisePairs::packedStarts(ArrayRef<int64_t> addends) const {
  std::vector<int32_t> all =
      dotStarts(s.input.quant->zeroPoint(), weights, addends);
  std::vector<int32_t> packed;
  packed.reserve(channels.size());
  for (int64_t channel : channels)
    packed.push_back(all[channel]);
  return k.constant<int32_t>(packed);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Eight codes of two taps side by side, as numbers of 16 bits.
static Value interleave(KernelBuilder &k, Value a, Value b, bool areSigned) {
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < kSums; ++lane)
    places.append({lane, kSums + lane});
  Value bytes = vector::ShuffleOp::create(k.b, a, b, places);
  auto type = vectorOf(2 * kSums, k.i16());
  return areSigned ? arith::ExtSIOp::create(k.b, type, bytes).getResult()
                   : arith::ExtUIOp::create(k.b, type, bytes).getResult();
}

/// All pairs of codes of a window. Of one row, every other one is in use, but a
/// later window may need what is between.
Window DepthwisePairs::windowOf(const Walk &walk) const {
  Window window;
  for (const PairLine &line : walk) {
    int64_t last = pairs[line.firstPair + line.pairCount - 1].column;
    int64_t step = line.isOneRow && x.stride % 2 == 0 ? 2 : 1;
    for (int64_t column = 0; column <= last; column += step)
      window.push_back({line.row, column, line.isOneRow});
  }
  return window;
}

static const CodePlace *find(const Window &window, int64_t row,
                             int64_t column) {
  auto *place = llvm::find_if(
      window, [&](const CodePlace &p) { return p.isAt(row, column); });
  return place == window.end() ? nullptr : place;
}

/// Whether the window before has this pair, too.
bool DepthwisePairs::isShared(const Window &window,
                              const CodePlace &place) const {
  return x.dilation == 1 && find(window, place.row, place.column + x.stride);
}

Value DepthwisePairs::loadPair(const Block &block, const CodePlace &place,
                               int64_t columns, Value pixel, Value lane) {
  auto load = [&](int64_t row, int64_t column) {
    Value at = k.addIndex(k.mulIndex(pixel, x.stride),
                          k.index(row * columns + column * x.dilation));
    return loadVector(k, kSums, k.i8(), copy,
                      k.addIndex(k.mulIndex(at, block.lanes), lane));
  };
  Value first = load(place.row, place.column);
  Value second = place.isOneRow ? load(place.row, place.column + 1)
                                : load(place.row + 1, place.column);
  return interleave(k, first, second, eval::isSigned(s.input.element));
}

/// What the first window would share with one before.
SmallVector<Value> DepthwisePairs::loadShared(const Block &block,
                                              const Window &window,
                                              int64_t columns, Value lane) {
  SmallVector<Value> shared;
  for (const CodePlace &place : window)
    if (isShared(window, place))
      shared.push_back(loadPair(block, place, columns, k.index(0), lane));
  return shared;
}

/// Adds a window's pairs of `walk` to its sums, and returns what the next one
/// shares.
SmallVector<Value> DepthwisePairs::addWindow(const Block &block,
                                             const Walk &walk, int64_t columns,
                                             Value pixel, Value lane,
                                             ValueRange shared) {
  Window window = windowOf(walk);
  SmallVector<Value> codes, next;
  for (const CodePlace &place : window) {
    bool isThere = isShared(window, place);
    codes.push_back(isThere ? shared.front()
                            : loadPair(block, place, columns, pixel, lane));
    shared = shared.drop_front(isThere);
  }
  auto codesAt = [&](int64_t row, int64_t column) {
    return codes[find(window, row, column) - window.begin()];
  };
  Value channel = k.addIndex(block.packed, lane);
  Value place = k.addIndex(k.mulIndex(pixel, block.lanes), lane);
  bool isFirst = walk.front().row == 0;
  Value sum = isFirst ? loadVector(k, kSums, k.i32(), starts, channel)
                      : loadVector(k, kSums, k.i32(), sums, place);
  Value packed = k.mulIndex(channel, static_cast<int64_t>(pairs.size()) * 2);
  for (const PairLine &line : walk)
    for (int64_t p = line.firstPair; p < line.firstPair + line.pairCount; ++p) {
      Value weight = loadVector(k, 2 * kSums, k.i16(), weightPairs,
                                k.addIndex(packed, k.index(p * 2 * kSums)));
      sum =
          multiplyAddHalves(k, sum, codesAt(line.row, pairs[p].column), weight);
    }
  vector::StoreOp::create(k.b, sum, sums, ValueRange{place});
  for (const CodePlace &p : window)
    if (isShared(window, p))
      next.push_back(codesAt(p.row, p.column + x.stride));
  return next;
}

/// Eight channels, from `lane` of the block on, of all pixels of a segment.
void DepthwisePairs::emitWalk(const Block &block, const Walk &walk,
                              int64_t pixels, Value lane) {
  int64_t columns = columnsOf(pixels);
  auto some = [&](Value first, int64_t count, ValueRange shared) {
    SmallVector<Value> carried(shared);
    for (int64_t i = 0; i < count; ++i)
      carried = addWindow(block, walk, columns, k.addIndex(first, k.index(i)),
                          lane, carried);
    return carried;
  };
  SmallVector<Value> shared = loadShared(block, windowOf(walk), columns, lane);
  int64_t whole = pixels / kPixelsAtATime * kPixelsAtATime;
  auto loop = scf::ForOp::create(k.b, k.index(0), k.index(whole),
                                 k.index(kPixelsAtATime), shared);
  {
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next =
        some(loop.getInductionVar(), kPixelsAtATime, loop.getRegionIterArgs());
    if (!next.empty())
      scf::YieldOp::create(k.b, next);
  }
  some(k.index(whole), pixels - whole, loop.getResults());
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// How many outputs of a line go along at a time.
int64_t DepthwisePairs::segmentPixels(int64_t lanes) const {
  auto bytes = [&](int64_t pixels) {
    return lanes * (y.kernel * columnsOf(pixels) + pixels * 4);
  };
  int64_t most = 1;
  while (most < x.output && bytes(most + 1) <= kSegmentBytes)
    ++most;
  int64_t count = (x.output + most - 1) / most;
  int64_t pixels = (x.output + count - 1) / count;
  pixels = (pixels + kPixelsAtATime - 1) / kPixelsAtATime * kPixelsAtATime;
  return std::min(pixels, x.output);
}

void DepthwisePairs::emitSegment(const Block &block, const LineSegment &segment,
                                 FinishChannels finish) {
  lines.emitCopy(k, segment, block.channel, block.lanes, copy);
  k.loop(block.lanes / kSums, [&](Value i) {
    for (const Walk &walk : walks)
      emitWalk(block, walk, segment.pixels, k.mulIndex(i, kSums));
  });
  Value first = k.addIndex(k.mulIndex(segment.line, x.output), segment.pixel);
  k.loop(segment.pixels, [&](Value i) {
    finish(
        segment.image, k.addIndex(first, i), block.channel, block.lanes,
        loadVector(k, block.lanes, k.i32(), sums, k.mulIndex(i, block.lanes)));
  });
}

void DepthwisePairs::emitLine(const Block &block, Value image, Value line,
                              FinishChannels finish) {
  int64_t pixels = segmentPixels(block.lanes);
  copy = k.scratch({y.kernel * columnsOf(pixels) * block.lanes}, k.i8());
  sums = k.scratch({pixels * block.lanes}, k.i32());
  k.loop(x.output / pixels, [&](Value i) {
    emitSegment(block, {image, line, k.mulIndex(i, pixels), pixels}, finish);
  });
  if (int64_t rest = x.output % pixels)
    emitSegment(block, {image, line, k.index(x.output - rest), rest}, finish);
}

void DepthwisePairs::forEachBlock(
    llvm::function_ref<void(const Block &)> body) {
  int64_t whole = s.group / kBlockLanes;
  k.loop(whole, [&](Value i) {
    Value first = k.mulIndex(i, kBlockLanes);
    body({first, first, kBlockLanes});
  });
  int64_t packed = whole * kBlockLanes;
  int64_t rest = static_cast<int64_t>(channels.size()) - packed;
  int64_t lanes = whole && rest == kBlockLanes ? kBlockLanes : kHalfBlock;
  for (; rest > 0; packed += lanes, rest -= lanes)
    body({k.index(channels[packed]), k.index(packed), lanes});
}

void DepthwisePairs::emit(FinishChannels finish) {
  k.parallelLoops({s.input.shape[0], y.output}, [&](ValueRange at) {
    forEachBlock(
        [&](const Block &block) { emitLine(block, at[0], at[1], finish); });
  });
}

void tally::cpu::emitDepthwisePairs(KernelBuilder &k, const ConvSizes &s,
                                    const ConstantPanel &weights,
                                    ArrayRef<int64_t> addends,
                                    FinishChannels finish) {
  DepthwisePairs(k, s, weights, addends).emit(finish);
}
