//===- HalfTile.cpp - a tile of sums of products of 16 bits ---------------===//
//
// One step of 2 rows and one register of lanes:
//
//     x  = lanes[pair]                       8 lanes of 2 terms
//     s0 += vpmaddwd(x, spread(rows[0][pair]))
//     s1 += vpmaddwd(x, spread(rows[1][pair]))
//
// Two operations for each register of sums and nothing else. A tile of 6 rows
// and two registers of lanes takes, of 16 registers, 12 for sums, two for lanes
// and one for a row.
//
// Cost: rows * registers * pairs times two operations.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/HalfTile.h"
#include "tally/cpu/kernels/Blocks.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/kernels/HalfWords.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally::cpu;

/// LLVM would do two pairs in one round and then add their products first,
/// which takes more registers than there are.
static void keepRolled(KernelBuilder &k, scf::ForOp loop) {
  MLIRContext *context = k.b.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/k.b.getBoolAttr(true), {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {},
                                              {}, {}, {}, {}, {}, {}, {}, {},
                                              {}, {}));
}

void tally::cpu::forEachStrip(KernelBuilder &k, int64_t lanes,
                              llvm::function_ref<void(Strip)> body) {
  int64_t width = registerLanesOf(k.tier);
  forEachBlock(k, lanes, kDotLanes, [&](Value lane, int64_t count) {
    int64_t registers = (count + width - 1) / width;
    for (int64_t j = 0; j < registers; j += kStripRegisters)
      body({lane, j * width, std::min(kStripRegisters, registers - j)});
  });
}

Value Strip::place(KernelBuilder &k, int64_t pairs) const {
  return k.addIndex(k.mulIndex(lane, pairs), k.index(within * pairs));
}

Value tally::cpu::pairPlace(KernelBuilder &k, Value begin, Value pair,
                            int64_t registers, int64_t j) {
  int64_t lanes = registerLanesOf(k.tier);
  Value first = k.mulIndex(pair, registers * lanes);
  return k.addIndex(k.addIndex(begin, first), k.index(j * lanes));
}

SmallVector<Value> tally::cpu::addPairs(KernelBuilder &k, const HalfTile &tile,
                                        ValueRange starts) {
  int64_t width = registerLanesOf(k.tier);
  auto sums = VectorType::get({width}, k.i32());
  auto halves = VectorType::get({2 * width}, k.i16());
  auto loop = scf::ForOp::create(k.b, k.index(0), k.index(tile.pairs),
                                 k.index(1), starts);
  keepRolled(k, loop);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  Value pair = loop.getInductionVar();
  SmallVector<Value> lanes, next;
  for (int64_t j = 0; j < tile.registers; ++j)
    lanes.push_back(vector::BitCastOp::create(
        k.b, halves,
        vector::LoadOp::create(
            k.b, sums, tile.lanes,
            pairPlace(k, tile.laneBegin, pair, tile.registers, j))));
  Value row = tile.rowBegin ? k.addIndex(tile.rowBegin, pair) : pair;
  for (int64_t i = 0; i < tile.rows; ++i) {
    Value word =
        k.load(tile.words, k.addIndex(row, k.index(i * tile.rowPitch)));
    Value spread = vector::BitCastOp::create(
        k.b, halves, vector::BroadcastOp::create(k.b, sums, word));
    for (int64_t j = 0; j < tile.registers; ++j)
      next.push_back(multiplyAddHalves(
          k, loop.getRegionIterArg(static_cast<unsigned>(next.size())), spread,
          lanes[j]));
  }
  scf::YieldOp::create(k.b, next);
  return SmallVector<Value>(loop.getResults());
}
