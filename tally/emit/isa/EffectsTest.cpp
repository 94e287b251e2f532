//===- EffectsTest.cpp ----------------------------------------------------===//

#include "tally/emit/isa/Effects.h"
#include "tally/emit/isa/Operands.h"
#include "tally/emit/isa/TestCommands.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::isa;

namespace {

using Ranges = std::vector<ByteRange>;

const Access &accessOf(const std::vector<Access> &accesses,
                       std::string_view operand,
                       AccessKind kind = AccessKind::Read) {
  for (const Access &access : accesses)
    if (access.operand == operand && access.kind == kind)
      return access;
  static const Access none;
  ADD_FAILURE() << "no access of " << operand;
  return none;
}

Ranges rangesOfOperand(const Command &command, std::string_view operand,
                       AccessKind kind = AccessKind::Read) {
  return rangesOf(accessOf(effects(command, edge()), operand, kind).boxes);
}

void expectPasses(const Command &command) {
  Status status = checkCommand(command, edge());
  EXPECT_TRUE(status) << status.error().str();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

TEST(TouchedIndices, AreWhatWindowsTouch) {
  // 4 windows of 3 taps, step 2: 0..8 whole.
  EXPECT_EQ(touchedIndices(4, 3, 2, 1, 0, 9),
            (std::vector<IndexRun>{{0, 9, 1}}));
  // Padding 1: -1..7, of which 0..7 exist.
  EXPECT_EQ(touchedIndices(4, 3, 2, 1, 1, 9),
            (std::vector<IndexRun>{{0, 8, 1}}));
  // One tap, step 2: every other index.
  EXPECT_EQ(touchedIndices(4, 1, 2, 1, 0, 9),
            (std::vector<IndexRun>{{0, 4, 2}}));
  // Nothing but padding.
  EXPECT_EQ(touchedIndices(2, 1, 1, 1, 4, 9), std::vector<IndexRun>());
}

TEST(TouchedIndices, AgreeWithEnumeration) {
  std::mt19937_64 random(1); // NOLINT(bugprone-random-generator-seed)
  for (int i = 0; i < 20000; ++i) {
    int64_t out = 1 + random() % 6, taps = 1 + random() % 5,
            step = 1 + random() % 5, dilation = 1 + random() % 4,
            before = int64_t(random() % 9) - 4, extent = 1 + random() % 20;
    std::set<int64_t> expected, found;
    for (int64_t y = 0; y < out; ++y)
      for (int64_t u = 0; u < taps; ++u)
        if (int64_t h = y * step + u * dilation - before; h >= 0 && h < extent)
          expected.insert(h);
    for (const IndexRun &run :
         touchedIndices(out, taps, step, dilation, before, extent))
      for (int64_t k = 0; k < run.count; ++k)
        EXPECT_TRUE(found.insert(run.first + k * run.step).second)
            << "twice: " << run.first + k * run.step;
    ASSERT_EQ(found, expected)
        << out << " windows of " << taps << " taps, step " << step
        << ", dilation " << dilation << ", before " << before << ", extent "
        << extent;
  }
}

//===----------------------------------------------------------------------===//
// DMA
//===----------------------------------------------------------------------===//

/// 2 rows of 3 bytes, pitch 8 in the arena from 16, pitch 4 in SRAM from 64.
Command twoRows() {
  return dmaCommand({{DmaField::Size2, 2},
                     {DmaField::Size3, 3},
                     {DmaField::SrcSpace, kArenaRegion},
                     {DmaField::SrcOffset, 16},
                     {DmaField::SrcStride2, 8},
                     {DmaField::SrcStride3, 1},
                     {DmaField::DstOffset, 64},
                     {DmaField::DstStride2, 4},
                     {DmaField::DstStride3, 1}});
}

TEST(DmaEffects, OfRows) {
  expectPasses(twoRows());
  EXPECT_EQ(rangesOfOperand(twoRows(), "src"), (Ranges{{16, 19}, {24, 27}}));
  EXPECT_EQ(rangesOfOperand(twoRows(), "dst", AccessKind::Write),
            (Ranges{{64, 67}, {68, 71}}));
  const Access src = accessOf(effects(twoRows(), edge()), "src");
  ASSERT_EQ(src.boxes.size(), 1u);
  EXPECT_EQ(src.boxes[0], (Box{16, {1, 1, 2, 1}, {0, 0, 8, 0}, 3}));
}

TEST(DmaEffects, ScalarOperandsMoveThem) {
  Command command = twoRows();
  command.firstAddend = -16;
  command.resultAddend = 100;
  EXPECT_EQ(rangesOfOperand(command, "src"), (Ranges{{0, 3}, {8, 11}}));
  EXPECT_EQ(rangesOfOperand(command, "dst", AccessKind::Write),
            (Ranges{{164, 167}, {168, 171}}));
}

// 1 filled index before, 1 behind: 5 = 1 + 3 + 1.
TEST(DmaEffects, FilledElementsAreNotRead) {
  Command command = twoRows();
  set(command, DmaField::Size3, 5);
  set(command, DmaField::DstStride2, 8);
  set(command, DmaField::Before3, 1);
  set(command, DmaField::Extent3, 3);
  expectPasses(command);
  EXPECT_EQ(rangesOfOperand(command, "src"), (Ranges{{16, 19}, {24, 27}}));
  EXPECT_EQ(rangesOfOperand(command, "dst", AccessKind::Write),
            (Ranges{{64, 69}, {72, 77}}));
  // Nothing but fill reads nothing.
  set(command, DmaField::Before3, 5);
  EXPECT_TRUE(accessOf(effects(command, edge()), "src").boxes.empty());
}

// A ring of 4 rows of 8 bytes from row 3 on: rows 3 and 0.
TEST(DmaEffects, RingsWrap) {
  Command command = twoRows();
  set(command, DmaField::WrapSide, 1);
  set(command, DmaField::WrapDim, 2);
  set(command, DmaField::WrapLength, 4);
  set(command, DmaField::WrapStart, 3);
  expectPasses(command);
  EXPECT_EQ(rangesOfOperand(command, "src"),
            (Ranges{{16, 19}, {16 + 24, 16 + 27}}));
  EXPECT_EQ(rangesOfOperand(command, "dst", AccessKind::Write),
            (Ranges{{64, 67}, {68, 71}}));
}

//===----------------------------------------------------------------------===//
// Matrix
//===----------------------------------------------------------------------===//

/// 4 x 4 pixels of 2 channels, 3 x 3 window, padding 1, 8 columns.
Command smallConv() {
  return matrixCommand({{MatrixField::OutH, 4},
                        {MatrixField::OutW, 4},
                        {MatrixField::Columns, 8},
                        {MatrixField::Channels, 2},
                        {MatrixField::KernelH, 3},
                        {MatrixField::KernelW, 3},
                        {MatrixField::BeforeH, 1},
                        {MatrixField::BeforeW, 1},
                        {MatrixField::ExtentH, 4},
                        {MatrixField::ExtentW, 4},
                        {MatrixField::InOffset, 1024},
                        {MatrixField::InStrideH, 8},
                        {MatrixField::InStrideW, 2},
                        {MatrixField::WeightsOffset, 2048},
                        {MatrixField::WeightsStrideK, 8},
                        {MatrixField::AccOffset, 256},
                        {MatrixField::AccStrideH, 128},
                        {MatrixField::AccStrideW, 32}});
}

TEST(MatrixEffects, OfAConvolution) {
  expectPasses(smallConv());
  std::vector<Access> accesses = effects(smallConv(), edge());
  ASSERT_EQ(accesses.size(), 3u);
  // 4 x 4 x 2 bytes; 9 taps x 2 channels x 8 columns; 16 pixels x 8 x 4 bytes.
  EXPECT_EQ(rangesOfOperand(smallConv(), "in"), (Ranges{{1024, 1056}}));
  EXPECT_EQ(rangesOfOperand(smallConv(), "weights"), (Ranges{{2048, 2192}}));
  EXPECT_EQ(rangesOfOperand(smallConv(), "acc", AccessKind::Write),
            (Ranges{{256, 768}}));
  EXPECT_EQ(accesses[2].space, kAccumulators);
  EXPECT_FALSE(accesses[2].isScratch);
}

Command emitting() {
  Command command = smallConv();
  set(command, MatrixField::Emit, 1);
  set(command, MatrixField::ParamsSpace, kConstantsRegion);
  set(command, MatrixField::ParamsOffset, 8);
  set(command, MatrixField::ParamsBytes, 16);
  set(command, MatrixField::OutOffset, 4096);
  set(command, MatrixField::OutStrideH, 32);
  set(command, MatrixField::OutStrideW, 8);
  set(command, MatrixField::Out2Offset, 8192);
  set(command, MatrixField::Out2StrideH, 64);
  set(command, MatrixField::Out2StrideW, 16);
  set(command, MatrixField::Out2Type, int64_t(machine::ElementType::I16));
  set(command, MatrixField::ResOffset, 16384);
  set(command, MatrixField::ResStrideH, 32);
  set(command, MatrixField::ResStrideW, 8);
  return command;
}

std::vector<std::string> namesOf(const Command &command) {
  std::vector<std::string> names;
  for (const Access &access : effects(command, edge()))
    names.push_back(std::string(access.operand) +
                    (access.kind == AccessKind::Read ? "<" : ">") +
                    (access.isScratch ? "scratch" : ""));
  return names;
}

// 3 x 3 taps x 2 channels = 18 terms, one pass of the 32 rows of the array.
TEST(MatrixEffects, OfTheOutputStage) {
  Command command = emitting();
  expectPasses(command);
  EXPECT_EQ(namesOf(command),
            (std::vector<std::string>{"in<", "weights<", "params<", "out>"}));
  set(command, MatrixField::UsesResidual, 1);
  set(command, MatrixField::UsesSecond, 1);
  set(command, MatrixField::Accumulate, 1);
  expectPasses(command);
  EXPECT_EQ(namesOf(command),
            (std::vector<std::string>{"in<", "weights<", "acc<", "params<",
                                      "res<", "out>", "out2>"}));
  EXPECT_EQ(rangesOfOperand(command, "params"), (Ranges{{8, 24}}));
  EXPECT_EQ(rangesOfOperand(command, "out2", AccessKind::Write),
            (Ranges{{8192, 8192 + 256}}));
  // go's second operand moves the result alone, here out.
  command.resultAddend = 64;
  EXPECT_EQ(rangesOfOperand(command, "out", AccessKind::Write),
            (Ranges{{4160, 4160 + 128}}));
  EXPECT_EQ(rangesOfOperand(command, "acc"), (Ranges{{256, 768}}));
}

// 9 x 4 = 36 terms are two passes.
TEST(MatrixEffects, PartialSumsOfSeveralPassesNeedAccumulators) {
  Command command = emitting();
  set(command, MatrixField::Channels, 4);
  set(command, MatrixField::InStrideW, 4);
  set(command, MatrixField::InStrideH, 16);
  expectPasses(command);
  EXPECT_EQ(namesOf(command),
            (std::vector<std::string>{"in<", "weights<", "params<",
                                      "acc>scratch", "out>"}));
  EXPECT_EQ(rangesOfOperand(command, "acc", AccessKind::Write),
            (Ranges{{256, 768}}));
  // Blocks of 64 columns and groups take turns in the same place.
  set(command, MatrixField::Columns, 100);
  set(command, MatrixField::WeightsStrideK, 128);
  set(command, MatrixField::OutStrideW, 128);
  set(command, MatrixField::OutStrideH, 512);
  set(command, MatrixField::AccStrideW, 256);
  set(command, MatrixField::AccStrideH, 1024);
  EXPECT_EQ(rangesOfOperand(command, "acc", AccessKind::Write),
            (Ranges{{256, 256 + 16 * 64 * 4}}));
  set(command, MatrixField::AccOffset, edge().accumulators.bytes - 1024);
  EXPECT_EQ(checkCommand(command, edge()).error().rule, "CMD-BOUNDS");
}

TEST(MatrixEffects, DepthwiseReadsAChannelForEachColumn) {
  Command command = smallConv();
  set(command, MatrixField::Depthwise, 1);
  set(command, MatrixField::Channels, 1);
  set(command, MatrixField::InStrideW, 8);
  set(command, MatrixField::InStrideH, 32);
  expectPasses(command);
  EXPECT_EQ(rangesOfOperand(command, "in"), (Ranges{{1024, 1024 + 128}}));
  EXPECT_EQ(rangesOfOperand(command, "weights"), (Ranges{{2048, 2048 + 72}}));
}

//===----------------------------------------------------------------------===//
// Vector, processor
//===----------------------------------------------------------------------===//

TEST(VectorEffects, OfAReduction) {
  // 3 x 4 floats, reduced along dimension 3 to 3.
  Command command =
      vectorCommand(CommandCode::VectorReduce,
                    {{VectorField::Size2, 3},
                     {VectorField::Size3, 4},
                     {VectorField::AType, int64_t(machine::ElementType::F32)},
                     {VectorField::AStride2, 16},
                     {VectorField::AStride3, 4},
                     {VectorField::OutType, int64_t(machine::ElementType::F32)},
                     {VectorField::OutOffset, 64},
                     {VectorField::OutStride2, 4}});
  expectPasses(command);
  EXPECT_EQ(rangesOfOperand(command, "a"), (Ranges{{0, 48}}));
  EXPECT_EQ(rangesOfOperand(command, "out", AccessKind::Write),
            (Ranges{{64, 76}}));
}

TEST(ScalarEffects, LoadsAndStoresTouchTheContext) {
  Instruction load{Opcode::Lw, {5, 6, -4}};
  std::optional<Access> access = effects(load, 20);
  ASSERT_TRUE(access);
  EXPECT_EQ(access->time, AccessTime::Issue);
  EXPECT_EQ(access->space, kContextRegion);
  EXPECT_EQ(rangesOf(access->boxes), (Ranges{{16, 20}}));
  EXPECT_EQ(effects(Instruction{Opcode::Sw, {5, 6, 0}}, 8)->kind,
            AccessKind::Write);
  EXPECT_FALSE(effects(Instruction{Opcode::Addi, {5, 6, 0}}, 8));
}

TEST(Overlap, IsByteByByte) {
  Access a, b;
  a.boxes = {{0, {1, 1, 4, 1}, {0, 0, 8, 0}, 4}}; // 0-4, 8-12, 16-20, 24-28
  b.boxes = {{4, {1, 1, 4, 1}, {0, 0, 8, 0}, 4}}; // the gaps
  EXPECT_FALSE(overlap(a, b));
  b.boxes[0].bytes = 5;
  EXPECT_TRUE(overlap(a, b));
  b.space = kSram;
  EXPECT_FALSE(overlap(a, b));
}

std::set<int64_t> bytesOf(const Access &access) {
  std::set<int64_t> bytes;
  for (const Box &box : access.boxes) {
    const auto &n = box.counts;
    for (int64_t i = 0; i < n[0] * n[1] * n[2] * n[3]; ++i) {
      int64_t at = box.offset, rest = i;
      for (size_t d = 4; d-- > 0; rest /= n[d])
        at += rest % n[d] * box.strides[d];
      for (int64_t byte = 0; byte < box.bytes; ++byte)
        bytes.insert(at + byte);
    }
  }
  return bytes;
}

// Strides have factors in common, so that many pairs of boxes interleave.
TEST(Overlap, IsThatOfSetsOfBytes) {
  std::mt19937_64 random(5); // NOLINT(bugprone-random-generator-seed)
  auto below = [&](uint64_t n) { return int64_t(random() % n); };
  auto draw = [&](int64_t factor) {
    Access access;
    for (int64_t boxes = 1 + below(2); boxes > 0; --boxes) {
      Box box{below(100), {1, 1, 1, 1}, {0, 0, 0, 0}, 1 + below(factor)};
      for (size_t d = 0; d < 4; ++d)
        if (below(2)) {
          box.counts[d] = 2 + below(3);
          box.strides[d] = factor * (below(9) - 4);
        }
      access.boxes.push_back(box);
    }
    return access;
  };
  int apart = 0;
  constexpr int kPairs = 5000;
  for (int i = 0; i < kPairs; ++i) {
    int64_t factor = 1 + below(8);
    Access a = draw(factor), b = draw(factor);
    std::set<int64_t> left = bytesOf(a), right = bytesOf(b), both;
    std::ranges::set_intersection(left, right,
                                  std::inserter(both, both.begin()));
    EXPECT_EQ(overlap(a, b), !both.empty()) << "pair " << i;
    apart += both.empty();
    Ranges ranges = rangesOf(a.boxes);
    int64_t count = 0;
    for (const ByteRange &range : ranges)
      count += range.end - range.begin;
    EXPECT_EQ(count, int64_t(left.size())) << "pair " << i;
  }
  EXPECT_GT(apart, kPairs / 10);
  EXPECT_LT(apart, kPairs * 9 / 10);
}

TEST(RegisterEffects, FollowTheTable) {
  Instruction go{Opcode::Go, {0, 1, 5, 6}};
  EXPECT_EQ(
      registerEffects(go).reads,
      (std::vector<RegisterRead>{{5, ReadTime::Late}, {6, ReadTime::Late}}));
  EXPECT_EQ(registerEffects(go, true).reads,
            (std::vector<RegisterRead>{{5, ReadTime::Latched},
                                       {6, ReadTime::Latched}}));
  EXPECT_TRUE(registerEffects({Opcode::Go, {0, 1, 0, 0}}).reads.empty());
  EXPECT_EQ(registerEffects({Opcode::WaitGeR, {0, 1, 7}}).reads,
            (std::vector<RegisterRead>{{7, ReadTime::Late}}));
  EXPECT_EQ(registerEffects({Opcode::CfgR, {0, 1, 7}}).reads,
            (std::vector<RegisterRead>{{7, ReadTime::Latched}}));
  EXPECT_EQ(registerEffects({Opcode::Add, {5, 6, 7}}).write, 5u);
  EXPECT_EQ(registerEffects({Opcode::Add, {0, 6, 7}}).write, std::nullopt);
}

} // namespace
