//===- WinogradConvTest.cpp - convolutions by squares keep all bits -------===//

#include "tally/cpu/ProductsForTests.h"
#include "tally/cpu/kernels/WinogradSchedules.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <set>

using namespace tally;
using namespace tally::cpu;

namespace {

/// A 1x1 convolution of the input, whose result is stored channels last, and a
/// 3x3 convolution of that; or one of the input, which is in plain order.
struct Layers {
  int64_t images = 1, height, width, channels, outputs;
  std::array<int64_t, 4> pads = {1, 1, 1, 1}; ///< y and x, begin, then end
  std::string codes = "u8", zero = "131";     ///< of the second one's input
  std::string weights = "i8:f32, 1.0";
  int64_t stride = 1, dilation = 1, group = 1;
  bool isPlain = false;
};

class BySquares : public ScheduledProducts {
protected:
  void make(const Layers &s);
  /// The task of the second convolution.
  ProductTask taskOf(const Layers &s, Tier tier = Tier::Avx2);
  void compare(const Layers &s, size_t count, int64_t threads = 1) {
    ASSERT_GT(taskOf(s).squares, 0);
    compareSchedules(count, threads,
                     [](const ProductSchedule &t) { return t.transforms; });
  }
};

std::string joined(std::initializer_list<int64_t> numbers, const char *with) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : with) + std::to_string(number);
  return text;
}

std::string onGrid(const std::string &shape, const std::string &grid) {
  return "tensor<" + shape + "x!quant.uniform<" + grid + ">>";
}

std::string conv(const std::string &operands,
                 std::initializer_list<int64_t> pads, const Layers &s,
                 const std::string &types) {
  auto both = [](int64_t value) { return joined({value, value}, ", "); };
  return " = nn.conv " + operands + " {strides = array<i64: " + both(s.stride) +
         ">, pads = array<i64: " + joined(pads, ", ") +
         ">, dilations = array<i64: " + both(s.dilation) +
         ">, group = " + std::to_string(s.group) + " : i64} : " + types;
}

void BySquares::make(const Layers &s) {
  constexpr int64_t first = 8;
  int64_t terms = 9 * s.channels / s.group;
  auto along = [&](int64_t size, int64_t pads) {
    return (size + pads - 2 * s.dilation - 1) / s.stride + 1;
  };
  double scale = scaleOfSums(first);
  std::string x = onGrid(joined({s.images, first, s.height, s.width}, "x"),
                         "u8:f32, 1.0:120");
  std::string c =
      onGrid(joined({s.images, s.channels, s.height, s.width}, "x"),
             s.codes + ":f32, " + std::to_string(scale) + ":" + s.zero);
  std::string y = onGrid(
      joined({s.images, s.outputs, along(s.height, s.pads[0] + s.pads[2]),
              along(s.width, s.pads[1] + s.pads[3])},
             "x"),
      "i8:f32, " + std::to_string(scale * scaleOfSums(terms)) + ":3");
  std::string shapeV = joined({s.channels, first, 1, 1}, "x");
  std::string shapeW = joined({s.outputs, s.channels / s.group, 3, 3}, "x");
  std::string v = onGrid(shapeV, "i8:f32, 1.0"), w = onGrid(shapeW, s.weights);
  std::string before =
      weights("v", shapeV, s.channels * first, "i8:f32, 1.0") + " %c" +
      conv("%x, %v", {0, 0, 0, 0}, {}, "(" + x + ", " + v + ") -> " + c);
  text = "func.func @main(" + (s.isPlain ? "%c: " + c : "%x: " + x) + ") -> " +
         y + " {" + (s.isPlain ? "" : before) +
         weights("w", shapeW, s.outputs * terms, s.weights) + " %y" +
         conv("%c, %w", {s.pads[0], s.pads[1], s.pads[2], s.pads[3]}, s,
              "(" + c + ", " + w + ") -> " + y) +
         " return %y : " + y + " }";
}

