//===- Blocks.cpp - loops over blocks and what is left over ---------------===//

#include "tally/cpu/kernels/Blocks.h"

using namespace mlir;
using namespace tally::cpu;

void tally::cpu::forEachOf(KernelBuilder &k, Value count,
                           llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(k.b, k.index(0), count, k.index(1));
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void tally::cpu::forEachBlock(KernelBuilder &k, int64_t count, int64_t size,
                              BlockBody body) {
  if (int64_t full = count / size)
    k.loop(full, [&](Value block) { body(k.mulIndex(block, size), size); });
  if (int64_t rest = count % size)
    body(k.index(count - rest), rest);
}

/// Block `block`, whose size is that of all or, of the last one, the rest.
static void emitBlock(KernelBuilder &k, Blocks blocks, Value block,
                      BlockBody body) {
  int64_t full = blocks.count / blocks.size, rest = blocks.count % blocks.size;
  auto emit = [&](int64_t size) { body(k.mulIndex(block, blocks.size), size); };
  if (!rest || !full)
    return emit(rest ? rest : blocks.size);
  Value isFull = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, block,
                                       k.index(full));
  auto choice = scf::IfOp::create(k.b, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(choice.thenBlock());
  emit(blocks.size);
  k.b.setInsertionPointToStart(choice.elseBlock());
  emit(rest);
}

void tally::cpu::forEachBlockInParallel(KernelBuilder &k, int64_t count,
                                        int64_t size, BlockBody body) {
  if (!k.canSplitHere())
    return forEachBlock(k, count, size, body);
  Blocks blocks = {count, size};
  k.parallelLoop(blocks.blocks(),
                 [&](Value block) { emitBlock(k, blocks, block, body); });
}

void tally::cpu::forEachTileInParallel(
    KernelBuilder &k, Blocks outer, Blocks inner,
    llvm::function_ref<void(Value, int64_t, Value, int64_t)> body) {
  if (!k.canSplitHere())
    return forEachBlock(
        k, outer.count, outer.size, [&](Value begin, int64_t size) {
          forEachBlock(k, inner.count, inner.size,
                       [&](Value at, int64_t n) { body(begin, size, at, n); });
        });
  Value across = k.index(inner.blocks());
  k.parallelLoop(outer.blocks() * inner.blocks(), [&](Value tile) {
    Value first = arith::DivUIOp::create(k.b, tile, across);
    Value second = arith::RemUIOp::create(k.b, tile, across);
    emitBlock(k, outer, first, [&](Value begin, int64_t size) {
      emitBlock(k, inner, second,
                [&](Value at, int64_t n) { body(begin, size, at, n); });
    });
  });
}
