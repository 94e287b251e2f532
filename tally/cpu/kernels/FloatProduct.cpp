//===- FloatProduct.cpp - products of floats in register tiles ------------===//
//
// One step of a tile of 2 rows and 1 vector of columns:
//
//     x  = panel[term]                      16 columns
//     s0 = fma(spread(rows[0][term]), x, s0)
//     s1 = fma(spread(rows[1][term]), x, s1)
//
// A core begins two such operations in each cycle and has their sums four
// cycles later, so a tile needs eight sums at least. With 32 wide registers the
// tile is 6 rows x 4 vectors (24 sums, 4 vectors of columns, one of a row);
// with 16 registers of half that width 6 rows x 1 vector, which are two
// registers. What is left over at the lower and right edge gets smaller tiles.
//
// Cost: rows * vectors * terms operations, two per cycle. A block of columns is
// walked for all rows before the next, so it is read from far memory once.
//
// A block of many terms does not fit the nearest cache. Where a tile reads a
// quarter of its columns only, each row of tiles would fetch all of it again,
// so the terms go in pieces of 64, which stay (16 KB), and the sums of a group
// of rows wait in memory in between. A sum is a number of fp32 in memory as in
// a register, so this changes no bit. Each row of tiles asks for a share of the
// next piece, which would come from far memory a few columns at a time.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/FloatProduct.h"
#include "tally/cpu/FloatMath.h"
#include "tally/cpu/kernels/BlockTranspose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

/// Calls body(first column, columns that exist) for every block: in a loop for
/// the full ones, once for the rest.
static void forEachBlock(KernelBuilder &k, int64_t columns,
                         llvm::function_ref<void(Value, int64_t)> body) {
  int64_t full = columns / kFloatBlock * kFloatBlock;
  if (full)
    k.parallelLoop(full / kFloatBlock, [&](Value block) {
      body(k.mulIndex(block, kFloatBlock), kFloatBlock);
    });
  if (full < columns)
    body(k.index(full), columns - full);
}

Value FloatPanel::scratch(KernelBuilder &k) const {
  Value panel = k.scratch({elements()}, k.f32());
  int64_t last = (columns - 1) / kFloatBlock * kFloatBlock;
  if (int64_t padding = paddedColumns(columns) - columns)
    k.loops({terms, padding}, [&](ValueRange at) {
      Value place = k.addIndex(k.mulIndex(at[0], width(last)), at[1]);
      place = k.addIndex(place, k.index(last * terms + columns - last));
      k.store(k.real(k.f32(), 0), panel, place);
    });
  return panel;
}

void FloatPanel::fill(KernelBuilder &k, Value panel, Value source, Value base,
                      int64_t termStride, int64_t columnStride) const {
  forEachBlock(k, columns, [&](Value column, int64_t count) {
    int64_t blockWidth = paddedColumns(count);
    Value to = k.mulIndex(column, terms);
    Value from = k.addIndex(base, k.mulIndex(column, columnStride));
    if (termStride == 1)
      return emitBlockTranspose(k, {source, from, columnStride},
                                {panel, to, blockWidth}, count, terms);
    k.loops({terms, count}, [&](ValueRange at) {
      Value element = k.addIndex(k.mulIndex(at[0], termStride),
                                 k.mulIndex(at[1], columnStride));
      Value place = k.addIndex(k.mulIndex(at[0], blockWidth), at[1]);
      k.store(k.load(source, k.addIndex(from, element)), panel,
              k.addIndex(to, place));
    });
  });
}

Value tally::cpu::constantColumns(
    KernelBuilder &k, const FloatPanel &panel,
    llvm::function_ref<int64_t(int64_t, int64_t)> element) {
  // Codes that are made real when run are smaller than the panel; what others
  // read has to be there as it is.
  if (!k.isConstantOfProducts(1))
    return {};
  auto matrix = k.constantOperand(1);
  eval::Tensor packed;
  packed.element = eval::Element::F32;
  packed.shape = {panel.elements()};
  packed.allocate();
  for (int64_t term = 0; term < panel.terms; ++term)
    for (int64_t column = 0; column < panel.columns; ++column)
      packed.data<float>()[panel.place(term, column)] =
          matrix->data<float>()[element(term, column)];
  return k.constant(packed);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
struct Tile {
  int64_t rows, vectors;
};

/// The sums of one product's tiles.
struct TileEmitter {
  KernelBuilder &k;
  const ProductShape &shape;
  llvm::function_ref<Value(Value, Value)> element;
  Value panel;
  FinishFloats finishVector;

  /// Emits `tile` at `row` and `column`, a column of the block that begins at
  /// `first` and is `width` wide; `lanes` of its columns exist.
  void emit(Tile tile, Value row, Value first, int64_t column, int64_t width,
            int64_t lanes) const;
  /// Adds terms [term, term + terms) of a tile of one vector to the sums in
  /// `held`, a flat memref, which are `width` apart by row. `from` is where
  /// term 0 of the vector's columns lies in the panel, `at` its first sum.
  void add(int64_t rows, Value row, Value term, int64_t terms, Value from,
           int64_t width, Value held, Value at) const;
  /// Hands over rows of sums in `held`, `pitch` apart, each of `lanes` columns,
  /// in loops: what finishes them may be long.
  void finishRows(Value held, int64_t rows, int64_t pitch, Value row,
                  Value column, int64_t lanes) const;

private:
  SmallVector<Value> sums(Tile tile, Value row, Value from, int64_t width,
                          Value firstTerm, int64_t terms,
                          ValueRange starts) const;
  SmallVector<Value> step(Tile tile, Value row, Value term, Value from,
                          ValueRange sums) const;
};
} // namespace

