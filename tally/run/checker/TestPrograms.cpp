//===- TestPrograms.cpp - hand-written programs that are right ------------===//

#include "tally/run/checker/TestPrograms.h"

using namespace tally;
using namespace tally::checker;
using isa::DmaField;
using isa::MatrixField;
using isa::Opcode;
using isa::VectorField;

namespace {
constexpr int64_t kLoad = 0, kStore = 1, kMatrix = 2, kVector = 3;
constexpr int64_t kLoaded = 0, kComputed = 1, kStored = 2, kDrained = 3;
constexpr int64_t kInput = isa::kFirstCallerRegion, kOutput = kInput + 1;
constexpr int64_t kBytes = 4; // of a buffer

/// x5 runs through [0, end) in steps of kBytes, x6 through global memory, x7
/// counts down.
void advanceRing(Builder &b, int64_t endRegister, int64_t loop) {
  b.op(Opcode::Addi, {5, 5, kBytes});
  b.branch(Opcode::Bne, 5, endRegister, b.here() + 2).li(5, 0);
  b.op(Opcode::Addi, {6, 6, kBytes}).op(Opcode::Addi, {7, 7, -1});
  b.branch(Opcode::Bne, 7, 0, loop);
}

void finish(Builder &b, int64_t registers) {
  b.fence();
  for (int64_t reg = 0; reg < registers; ++reg)
    b.reset(reg);
  b.end();
}

void addRegions(Builder &b, int64_t bytes) {
  b.buffer("input", RegionRole::Input, bytes);
  b.buffer("output", RegionRole::Output, bytes);
}

/// Everything of a copy command but the offsets that change.
void stageCopies(Builder &b, int64_t bytes) {
  b.cfg(kLoad, DmaField::Size3, bytes).cfg(kLoad, DmaField::SrcSpace, kInput);
  b.cfg(kLoad, DmaField::SrcStride3, 1).cfg(kLoad, DmaField::DstStride3, 1);
  b.cfg(kStore, DmaField::Size3, bytes);
  b.cfg(kStore, DmaField::DstSpace, kOutput);
  b.cfg(kStore, DmaField::SrcStride3, 1).cfg(kStore, DmaField::DstStride3, 1);
  b.cfg(kVector, VectorField::Size3, bytes);
  b.cfg(kVector, VectorField::AStride3, 1);
  b.cfg(kVector, VectorField::OutStride3, 1);
}

void go(Builder &b, int64_t queue, isa::CommandCode code) {
  b.op(Opcode::Go, {queue, int64_t(code), 0, 0});
}
} // namespace

Subject tally::checker::ringProgram(int64_t buffers, int64_t trips,
                                    bool relative) {
  Builder b(pipelineMachine(buffers == 2 ? 8 : 4));
  addRegions(b, trips * kBytes);
  stageCopies(b, kBytes);
  int64_t results = buffers * kBytes; // where the result buffers begin
  b.li(5, 0).li(6, 0).li(7, trips).li(8, buffers * kBytes);
  b.li(10, 0).li(11, 0).li(12, buffers);
  int64_t loop = b.here();
  // x10: tiles begun, this one included; x11: those whose buffers are free.
  b.op(Opcode::Addi, {10, 10, 1});
  b.branch(Opcode::Bge, 12, 10, b.here() + 2).op(Opcode::Addi, {11, 11, 1});
  auto wait = [&](int64_t queue, int64_t sync, int64_t behind) {
    if (relative)
      b.waitRel(queue, sync, behind);
    else
      b.op(Opcode::WaitGeR, {queue, sync, behind == 0 ? 10 : 11});
  };
  wait(kLoad, kComputed, buffers - 1);
  b.cfgR(kLoad, int64_t(DmaField::SrcOffset), 6);
  b.cfgR(kLoad, int64_t(DmaField::DstOffset), 5);
  go(b, kLoad, isa::CommandCode::DmaCopy);
  b.signal(kLoad, kLoaded);
  wait(kVector, kLoaded, 0);
  wait(kVector, kStored, buffers - 1);
  b.op(Opcode::Addi, {9, 5, results});
  b.cfgR(kVector, int64_t(VectorField::AOffset), 5);
  b.cfgR(kVector, int64_t(VectorField::OutOffset), 9);
  go(b, kVector, isa::CommandCode::VectorCopy);
  b.signal(kVector, kComputed);
  wait(kStore, kComputed, 0);
  b.cfgR(kStore, int64_t(DmaField::SrcOffset), 9);
  b.cfgR(kStore, int64_t(DmaField::DstOffset), 6);
  go(b, kStore, isa::CommandCode::DmaCopy);
  b.signal(kStore, kStored);
  // Thresholds in scalars are read late: nothing may still wait for them.
  if (!relative)
    b.fence();
  advanceRing(b, 8, loop);
  finish(b, 3);
  return b.subject;
}

