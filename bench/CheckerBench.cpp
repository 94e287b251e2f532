//===- CheckerBench.cpp - how fast programs are checked -------------------===//
//
// A tiled product on 8 queues: four DMA, two matrix and two vector engines. For
// each tile of 16 rows two loads with a pitch, a matrix command into
// accumulators, a vector command, a store; buffers in rings of four; even and
// odd tiles on different engines. Counters of 16 bits are reset between epochs
// of 10,000 tiles. One core.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Checker.h"
#include "tally/run/checker/TestBuilder.h"

#include <benchmark/benchmark.h>

#include <sys/resource.h>

using namespace tally;
using namespace tally::checker;
using isa::CommandCode;
using isa::DmaField;
using isa::MatrixField;
using isa::Opcode;
using isa::VectorField;
using machine::ElementType;

namespace {
constexpr int64_t kRows = 16, kRowBytes = 32, kPitch = 64;
constexpr int64_t kTileBytes = kRows * kPitch; // of global memory
// Queues; the second of each pair takes the odd tiles.
constexpr int64_t kLoadWeights = 0, kLoadInput = 1, kStore = 2, kMatrix = 4,
                  kVector = 6;
// Counters.
constexpr int64_t kWeights = 0, kInput = 1, kSums = 2, kResult = 4, kStored = 6;

machine::Machine eightQueues() {
  machine::Machine machine = testMachine(2, 8);
  machine::Engine vector = machine.engines[0], dma = machine.engines[1];
  machine::Engine matrix = vector;
  matrix.name = "matrix";
  matrix.kind = machine::EngineKind::Matrix;
  matrix.matrix.rows = 32;
  matrix.matrix.columns = 64;
  machine.engines = {dma, matrix, vector};
  machine.queues = {{"dma0", 0},    {"dma1", 0},    {"dma2", 0},
                    {"dma3", 0},    {"matrix0", 1}, {"matrix1", 1},
                    {"vector0", 2}, {"vector1", 2}};
  machine.engines[0].count = 4;
  machine.processor.isEmbedded = false;
  machine.sync.bits = 16;
  machine.sram.bytes = 1 << 20;
  machine.accumulators.bytes = 1 << 17;
  return machine;
}

/// Fields that stay the same.
void stage(Builder &b) {
  for (int64_t dma = 0; dma < 4; ++dma) {
    bool loads = dma < kStore;
    b.cfg(dma, DmaField::Size2, kRows).cfg(dma, DmaField::Size3, kRowBytes);
    b.cfg(dma, loads ? DmaField::SrcSpace : DmaField::DstSpace,
          loads ? isa::kFirstCallerRegion + dma : isa::kArenaRegion);
    b.cfg(dma, DmaField::SrcStride3, 1).cfg(dma, DmaField::DstStride3, 1);
    b.cfg(dma, DmaField::SrcStride2, loads ? kPitch : kRowBytes);
    b.cfg(dma, DmaField::DstStride2, loads ? kRowBytes : kPitch);
  }
  for (int64_t i = 0; i < 2; ++i) {
    b.cfg(kMatrix + i, MatrixField::OutW, kRows);
    b.cfg(kMatrix + i, MatrixField::ExtentW, kRows);
    b.cfg(kMatrix + i, MatrixField::Columns, kRows);
    b.cfg(kMatrix + i, MatrixField::Channels, kRowBytes);
    b.cfg(kMatrix + i, MatrixField::InStrideW, kRowBytes);
    b.cfg(kMatrix + i, MatrixField::WeightsStrideK, kRows);
    b.cfg(kMatrix + i, MatrixField::AccStrideW, 4 * kRows);
    b.cfg(kVector + i, VectorField::Size2, kRows);
    b.cfg(kVector + i, VectorField::Size3, kRowBytes / 4);
    b.cfg(kVector + i, VectorField::ASpace, isa::kAccumulators);
    b.cfg(kVector + i, VectorField::AStride2, 4 * kRows);
    b.cfg(kVector + i, VectorField::AStride3, 4);
    b.cfg(kVector + i, VectorField::OutStride2, kRowBytes);
    b.cfg(kVector + i, VectorField::OutStride3, 4);
    b.cfg(kVector + i, VectorField::AType, int64_t(ElementType::I32));
    b.cfg(kVector + i, VectorField::OutType, int64_t(ElementType::I32));
  }
}

void go(Builder &b, int64_t queue, CommandCode code) {
  b.op(Opcode::Go, {queue, int64_t(code), 0, 0});
}

/// A tile in ring slot `slot`; x6 is its place in global memory.
void tile(Builder &b, int64_t slot) {
  int64_t lane = slot % 2, bytes = kRows * kRowBytes;
  int64_t weights = slot * bytes, input = (4 + slot) * bytes,
          result = (8 + slot) * bytes, sums = slot * 4 * kRows * kRows;
  for (int64_t dma : {kLoadWeights, kLoadInput}) {
    b.waitRel(dma, kSums + lane, 1);
    b.cfgR(dma, int64_t(DmaField::SrcOffset), 6);
    b.cfg(dma, DmaField::DstOffset, dma == kLoadInput ? input : weights);
    go(b, dma, CommandCode::DmaCopy);
    b.signal(dma, dma == kLoadInput ? kInput : kWeights);
    b.waitRel(kMatrix + lane, dma == kLoadInput ? kInput : kWeights, 0);
  }
  b.waitRel(kMatrix + lane, kResult + lane, 1);
  b.cfg(kMatrix + lane, MatrixField::InOffset, input);
  b.cfg(kMatrix + lane, MatrixField::WeightsOffset, weights);
  b.cfg(kMatrix + lane, MatrixField::AccOffset, sums);
  go(b, kMatrix + lane, CommandCode::MatrixConv);
  b.signal(kMatrix + lane, kSums + lane);
  b.waitRel(kVector + lane, kSums + lane, 0);
  b.waitRel(kVector + lane, kStored + lane, 1);
  b.cfg(kVector + lane, VectorField::AOffset, sums);
  b.cfg(kVector + lane, VectorField::OutOffset, result);
  go(b, kVector + lane, CommandCode::VectorCopy);
  b.signal(kVector + lane, kResult + lane);
  b.waitRel(kStore + lane, kResult + lane, 0);
  b.cfg(kStore + lane, DmaField::SrcOffset, result);
  b.cfgR(kStore + lane, int64_t(DmaField::DstOffset), 6);
  go(b, kStore + lane, CommandCode::DmaCopy);
  b.signal(kStore + lane, kStored + lane);
  b.op(Opcode::Addi, {6, 6, kTileBytes});
}

/// `epochs` times `trips` times four tiles.
Subject tiledProduct(int64_t epochs, int64_t trips) {
  Builder b(eightQueues());
  int64_t bytes = epochs * trips * 4 * kTileBytes;
  b.buffer("weights", RegionRole::Input, bytes);
  b.buffer("input", RegionRole::Input, bytes);
  b.size(isa::kArenaRegion, bytes); // the result
  stage(b);
  b.li(6, 0).li(7, epochs);
  int64_t outer = b.here();
  b.op(Opcode::Lui, {8, (trips + 2048) >> 12});
  b.op(Opcode::Addi, {8, 8, ((trips + 2048) & 4095) - 2048});
  int64_t inner = b.here();
  for (int64_t slot = 0; slot < 4; ++slot)
    tile(b, slot);
  b.op(Opcode::Addi, {8, 8, -1}).branch(Opcode::Bne, 8, 0, inner);
  b.fence();
  for (int64_t reg = 0; reg < 8; ++reg)
    b.reset(reg);
  b.op(Opcode::Addi, {7, 7, -1}).branch(Opcode::Bne, 7, 0, outer);
  b.end();
  return b.subject;
}
} // namespace

static void checkTiles(benchmark::State &state) {
  Subject subject = tiledProduct(state.range(0), state.range(1));
  Result<Verdict> verdict = check(subject);
  for (auto _ : state)
    verdict = check(subject);
  if (!verdict || !verdict->isAccepted) {
    state.SkipWithError(
        (verdict ? verdict->message : verdict.error().str()).c_str());
    return;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["commands"] = double(verdict->statistics.commands);
  state.counters["entries"] = double(verdict->statistics.entries);
  state.counters["instructions"] = double(verdict->statistics.instructions);
  state.counters["peakMB"] = double(usage.ru_maxrss) / 1024;
}
BENCHMARK(checkTiles)
    ->Unit(benchmark::kMillisecond)
    ->Args({1, 1000})
    ->Args({4, 2500})
    ->Args({16, 2500});
