//===- DotProduct.cpp - products of bytes, four terms at a time -----------===//
//
// A tile of rows x vectors of sums stays in registers while the words of the
// common dimension pass by. For 2 rows and 1 vector, one step is
//
//     x  = lanes[quad]                       64 bytes: 16 lanes of 4 terms
//     s0 = vpdpbusd(s0, x, spread(words[0][quad]))
//     s1 = vpdpbusd(s1, x, spread(words[1][quad]))
//
// so that each load feeds several products. 24 sums leave registers for the
// operands; the tile that wastes least is chosen for every shape, and what is
// left over at the lower and right edge gets smaller tiles of its own.
//
// Cost: rows * vectors * quads products of 64 terms, one per cycle on current
// cores, which one load per cycle can feed when tiles are large.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/Blocks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::hasDotProducts(Tier tier) {
  return tier == Tier::Avx512 || tier == Tier::Amx;
}

int32_t tally::cpu::wrapTo32(int64_t value) {
  return static_cast<int32_t>(static_cast<uint32_t>(value));
}

int32_t tally::cpu::dotWord(llvm::function_ref<int64_t(int64_t)> term) {
  uint32_t word = 0;
  for (int64_t byte = 0; byte < kDotTerms; ++byte)
    word |= static_cast<uint32_t>(term(byte) & 0xff) << (8 * byte);
  return static_cast<int32_t>(word);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static constexpr int64_t kSums = 24;
static constexpr int64_t kMaxVectors = 4;
/// Products in flight before the first one's sum is there.
static constexpr int64_t kLatency = 5;

namespace {
struct Tile {
  int64_t rows, vectors;
};
} // namespace

/// Half cycles that one step of a tile takes: products or loads, and the loop.
static int64_t stepCost(Tile tile) {
  int64_t products = std::max(tile.rows * tile.vectors, kLatency);
  int64_t loads = 2 * tile.vectors + (tile.rows + 1) / 2;
  return 2 * std::max(products, loads) + 1;
}

/// The cost of `rows` x `vectors` in tiles, with smaller ones at the edges.
static int64_t totalCost(Tile tile, int64_t rows, int64_t vectors) {
  int64_t restRows = rows % tile.rows, restVectors = vectors % tile.vectors;
  int64_t down = rows / tile.rows, across = vectors / tile.vectors;
  int64_t cost = down * across * stepCost(tile);
  if (restRows)
    cost += across * stepCost({restRows, tile.vectors});
  if (restVectors)
    cost += down * stepCost({tile.rows, restVectors});
  if (restRows && restVectors)
    cost += stepCost({restRows, restVectors});
  return cost;
}

static Tile chooseTile(const DotShape &shape) {
  Tile best = {1, 1};
  int64_t bestCost = std::numeric_limits<int64_t>::max();
  int64_t vectors = vectorsOf(shape.lanes);
  for (int64_t v = std::min(kMaxVectors, vectors); v >= 1; --v)
    for (int64_t r = std::min(kSums / v, shape.rows); r >= 1; --r)
      if (int64_t cost = totalCost({r, v}, shape.rows, vectors);
          cost < bestCost) {
        best = {r, v};
        bestCost = cost;
      }
  return best;
}

eval::Tensor tally::cpu::tiledWords(
    const DotShape &shape, int64_t products,
    llvm::function_ref<int32_t(int64_t row, int64_t quad)> word) {
  eval::Tensor words;
  words.element = eval::Element::I32;
  words.shape = {products * shape.rows * shape.quads};
  words.allocate();
  int32_t *next = words.data<int32_t>();
  int64_t tileRows = chooseTile(shape).rows;
  for (int64_t product = 0; product < products; ++product)
    for (int64_t row = 0; row < shape.rows; row += tileRows)
      for (int64_t quad = 0; quad < shape.quads; ++quad)
        for (int64_t i = 0; i < std::min(tileRows, shape.rows - row); ++i)
          *next++ = word(product * shape.rows + row + i, quad);
  return words;
}

//===----------------------------------------------------------------------===//
// The steps of one tile
//===----------------------------------------------------------------------===//

static VectorType wordVector(KernelBuilder &k) {
  return VectorType::get({kDotLanes}, k.i32());
}

static Value asBytes(KernelBuilder &k, Value words) {
  auto type = VectorType::get({kDotLanes * kDotTerms}, k.i8());
  return vector::BitCastOp::create(k.b, type, words);
}

/// sum + the four products of each lane.
static Value multiplyAdd(KernelBuilder &k, Value sum, Value unsignedBytes,
                         Value signedBytes) {
  auto call = LLVM::CallIntrinsicOp::create(
      k.b, sum.getType(), k.b.getStringAttr("llvm.x86.avx512.vpdpbusd.512"),
      ValueRange{sum, unsignedBytes, signedBytes});
  return call.getResult(0);
}

Value tally::cpu::addDots(KernelBuilder &k, Value sums, Value unsignedWords,
                          Value signedWords) {
  return multiplyAdd(k, sums, asBytes(k, unsignedWords),
                     asBytes(k, signedWords));
}

namespace {
/// Emits the sums of one tile.
struct TileEmitter {
  KernelBuilder &k;
  Tile tile;
  int64_t quads;
  const DotOperands &operands;

  /// Where the words, or bytes, of the tile at `row` begin.
  Value firstWord(Value row) const;
  /// Row i's word, of the tile that begins at `from`.
  Value loadWord(Value from, int64_t i, Value quad) const;
  /// The vectors of lanes from `lane` on.
  SmallVector<Value> loadLanes(Value quad, Value lane) const;
  /// The sums after one step.
  SmallVector<Value> step(Value quad, Value from, Value lane,
                          ValueRange sums) const;
  /// All steps from the sums `starts`, row by row.
  ValueRange loop(Value row, Value lane, ValueRange starts) const;
  SmallVector<Value>
  starts(Value row, Value lane,
         llvm::function_ref<Value(Value, Value)> start) const;
  void store(ValueRange results, Value sums, Value place) const;
};
} // namespace

Value TileEmitter::firstWord(Value row) const {
  if (const auto *rows = std::get_if<DotRows>(&operands.rows))
    return k.addIndex(rows->base, k.mulIndex(row, rows->pitch));
  Value first = std::get<DotTiledWords>(operands.rows).firstRow;
  return k.mulIndex(k.addIndex(first, row), quads);
}

/// Four bytes anywhere as one word.
static Value loadBytes(KernelBuilder &k, Value bytes, Value at) {
  auto four = VectorType::get({kDotTerms}, k.i8());
  Value loaded = vector::LoadOp::create(k.b, four, bytes, at);
  auto one = VectorType::get({1}, k.i32());
  return vector::ExtractOp::create(
      k.b, vector::BitCastOp::create(k.b, one, loaded), int64_t(0));
}

Value TileEmitter::loadWord(Value from, int64_t i, Value quad) const {
  if (const auto *rows = std::get_if<DotRows>(&operands.rows)) {
    Value offset = rows->offsets ? k.toIndex(k.load(rows->offsets, quad), true)
                                 : k.mulIndex(quad, kDotTerms);
    return loadBytes(
        k, rows->bytes,
        k.addIndex(k.addIndex(from, offset), k.index(i * rows->pitch)));
  }
  Value place = k.addIndex(k.mulIndex(quad, tile.rows), k.index(i));
  return k.load(std::get<DotTiledWords>(operands.rows).words,
                k.addIndex(from, place));
}

SmallVector<Value> TileEmitter::loadLanes(Value quad, Value lane) const {
  SmallVector<Value> lanes;
  for (int64_t j = 0; j < tile.vectors; ++j) {
    Value at = k.addIndex(lane, k.index(j * kDotLanes));
    Value words = vector::LoadOp::create(k.b, wordVector(k), operands.laneWords,
                                         operands.place(quad, at));
    lanes.push_back(asBytes(k, words));
  }
  return lanes;
}

SmallVector<Value> TileEmitter::step(Value quad, Value from, Value lane,
                                     ValueRange sums) const {
  SmallVector<Value> lanes = loadLanes(quad, lane), next;
  for (int64_t i = 0; i < tile.rows; ++i) {
    Value word = loadWord(from, i, quad);
    Value spread = asBytes(
        k, vector::BroadcastOp::create(k.b, wordVector(k), word).getResult());
    for (int64_t j = 0; j < tile.vectors; ++j) {
      Value sum = sums[i * tile.vectors + j];
      next.push_back(operands.areLanesUnsigned
                         ? multiplyAdd(k, sum, lanes[j], spread)
                         : multiplyAdd(k, sum, spread, lanes[j]));
    }
  }
  return next;
}

ValueRange TileEmitter::loop(Value row, Value lane, ValueRange starts) const {
  Value from = firstWord(row);
  auto loop =
      scf::ForOp::create(k.b, k.index(0), k.index(quads), k.index(1), starts);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      k.b, step(loop.getInductionVar(), from, lane, loop.getRegionIterArgs()));
  return loop.getResults();
}