Subject tally::checker::overwrittenState(int64_t trips) {
  Subject subject = ringProgram(2, trips);
  subject.regions.resize(kOutput);
  subject.regions[kInput].role = RegionRole::State;
  for (isa::Instruction &now : subject.text)
    if (now.opcode == Opcode::CfgI && now.operands[0] == kStore &&
        now.operands[1] == int64_t(DmaField::DstSpace))
      now.operands[2] = kInput;
  return subject;
}

Subject tally::checker::tokenRing(int64_t buffers, int64_t trips) {
  Builder b(pipelineMachine());
  b.subject.machine.sync.kind = machine::SyncKind::Token;
  addRegions(b, trips * kBytes);
  enum : int64_t { Filled, Free, Result, ResultFree };
  for (int64_t i = 0; i < trips; ++i) {
    int64_t slot = i % buffers * kBytes, result = slot + buffers * kBytes;
    bool again = i >= buffers, comesAgain = i + buffers < trips;
    if (again)
      b.take(kLoad, Free);
    b.copy(kLoad, {kInput, i * kBytes}, sram(slot), kBytes);
    b.signal(kLoad, Filled).take(kVector, Filled);
    if (again)
      b.take(kVector, ResultFree);
    b.copy(kVector, sram(slot), sram(result), kBytes).signal(kVector, Result);
    if (comesAgain)
      b.signal(kVector, Free);
    b.take(kStore, Result);
    b.copy(kStore, sram(result), {kOutput, i * kBytes}, kBytes);
    if (comesAgain)
      b.signal(kStore, ResultFree);
  }
  b.end();
  return b.subject;
}

Subject tally::checker::flagRing(int64_t buffers, int64_t trips) {
  Builder b(pipelineMachine());
  b.subject.machine.sync.kind = machine::SyncKind::Flag;
  b.subject.machine.sync.count = 4 * buffers;
  addRegions(b, trips * kBytes);
  for (int64_t i = 0; i < trips; ++i) {
    int64_t lane = i % buffers;
    int64_t slot = lane * kBytes, result = slot + buffers * kBytes;
    int64_t filled = 4 * lane, free = filled + 1, done = filled + 2,
            stored = filled + 3;
    bool again = i >= buffers, comesAgain = i + buffers < trips;
    // Who has seen a flag clears it, before it says so.
    if (again)
      b.test(kLoad, free).clear(kLoad, free);
    b.copy(kLoad, {kInput, i * kBytes}, sram(slot), kBytes);
    b.signal(kLoad, filled).test(kVector, filled).clear(kVector, filled);
    if (again)
      b.test(kVector, stored).clear(kVector, stored);
    b.copy(kVector, sram(slot), sram(result), kBytes);
    if (comesAgain)
      b.signal(kVector, free);
    b.signal(kVector, done).test(kStore, done).clear(kStore, done);
    b.copy(kStore, sram(result), {kOutput, i * kBytes}, kBytes);
    if (comesAgain)
      b.signal(kStore, stored);
  }
  b.end();
  return b.subject;
}

//===----------------------------------------------------------------------===//
// Matrix engines
//===----------------------------------------------------------------------===//

/// i32 sums of `count` neighbours from accumulators to SRAM.
static void drain(Builder &b, int64_t from, int64_t to, int64_t count) {
  b.cfg(kVector, VectorField::Size3, count);
  b.cfg(kVector, VectorField::ASpace, isa::kAccumulators);
  b.cfg(kVector, VectorField::AOffset, from);
  b.cfg(kVector, VectorField::AStride3, 4);
  b.cfg(kVector, VectorField::AType, int64_t(machine::ElementType::I32));
  b.cfg(kVector, VectorField::OutOffset, to);
  b.cfg(kVector, VectorField::OutStride3, 4);
  b.cfg(kVector, VectorField::OutType, int64_t(machine::ElementType::I32));
  go(b, kVector, isa::CommandCode::VectorCopy);
}