ProductTask BySquares::taskOf(const Layers &s, Tier tier) {
  make(s);
  std::vector<ProductTask> found = tasks(optionsOf(tier, 1));
  return found.empty() ? ProductTask() : found.back();
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// 9 x 7 results are 3 x 2 squares, which reach beyond them; 48 channels are a
/// register of codes and half of one, 20 columns three registers.
TEST_F(BySquares, AllSchedulesOfOneConvolution) {
  compare({.height = 9, .width = 7, .channels = 48, .outputs = 20}, SIZE_MAX);
}

/// Channels whose words overlap in the last piece of a line of the kernel, and
/// blocks of them between which sums wait.
TEST_F(BySquares, BlocksOfChannels) {
  for (int64_t channels : {96, 128})
    compare({.height = 8, .width = 12, .channels = channels, .outputs = 70}, 4);
}

TEST_F(BySquares, PaddingOfEverySide) {
  for (std::array<int64_t, 4> pads : {std::array<int64_t, 4>{0, 0, 0, 0},
                                      {1, 0, 0, 1},
                                      {0, 2, 1, 0},
                                      {2, 2, 2, 2},
                                      {7, 0, 6, 9}})
    compare(
        {.height = 10, .width = 6, .channels = 16, .outputs = 9, .pads = pads},
        1);
}

TEST_F(BySquares, SmallImages) {
  for (auto [height, width] :
       {std::pair<int64_t, int64_t>{1, 1}, {1, 9}, {3, 2}, {4, 4}, {5, 13}})
    compare({.height = height, .width = width, .channels = 32, .outputs = 17},
            1);
}

TEST_F(BySquares, CodesAndWeightsOfEverySign) {
  for (const auto &[codes, zero] :
       {std::pair<std::string, std::string>{"u8", "0"},
        {"u8", "255"},
        {"i8", "-128"},
        {"i8", "11"},
        {"i8", "127"}})
    for (const char *weights : {"i8:f32, 1.0", "u8:f32, 1.0:128"})
      compare({.height = 6,
               .width = 5,
               .channels = 16,
               .outputs = 16,
               .codes = codes,
               .zero = zero,
               .weights = weights},
              1);
}

TEST_F(BySquares, InputsInPlainOrder) {
  compare({.images = 2,
           .height = 9,
           .width = 10,
           .channels = 48,
           .outputs = 24,
           .codes = "i8",
           .zero = "11",
           .isPlain = true},
          2, /*threads=*/2);
}

TEST_F(BySquares, Batches) {
  compare({.images = 3, .height = 6, .width = 7, .channels = 32, .outputs = 40},
          3);
  compare({.images = 5,
           .height = 10,
           .width = 10,
           .channels = 64,
           .outputs = 64,
           .pads = {0, 0, 0, 0}},
          2);
}

TEST_F(BySquares, OnThreads) {
  Layers layers = {
      .images = 2, .height = 17, .width = 14, .channels = 64, .outputs = 100};
  compare(layers, 3, /*threads=*/2);
  layers.outputs = 30;
  compare(layers, 3, /*threads=*/3);
}

TEST_F(BySquares, RandomConvolutions) {
  for (int i = 0; i < 4; ++i)
    compare({.images = pick(1, 2),
             .height = pick(1, 20),
             .width = pick(1, 20),
             .channels = 16 * pick(1, 8),
             .outputs = pick(1, 90),
             .codes = pick(0, 1) ? "i8" : "u8",
             .zero = "100"},
            2);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

TEST_F(BySquares, OnlyWhatHasAKernel) {
  const Layers layers = {
      .height = 12, .width = 9, .channels = 32, .outputs = 16};
  EXPECT_EQ(taskOf(layers).squares, 3 * 3);
  EXPECT_EQ(taskOf(layers).channels, 32);
  auto squaresWith = [&](const auto &change) {
    Layers other = layers;
    change(other);
    return taskOf(other).squares;
  };
  EXPECT_EQ(squaresWith([](Layers &s) { s.stride = 2; }), 0);
  EXPECT_EQ(squaresWith([](Layers &s) { s.dilation = 2; }), 0);
  EXPECT_EQ(squaresWith([](Layers &s) { s.group = 2; }), 0);
  EXPECT_EQ(squaresWith([](Layers &s) { s.channels = 40; }), 0);
  for (Tier tier : {Tier::Baseline, Tier::AvxVnni, Tier::Avx512, Tier::I8mm})
    EXPECT_EQ(taskOf(layers, tier).squares, 0);
}

/// Steps are uniform: 64 of them on the average, half of them positive. So 255
/// times those of 256 channels add up to about 19 million, of 512 to 38, and
/// the bound is 33.5.
TEST_F(BySquares, OnlySumsThatFit) {
  Layers layers = {.height = 4, .width = 4, .channels = 256, .outputs = 16};
  EXPECT_EQ(taskOf(layers).squares, 1);
  layers.channels = 512;
  EXPECT_EQ(taskOf(layers).squares, 0);
}

ProductTask sizesOf(int64_t size, int64_t channels, int64_t outputs) {
  ProductTask task = {Tier::Avx2,
                      ProductTask::Kind::Dots,
                      size * (size + 1) - 1,
                      outputs,
                      9 * channels / 4,
                      channels,
                      false,
                      12};
  int64_t along = (size + 3) / 4;
  task.squares = along * along;
  task.channels = channels;
  return task;
}

TEST(WinogradSchedules, AreLegalAndDifferent) {
  for (int64_t size : {1, 7, 28, 56})
    for (int64_t channels : {16, 48, 96, 512})
      for (int64_t outputs : {1, 24, 200}) {
        ProductTask task = sizesOf(size, channels, outputs);
        auto all = squareCandidates(task);
        SCOPED_TRACE(textOf(task));
        EXPECT_FALSE(all.empty());
        EXPECT_EQ(std::set<ProductSchedule>(all.begin(), all.end()).size(),
                  all.size());
        for (const ProductSchedule &s : all) {
          EXPECT_TRUE(s.transforms);
          EXPECT_LE(s.rows * 2 + 2 + 1, 16); // registers
          EXPECT_LE(s.rows, s.rowBlock);
          EXPECT_LE(s.rowBlock, task.squares);
          EXPECT_EQ(channels % (s.stepBlock * 4), 0);
          EXPECT_EQ(s.stepBlock * 4 % 16, 0);
          EXPECT_LT((s.vectors - 1) * 16, outputs);
          EXPECT_LE(SquareSizes(s).bytes(), 448 << 10);
          EXPECT_GT(costOf(task, s), 0);
        }
      }
}

TEST(WinogradSchedules, NoneWithoutSquares) {
  ProductTask task = sizesOf(14, 64, 64);
  task.squares = 0;
  EXPECT_TRUE(squareCandidates(task).empty());
  EXPECT_FALSE(llvm::any_of(candidatesOf(task),
                            [](const auto &s) { return s.transforms; }));
}

/// 64 columns, 24 squares, 64 channels: 36 * (24 * 32 + 16) words of codes,
/// 36 * (64 * 32 + 16) of steps, 24 * 36 * 64 sums and 16 * 64 pixels.
TEST(WinogradSchedules, SizesAddUp) {
  ProductSchedule s = {6, 4, 24, 16};
  s.transforms = true;
  EXPECT_EQ(SquareSizes(s).bytes(),
            4 * (36 * 784 + 36 * 2064 + 24 * 36 * 64 + 1024));
}

} // namespace