SmallVector<Value>
TileEmitter::starts(Value row, Value lane,
                    llvm::function_ref<Value(Value, Value)> start) const {
  SmallVector<Value> starts;
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j)
      starts.push_back(start(k.addIndex(row, k.index(i)),
                             k.addIndex(lane, k.index(j * kDotLanes))));
  return starts;
}

/// Row i goes to sums[i][place ...].
void TileEmitter::store(ValueRange results, Value sums, Value place) const {
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j)
      vector::StoreOp::create(
          k.b, results[i * tile.vectors + j], sums,
          ValueRange{k.index(i), k.addIndex(place, k.index(j * kDotLanes))});
}

//===----------------------------------------------------------------------===//
// All tiles
//===----------------------------------------------------------------------===//

void tally::cpu::emitDotProduct(
    KernelBuilder &k, const DotShape &shape, const DotOperands &operands,
    DotOrder order, llvm::function_ref<Value(Value, Value)> start,
    llvm::function_ref<void(const DotSums &)> finish) {
  Tile tile = chooseTile(shape);
  int64_t width = tile.vectors * kDotLanes;
  bool areRowsOutside = order == DotOrder::RowsOutside;
  int64_t held = areRowsOutside ? vectorsOf(shape.lanes) * kDotLanes : width;
  Value sums; // in the loop of all blocks: each thread has its own
  auto emit = [&](Value row, int64_t rows, Value lane, int64_t lanes) {
    if (!sums)
      sums = k.scratch({tile.rows, held}, k.i32());
    TileEmitter emitter = {k, {rows, vectorsOf(lanes)}, shape.quads, operands};
    ValueRange results =
        emitter.loop(row, lane, emitter.starts(row, lane, start));
    emitter.store(results, sums, areRowsOutside ? lane : k.index(0));
  };
  if (areRowsOutside)
    return forEachBlockInParallel(
        k, shape.rows, tile.rows, [&](Value row, int64_t rows) {
          forEachBlock(k, shape.lanes, width, [&](Value lane, int64_t lanes) {
            emit(row, rows, lane, lanes);
          });
          finish({sums, row, k.index(0), rows, shape.lanes});
        });
  forEachTileInParallel(
      k, {shape.lanes, width}, {shape.rows, tile.rows},
      [&](Value lane, int64_t lanes, Value row, int64_t rows) {
        emit(row, rows, lane, lanes);
        finish({sums, row, lane, rows, lanes});
      });
}