static bool hasWideRegisters(Tier tier) {
  return tier == Tier::Avx512 || tier == Tier::Amx;
}

/// Vectors of columns and most rows of a tile over `width` columns of `rows`
/// rows. Two registers hold a vector with AVX2, four elsewhere; where rows are
/// few, as those of a recurrent network, it takes more of them for eight sums.
static Tile largestTile(KernelBuilder &k, int64_t width, int64_t rows) {
  int64_t vectors = width / kFloatLanes;
  if (hasWideRegisters(k.tier))
    return {std::min<int64_t>(24 / vectors, 14), vectors};
  if (k.tier == Tier::Baseline || rows > 2)
    return {6, 1};
  return {rows, rows == 1 ? vectors : 2 - vectors % 2};
}

/// The rows of tiles that waste least: halves of cycles for one term of all.
static int64_t bestRows(Tile most, int64_t rows) {
  auto cost = [&](int64_t count) {
    return count ? std::max<int64_t>(count * most.vectors, 8) + 1 : 0;
  };
  int64_t best = 1, least = std::numeric_limits<int64_t>::max();
  for (int64_t count = std::min(most.rows, rows); count >= 1; --count)
    if (int64_t all = rows / count * cost(count) + cost(rows % count);
        all < least) {
      best = count;
      least = all;
    }
  return best;
}

SmallVector<Value> TileEmitter::step(Tile tile, Value row, Value term,
                                     Value from, ValueRange sums) const {
  auto type = VectorType::get({kFloatLanes}, k.f32());
  FloatMath math(k, kFloatLanes);
  SmallVector<Value> columns, next;
  for (int64_t j = 0; j < tile.vectors; ++j)
    columns.push_back(vector::LoadOp::create(
        k.b, type, panel, k.addIndex(from, k.index(j * kFloatLanes))));
  for (int64_t i = 0; i < tile.rows; ++i) {
    Value left = element(k.addIndex(row, k.index(i)), term);
    Value spread = vector::BroadcastOp::create(k.b, type, left);
    for (int64_t j = 0; j < tile.vectors; ++j)
      next.push_back(math.fma(spread, columns[j], sums[i * tile.vectors + j]));
  }
  return next;
}

