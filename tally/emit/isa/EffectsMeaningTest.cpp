//===- EffectsMeaningTest.cpp - effects against the commands' meanings ----===//
//
// Random commands are executed address by address as Commands.def states them;
// the bytes they touch are those of effects().
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Effects.h"
#include "tally/emit/isa/TestCommands.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::isa;

namespace {

using Touched = std::map<std::pair<std::string, AccessKind>, std::set<int64_t>>;

void touch(Touched &touched, const char *operand, AccessKind kind, int64_t at,
           int64_t bytes) {
  for (int64_t i = 0; i < bytes; ++i)
    touched[{operand, kind}].insert(at + i);
}

Touched touchedByDma(const Command &c) {
  Touched touched;
  auto nth = [&](DmaField first, size_t d) {
    return c.config.get(uint32_t(first) + uint32_t(d));
  };
  auto place = [&](DmaField offset, DmaField stride, int64_t side,
                   std::array<int64_t, 4> index) {
    int64_t at = c.get(offset);
    for (size_t d = 0; d < 4; ++d) {
      if (c.get(DmaField::WrapSide) == side &&
          size_t(c.get(DmaField::WrapDim)) == d)
        index[d] = (index[d] + c.get(DmaField::WrapStart)) %
                   c.get(DmaField::WrapLength);
      at += index[d] * nth(stride, d);
    }
    return at;
  };
  std::array<int64_t, 4> i{}, j{};
  for (i[0] = 0; i[0] < nth(DmaField::Size0, 0); ++i[0])
    for (i[1] = 0; i[1] < nth(DmaField::Size0, 1); ++i[1])
      for (i[2] = 0; i[2] < nth(DmaField::Size0, 2); ++i[2])
        for (i[3] = 0; i[3] < nth(DmaField::Size0, 3); ++i[3]) {
          bool exists = true;
          for (size_t d = 0; d < 4; ++d) {
            j[d] = i[d] - nth(DmaField::Before0, d);
            exists &= j[d] >= 0 && j[d] < nth(DmaField::Extent0, d);
          }
          int64_t bytes = c.get(DmaField::Element);
          if (exists)
            touch(touched, "src", AccessKind::Read,
                  place(DmaField::SrcOffset, DmaField::SrcStride0, 1, j),
                  bytes);
          touch(touched, "dst", AccessKind::Write,
                place(DmaField::DstOffset, DmaField::DstStride0, 2, i), bytes);
        }
  return touched;
}

Touched touchedByEffects(const Command &command) {
  Touched touched;
  for (const Access &access : effects(command, edge()))
    for (const ByteRange &range : rangesOf(access.boxes))
      touch(touched, std::string(access.operand).c_str(), access.kind,
            range.begin, range.end - range.begin);
  return touched;
}

TEST(Effects, OfDma) {
  std::mt19937_64 random(2); // NOLINT(bugprone-random-generator-seed)
  auto below = [&](uint64_t n) { return int64_t(random() % n); };
  int checked = 0;
  while (checked < 3000) {
    Command c = dmaCommand({});
    int64_t element = int64_t(1) << below(3);
    set(c, DmaField::Element, element);
    for (uint32_t d = 0; d < 4; ++d) {
      auto field = [&](DmaField first) { return uint32_t(first) + d; };
      set(c, field(DmaField::Size0), 1 + below(4));
      set(c, field(DmaField::SrcStride0), element * (below(40) - 20));
      set(c, field(DmaField::DstStride0), element * (below(80) - 40));
      set(c, field(DmaField::Before0), below(3) - 1);
      set(c, field(DmaField::Extent0), 1 + below(4));
    }
    set(c, DmaField::SrcOffset, element * 1000);
    set(c, DmaField::DstOffset, element * 4000);
    set(c, DmaField::WrapSide, below(3));
    set(c, DmaField::WrapDim, below(4));
    set(c, DmaField::WrapLength, 1 + below(6));
    set(c, DmaField::WrapStart, below(6));
    if (!checkCommand(c, edge()))
      continue; // most: wraps too short, or results that meet themselves
    ++checked;
    ASSERT_EQ(touchedByEffects(c), touchedByDma(c));
  }
}

Touched touchedByConv(const Command &c) {
  using enum MatrixField;
  Touched touched;
  bool depthwise = c.get(Depthwise) != 0;
  for (int64_t g = 0; g < c.get(Groups); ++g)
    for (int64_t y = 0; y < c.get(OutH); ++y)
      for (int64_t x = 0; x < c.get(OutW); ++x)
        for (int64_t n = 0; n < c.get(Columns); ++n) {
          touch(touched, "acc", AccessKind::Write,
                c.get(AccOffset) + g * c.get(AccStrideG) +
                    y * c.get(AccStrideH) + x * c.get(AccStrideW) + 4 * n,
                4);
          for (int64_t u = 0; u < c.get(KernelH); ++u)
            for (int64_t v = 0; v < c.get(KernelW); ++v)
              for (int64_t k = 0; k < c.get(Channels); ++k) {
                touch(touched, "weights", AccessKind::Read,
                      c.get(WeightsOffset) + g * c.get(WeightsStrideG) +
                          ((u * c.get(KernelW) + v) * c.get(Channels) + k) *
                              c.get(WeightsStrideK) +
                          n,
                      1);
                int64_t h =
                    y * c.get(StepH) + u * c.get(DilationH) - c.get(BeforeH);
                int64_t w =
                    x * c.get(StepW) + v * c.get(DilationW) - c.get(BeforeW);
                if (h >= 0 && h < c.get(ExtentH) && w >= 0 &&
                    w < c.get(ExtentW))
                  touch(touched, "in", AccessKind::Read,
                        c.get(InOffset) + g * c.get(InStrideG) +
                            h * c.get(InStrideH) + w * c.get(InStrideW) +
                            (depthwise ? n : k),
                        1);
              }
        }
  return touched;
}

TEST(Effects, OfConvolution) {
  using enum MatrixField;
  std::mt19937_64 random(3); // NOLINT(bugprone-random-generator-seed)
  auto below = [&](uint64_t n) { return int64_t(random() % n); };
  for (int i = 0; i < 1000; ++i) {
    Command c = matrixCommand({});
    set(c, Depthwise, below(2));
    for (MatrixField field : {Groups, OutH, OutW, Columns, KernelH, KernelW,
                              StepH, StepW, DilationH, DilationW})
      set(c, field, 1 + below(3));
    set(c, Channels, c.get(Depthwise) != 0 ? 1 : 1 + below(3));
    for (MatrixField field : {BeforeH, BeforeW})
      set(c, field, below(5) - 2);
    for (MatrixField field : {ExtentH, ExtentW})
      set(c, field, 1 + below(9));
    set(c, InOffset, 5000);
    for (MatrixField field : {InStrideG, InStrideH, InStrideW})
      set(c, field, below(100) - 50);
    set(c, WeightsOffset, 100);
    set(c, WeightsStrideK, below(9));
    set(c, WeightsStrideG, 300 + below(100));
    set(c, AccStrideW, 12);
    set(c, AccStrideH, 40);
    set(c, AccStrideG, 400);
    ASSERT_TRUE(checkCommand(c, edge()));
    ASSERT_EQ(touchedByEffects(c), touchedByConv(c));
  }
}

Touched touchedByPool(const Command &c) {
  using enum VectorField;
  Touched touched;
  int64_t bytes = 4;
  for (int64_t b = 0; b < c.get(Size0); ++b)
    for (int64_t y = 0; y < c.get(Size1); ++y)
      for (int64_t x = 0; x < c.get(Size2); ++x)
        for (int64_t n = 0; n < c.get(Size3); ++n) {
          touch(touched, "out", AccessKind::Write,
                c.get(OutOffset) + b * c.get(OutStride0) +
                    y * c.get(OutStride1) + x * c.get(OutStride2) +
                    n * c.get(OutStride3),
                bytes);
          for (int64_t u = 0; u < c.get(KernelH); ++u)
            for (int64_t v = 0; v < c.get(KernelW); ++v) {
              int64_t h =
                  y * c.get(StepH) + u * c.get(DilationH) - c.get(BeforeH);
              int64_t w =
                  x * c.get(StepW) + v * c.get(DilationW) - c.get(BeforeW);
              if (h >= 0 && h < c.get(ExtentH) && w >= 0 && w < c.get(ExtentW))
                touch(touched, "a", AccessKind::Read,
                      c.get(AOffset) + b * c.get(AStride0) +
                          h * c.get(AStride1) + w * c.get(AStride2) +
                          n * c.get(AStride3),
                      bytes);
            }
        }
  return touched;
}

TEST(Effects, OfPooling) {
  using enum VectorField;
  std::mt19937_64 random(4); // NOLINT(bugprone-random-generator-seed)
  auto below = [&](uint64_t n) { return int64_t(random() % n); };
  for (int i = 0; i < 1000; ++i) {
    Command c = vectorCommand(CommandCode::VectorPool, {});
    set(c, Function, infoOf(isa::Function::PoolMax).number);
    set(c, AType, int64_t(machine::ElementType::F32));
    set(c, OutType, int64_t(machine::ElementType::F32));
    for (VectorField field : {Size0, Size1, Size2, Size3, KernelH, KernelW,
                              StepH, StepW, DilationH, DilationW})
      set(c, field, 1 + below(3));
    for (VectorField field : {BeforeH, BeforeW})
      set(c, field, below(3) - 1);
    for (VectorField field : {ExtentH, ExtentW})
      set(c, field, 1 + below(9));
    set(c, AOffset, 8000);
    for (VectorField field : {AStride0, AStride1, AStride2, AStride3})
      set(c, field, 4 * (below(60) - 30));
    set(c, OutOffset, 40000);
    set(c, OutStride3, 4);
    set(c, OutStride2, 12);
    set(c, OutStride1, 40);
    set(c, OutStride0, 160);
    ASSERT_TRUE(checkCommand(c, edge()));
    ASSERT_EQ(touchedByEffects(c), touchedByPool(c));
  }
}

} // namespace