Subject tally::checker::doubleBufferedMatmul(int64_t products, int64_t tiles) {
  Builder b(pipelineMachine(3));
  constexpr int64_t tile = 4; // 2 x 2 codes
  b.buffer("operands", RegionRole::Input, products * tiles * 2 * tile);
  b.buffer("sums", RegionRole::Output, products * 16);
  constexpr int64_t left = 0, right = 8, sums = 16; // in SRAM
  b.cfg(kMatrix, MatrixField::OutW, 2).cfg(kMatrix, MatrixField::Columns, 2);
  b.cfg(kMatrix, MatrixField::Channels, 2);
  b.cfg(kMatrix, MatrixField::ExtentW, 2);
  b.cfg(kMatrix, MatrixField::InStrideW, 2);
  b.cfg(kMatrix, MatrixField::WeightsStrideK, 2);
  b.cfg(kMatrix, MatrixField::AccStrideW, 8);
  int64_t n = 0; // tiles so far
  for (int64_t p = 0; p < products; ++p) {
    for (int64_t t = 0; t < tiles; ++t, ++n) {
      int64_t slot = n % 2 * tile;
      b.waitRel(kLoad, kComputed, 1);
      b.copy(kLoad, {kInput, 2 * n * tile}, sram(left + slot), tile);
      b.copy(kLoad, {kInput, (2 * n + 1) * tile}, sram(right + slot), tile);
      b.signal(kLoad, kLoaded).waitRel(kMatrix, kLoaded, 0);
      if (t == 0)
        b.waitRel(kMatrix, kDrained, 0);
      b.cfg(kMatrix, MatrixField::Accumulate, t > 0);
      b.cfg(kMatrix, MatrixField::InOffset, left + slot);
      b.cfg(kMatrix, MatrixField::WeightsOffset, right + slot);
      go(b, kMatrix, isa::CommandCode::MatrixConv);
      b.signal(kMatrix, kComputed);
    }
    b.waitRel(kVector, kComputed, 0).waitRel(kVector, kStored, 0);
    drain(b, 0, sums, 4);
    b.signal(kVector, kDrained).waitRel(kStore, kDrained, 0);
    b.copy(kStore, sram(sums), {kOutput, p * 16}, 16).signal(kStore, kStored);
  }
  finish(b, 4);
  return b.subject;
}

Subject tally::checker::convolutionPipeline(int64_t rows) {
  Builder b(pipelineMachine(3));
  constexpr int64_t line = 6, out = 4; // 4 windows of 3 taps
  b.buffer("input", RegionRole::Input, rows * line);
  b.buffer("output", RegionRole::Output, rows * out * 4);
  b.size(isa::kConstantsRegion, 3);         // the weights
  constexpr int64_t kernel = 24, sums = 32; // in SRAM, behind the lines
  b.copy(kLoad, {isa::kConstantsRegion, 0}, sram(kernel), 3);
  b.cfg(kMatrix, MatrixField::OutW, out).cfg(kMatrix, MatrixField::KernelW, 3);
  b.cfg(kMatrix, MatrixField::ExtentW, line);
  b.cfg(kMatrix, MatrixField::InStrideW, 1);
  b.cfg(kMatrix, MatrixField::WeightsOffset, kernel);
  b.cfg(kMatrix, MatrixField::WeightsStrideK, 1);
  b.cfg(kMatrix, MatrixField::AccStrideW, 4);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t acc = r % 2 * out * 4, result = sums + r % 2 * out * 4;
    b.waitRel(kLoad, kComputed, 2);
    b.copy(kLoad, {kInput, r * line}, sram(r % 3 * line), line);
    b.signal(kLoad, kLoaded);
    b.waitRel(kMatrix, kLoaded, 0).waitRel(kMatrix, kDrained, 1);
    b.cfg(kMatrix, MatrixField::InOffset, r % 3 * line);
    b.cfg(kMatrix, MatrixField::AccOffset, acc);
    go(b, kMatrix, isa::CommandCode::MatrixConv);
    b.signal(kMatrix, kComputed);
    b.waitRel(kVector, kComputed, 0).waitRel(kVector, kStored, 1);
    drain(b, acc, result, out);
    b.signal(kVector, kDrained).waitRel(kStore, kDrained, 0);
    b.copy(kStore, sram(result), {kOutput, r * out * 4}, out * 4);
    b.signal(kStore, kStored);
  }
  finish(b, 4);
  return b.subject;
}