SmallVector<Value> TileEmitter::sums(Tile tile, Value row, Value from,
                                     int64_t width, Value firstTerm,
                                     int64_t terms, ValueRange starts) const {
  auto loop =
      scf::ForOp::create(k.b, k.index(0), k.index(terms), k.index(1), starts);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  Value term = k.addIndex(firstTerm, loop.getInductionVar());
  Value at = k.addIndex(from, k.mulIndex(term, width));
  scf::YieldOp::create(k.b,
                       step(tile, row, term, at, loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

void TileEmitter::emit(Tile tile, Value row, Value first, int64_t column,
                       int64_t width, int64_t lanes) const {
  FloatMath math(k, kFloatLanes);
  Value from = k.addIndex(k.mulIndex(first, shape.k), k.index(column));
  SmallVector<Value> zeros(tile.rows * tile.vectors, math.f32(0));
  SmallVector<Value> results =
      sums(tile, row, from, width, k.index(0), shape.k, zeros);
  int64_t pitch = tile.vectors * kFloatLanes;
  Value held = k.scratch({tile.rows * pitch}, k.f32());
  for (auto [i, sum] : llvm::enumerate(results))
    vector::StoreOp::create(k.b, sum, held,
                            k.index(static_cast<int64_t>(i) * kFloatLanes));
  finishRows(held, tile.rows, pitch, row, k.addIndex(first, k.index(column)),
             lanes);
}

void TileEmitter::add(int64_t rows, Value row, Value term, int64_t terms,
                      Value from, int64_t width, Value held, Value at) const {
  auto type = VectorType::get({kFloatLanes}, k.f32());
  SmallVector<Value> places, starts;
  for (int64_t i = 0; i < rows; ++i) {
    places.push_back(k.addIndex(at, k.index(i * width)));
    starts.push_back(vector::LoadOp::create(k.b, type, held, places.back()));
  }
  SmallVector<Value> results =
      sums({rows, 1}, row, from, width, term, terms, starts);
  for (auto [sum, place] : llvm::zip(results, places))
    vector::StoreOp::create(k.b, sum, held, place);
}

void TileEmitter::finishRows(Value held, int64_t rows, int64_t pitch, Value row,
                             Value column, int64_t lanes) const {
  auto type = VectorType::get({kFloatLanes}, k.f32());
  auto hand = [&](Value i, Value lane, int64_t count) {
    Value at = k.addIndex(k.mulIndex(i, pitch), lane);
    finishVector(k.addIndex(row, i), k.addIndex(column, lane), count,
                 vector::LoadOp::create(k.b, type, held, at));
  };
  k.loop(rows, [&](Value i) {
    if (int64_t full = lanes / kFloatLanes)
      k.loop(full, [&](Value vector) {
        hand(i, k.mulIndex(vector, kFloatLanes), kFloatLanes);
      });
    if (int64_t rest = lanes % kFloatLanes)
      hand(i, k.index(lanes - rest), rest);
  });
}

//===----------------------------------------------------------------------===//
// Pieces of terms
//===----------------------------------------------------------------------===//

/// Terms of a piece: 64 of 64 columns are half of the nearest cache.
static constexpr int64_t kPieceTerms = 64;
/// Rows whose sums wait in memory: those of 64 columns are 24 KB.
static constexpr int64_t kGroupRows = 96;

/// Whether a block is too large to stay near while rows of tiles pass, of which
/// there are several.
static bool goesInPieces(KernelBuilder &k, const ProductShape &shape) {
  return k.tier != Tier::Baseline && !hasWideRegisters(k.tier) &&
         shape.k >= 2 * kPieceTerms && shape.rows >= 18;
}

/// Calls body(first, size) for [0, count) in pieces of `size`: in a loop for
/// the full ones, once for the rest.
static void forEachPiece(KernelBuilder &k, int64_t count, int64_t size,
                         llvm::function_ref<void(Value, int64_t)> body) {
  if (int64_t full = count / size)
    k.loop(full, [&](Value i) { body(k.mulIndex(i, size), size); });
  if (int64_t rest = count % size)
    body(k.index(count - rest), rest);
}

/// Asks for share `share` of `shares` of a piece of `elements` that begins at
/// `begin` of the panel; what lies behind the panel is its last element.
static void prefetchShare(const TileEmitter &emitter, Value begin,
                          int64_t elements, Value share, int64_t shares) {
  constexpr int64_t kLine = 64 / sizeof(float);
  KernelBuilder &k = emitter.k;
  int64_t lines = (elements + kLine * shares - 1) / (kLine * shares);
  int64_t last = cast<MemRefType>(emitter.panel.getType()).getNumElements() - 1;
  Value first = k.addIndex(begin, k.mulIndex(share, lines * kLine));
  k.loop(lines, [&](Value line) {
    Value place = k.addIndex(first, k.mulIndex(line, kLine));
    place = arith::MinUIOp::create(k.b, place, k.index(last));
    memref::PrefetchOp::create(k.b, emitter.panel, place, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  });
}

/// The sums of `rows` rows from `group` on with the block of `count` columns
/// from `first` on.
static void emitGroup(const TileEmitter &emitter, Value group, int64_t rows,
                      Value first, int64_t count) {
  KernelBuilder &k = emitter.k;
  int64_t width = paddedColumns(count), tileRows = bestRows({6, 1}, rows);
  Value held = k.scratch({rows * width}, k.f32());
  k.loop(rows * width, [&](Value i) { k.store(k.real(k.f32(), 0), held, i); });
  Value block = k.mulIndex(first, emitter.shape.k);
  forEachPiece(k, emitter.shape.k, kPieceTerms, [&](Value term, int64_t terms) {
    Value next =
        k.addIndex(block, k.mulIndex(k.addIndex(term, k.index(terms)), width));
    forEachPiece(k, rows, tileRows, [&](Value row, int64_t tile) {
      Value share = arith::DivUIOp::create(k.b, row, k.index(tileRows));
      prefetchShare(emitter, next, terms * width, share,
                    (rows + tileRows - 1) / tileRows);
      k.loop(width / kFloatLanes, [&](Value vector) {
        Value column = k.mulIndex(vector, kFloatLanes);
        emitter.add(tile, k.addIndex(group, row), term, terms,
                    k.addIndex(block, column), width, held,
                    k.addIndex(k.mulIndex(row, width), column));
      });
    });
  });
  emitter.finishRows(held, rows, width, group, first, count);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void tally::cpu::emitFloatProduct(
    KernelBuilder &k, const ProductShape &shape,
    llvm::function_ref<Value(Value, Value)> element, Value panel,
    FinishFloats finish) {
  TileEmitter emitter{k, shape, element, panel, finish};
  forEachBlock(k, shape.columns, [&](Value first, int64_t count) {
    if (goesInPieces(k, shape))
      return forEachPiece(k, shape.rows, kGroupRows,
                          [&](Value group, int64_t rows) {
                            emitGroup(emitter, group, rows, first, count);
                          });
    int64_t width = paddedColumns(count);
    Tile most = largestTile(k, width, shape.rows);
    int64_t tileWidth = most.vectors * kFloatLanes;
    auto tiles = [&](Value row, int64_t rows) {
      for (int64_t column = 0; column < count; column += tileWidth)
        emitter.emit({rows, most.vectors}, row, first, column, width,
                     std::min(tileWidth, count - column));
    };
    forEachPiece(k, shape.rows, bestRows(most, shape.rows), tiles);
  });
}
