//===- ProductScheduleTest.cpp - schedules are legal, and change no bit ---===//

#include "tally/cpu/ProductSchedule.h"
#include "tally/cpu/ProductsForTests.h"
#include "tally/support/LongRun.h"

#include <set>

using namespace tally;
using cpu::ProductSchedule;
using cpu::ProductTask;
using cpu::Tier;

namespace {

constexpr Tier kTiers[] = {Tier::Baseline, Tier::Avx2, Tier::AvxVnni,
                           Tier::Avx512, Tier::I8mm};

ProductTask taskOf(Tier tier, int64_t rows, int64_t columns, int64_t words) {
  return {tier, ProductTask::Kind::Dots, rows, columns, words, 4 * words};
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// Registers of a tier, and how many of them are sixteen sums.
struct Registers {
  int64_t all, ofVector;
};
Registers registersOf(Tier tier) {
  switch (tier) {
  case Tier::Avx512:
    return {32, 1};
  case Tier::Baseline:
    return {16, 4};
  case Tier::I8mm:
    return {32, 4};
  default:
    return {16, 2};
  }
}

bool hasHalves(Tier tier) {
  return tier == Tier::Avx2 || tier == Tier::Baseline;
}

/// Of a schedule that copies: pieces are whole words of registers or runs, and
/// nothing is asked for where there is one.
void expectLegalCopies(const ProductTask &task, const ProductSchedule &s) {
  EXPECT_TRUE(hasHalves(task.tier));
  EXPECT_LE(s.vectors, 4);
  if (s.stepBlock == task.steps)
    EXPECT_FALSE(s.prefetches);
  else
    EXPECT_EQ(s.stepBlock % (task.isStraight ? 8 : task.piece), 0);
}

void expectLegal(const ProductTask &task, const ProductSchedule &s) {
  SCOPED_TRACE(textOf(task) + ": " + textOf(task, s));
  Registers registers = registersOf(task.tier);
  // A tile has two registers of a block that is copied.
  int64_t columns = s.copies ? 2 : s.vectors * registers.ofVector;
  EXPECT_LE(s.rows * columns + columns + 2, registers.all);
  if (s.copies)
    expectLegalCopies(task, s);
  EXPECT_GE(s.rows, 1);
  EXPECT_LE(s.rows, task.rows);
  EXPECT_GE(s.vectors, 1);
  EXPECT_LT((s.vectors - 1) * 16, task.columns);
  EXPECT_TRUE(s.rowBlock == task.rows ||
              (s.rowBlock < task.rows && s.rowBlock % s.rows == 0));
  EXPECT_GE(s.stepBlock, 1);
  EXPECT_LE(s.stepBlock, task.steps);
  EXPECT_TRUE(s.stepBlock == task.steps ||
              s.rowBlock * s.vectors * 16 * 4 <= 64 * 1024);
  EXPECT_GT(costOf(task, s), 0);
}

TEST(ProductSchedule, CandidatesAreLegalAndDifferent) {
  for (Tier tier : kTiers)
    for (int64_t rows : {1, 2, 7, 49, 3136})
      for (int64_t columns : {1, 16, 40, 1000})
        for (int64_t words : {1, 16, 65, 1152}) {
          ProductTask task = taskOf(tier, rows, columns, words);
          auto all = candidatesOf(task);
          for (const ProductSchedule &schedule : all)
            expectLegal(task, schedule);
          std::set<ProductSchedule> apart(all.begin(), all.end());
          EXPECT_EQ(apart.size(), all.size());
          ProductSchedule cheapest = cheapestOf(task);
          EXPECT_TRUE(apart.contains(cheapest));
          for (const ProductSchedule &schedule : all)
            EXPECT_LE(costOf(task, cheapest), costOf(task, schedule));
        }
}

TEST(ProductSchedule, EveryChoiceIsThere) {
  std::set<int64_t> rowBlocks, groups, stepBlocks;
  std::set<bool> copies, prefetches;
  ProductTask task = taskOf(Tier::Avx2, 1024, 1024, 256);
  for (const ProductSchedule &s : candidatesOf(task)) {
    copies.insert(s.copies);
    prefetches.insert(s.prefetches);
    stepBlocks.insert(s.stepBlock);
    if (s.rows == 4 && s.vectors == 1)
      (s.copies ? groups : rowBlocks).insert(s.rowBlock);
  }
  // A row has 1024 bytes: 16 KiB are 16 rows, 128 KiB are 128.
  EXPECT_EQ(rowBlocks, (std::set<int64_t>{16, 128, 1024}));
  // Eleven groups of up to 94 rows, six of up to 171, in whole tiles.
  EXPECT_EQ(groups, (std::set<int64_t>{96, 172, 1024}));
  EXPECT_EQ(stepBlocks, (std::set<int64_t>{32, 64, 128, 256}));
  EXPECT_EQ(copies.size(), 2u);
  EXPECT_EQ(prefetches.size(), 2u);
}

/// The example of DotSchedules.cpp, and blocks, which the cost alone chooses
/// only of copies.
TEST(ProductSchedule, TheCheapestWastesLeastAtTheEdges) {
  ProductSchedule cheapest = cheapestOf(taskOf(Tier::Avx512, 7, 64, 100));
  EXPECT_EQ(cheapest, (ProductSchedule{4, 4, 7, 100, false, false}));
  EXPECT_EQ(
      costOf(taskOf(Tier::Avx512, 7, 64, 100), {6, 4, 7, 100, false, false}),
      100 * (2 * 24 + 1 + 2 * 9 + 1));
  EXPECT_EQ(costOf(taskOf(Tier::Avx512, 7, 64, 100), cheapest),
            100 * (2 * 16 + 1 + 2 * 12 + 1));
  for (Tier tier : {Tier::Baseline, Tier::AvxVnni, Tier::Avx512, Tier::I8mm})
    for (int64_t rows : {1, 12, 3136}) {
      ProductSchedule s = cheapestOf(taskOf(tier, rows, 64, 1152));
      if (s.copies)
        continue;
      EXPECT_EQ(s.rowBlock, rows);
      EXPECT_EQ(s.stepBlock, 1152);
      EXPECT_FALSE(s.prefetches);
    }
}

/// Halves are taken apart once for many tiles, else in each.
TEST(ProductSchedule, CopiesWhenManyTilesReadThem) {
  EXPECT_FALSE(cheapestOf(taskOf(Tier::Avx2, 6, 64, 100)).copies);
  EXPECT_TRUE(cheapestOf(taskOf(Tier::Avx2, 60, 64, 100)).copies);
  EXPECT_FALSE(cheapestOf(taskOf(Tier::AvxVnni, 60, 64, 100)).copies);
}

/// 1152 words of 64 columns are 36 pieces of 16 KiB in halves, 3136 rows 33
/// groups of 96; 40 words are one piece, and no sums wait.
TEST(ProductSchedule, CopiesStayInTheNearestCache) {
  EXPECT_EQ(cheapestOf(taskOf(Tier::Avx2, 3136, 64, 1152)),
            (ProductSchedule{6, 4, 96, 32, true, true}));
  EXPECT_EQ(cheapestOf(taskOf(Tier::Avx2, 3136, 64, 40)),
            (ProductSchedule{6, 4, 3136, 40, true, false}));
  // 49 rows are eight tiles of 6 and one of 1; runs of 15 words are not cut.
  ProductTask task = taskOf(Tier::Avx2, 49, 200, 135);
  task.isStraight = false;
  task.piece = 15;
  EXPECT_EQ(cheapestOf(task), (ProductSchedule{6, 4, 49, 45, true, true}));
}

/// What tiles have without a schedule: the fewest equal parts of up to 1152
/// terms.
TEST(ProductSchedule, PartsOfTilesAreEqual) {
  auto partOf = [](int64_t terms, int64_t pieceBytes) {
    ProductTask task = taskOf(Tier::Amx, 49, 512, terms / 4);
    task.kind = ProductTask::Kind::Tiles;
    task.piece = pieceBytes / 4;
    return cheapestOf(task).stepBlock * 4 / pieceBytes;
  };
  EXPECT_EQ(partOf(1152, 64), 18);
  EXPECT_EQ(partOf(1216, 64), 10); // 19 pieces in two parts
  EXPECT_EQ(partOf(4608, 64), 18); // 72 in four
  EXPECT_EQ(partOf(5760, 60), 20); // 96 in five
  EXPECT_EQ(partOf(36, 36), 1);
  for (int64_t pieces = 1; pieces < 300; ++pieces)
    for (int64_t pieceBytes : {4, 36, 60, 64}) {
      int64_t bytes = pieces * pieceBytes, parts = (bytes + 1151) / 1152;
      EXPECT_EQ(partOf(bytes, pieceBytes), (pieces + parts - 1) / parts)
          << pieces << " of " << pieceBytes;
    }
}

TEST(ProductSchedule, CandidatesOfTilesAreDifferent) {
  for (int64_t rows : {1, 7, 49, 3136})
    for (int64_t columns : {1, 40, 1000})
      for (int64_t steps : {1, 65, 1152}) {
        ProductTask task = taskOf(Tier::Amx, rows, columns, steps);
        task.kind = ProductTask::Kind::Tiles;
        auto all = candidatesOf(task);
        ASSERT_FALSE(all.empty());
        EXPECT_EQ(std::set<ProductSchedule>(all.begin(), all.end()).size(),
                  all.size());
        for (const ProductSchedule &s : all) {
          EXPECT_GE(s.stepBlock, 1);
          EXPECT_LE(s.stepBlock, steps);
          EXPECT_LE(costOf(task, cheapestOf(task)), costOf(task, s));
        }
      }
}

TEST(ProductSchedule, TextSaysWhatIsNotAsUsual) {
  ProductTask task = taskOf(Tier::Avx2, 49, 512, 256);
  EXPECT_EQ(textOf(task), "dots 49 x 512 x 256");
  EXPECT_EQ(textOf(task, {6, 1, 49, 256, false, false}), "6x1");
  EXPECT_EQ(textOf(task, {6, 1, 12, 64, true, true}),
            "6x1, 12 rows at a time, 64 steps at a time, copied, prefetched");
  task.isStraight = false;
  EXPECT_EQ(textOf(task), "dots 49 x 512 x 256, pitch 1024");
  task.squares = 24;
  task.channels = 112;
  ProductSchedule squares = {6, 4, 24, 28};
  squares.transforms = true;
  EXPECT_EQ(textOf(task), "dots 49 x 512 x 256, pitch 1024, 24 squares");
  EXPECT_EQ(textOf(task, squares), "6x4, transformed");
  squares.rowBlock = 12;
  squares.stepBlock = 14;
  EXPECT_EQ(textOf(task, squares),
            "6x4, 12 squares at a time, 14 steps at a time, transformed");
}

//===----------------------------------------------------------------------===//
// The bits
//===----------------------------------------------------------------------===//

class Products : public cpu::ScheduledProducts {
protected:
  /// %a * %b of plain codes, whose sums are the result.
  void makeMatrixProduct(int64_t rows, int64_t columns, int64_t terms) {
    auto type = [](int64_t m, int64_t n, const char *element) {
      return "tensor<" + std::to_string(m) + "x" + std::to_string(n) + "x" +
             element + ">";
    };
    std::string a = type(rows, terms, "ui8"), b = type(terms, columns, "i8");
    std::string c = type(rows, columns, "i32");
    text = "func.func @main(%a: " + a + ", %b: " + b + ") -> " + c +
           " { %0 = nn.matmul_integer %a, %b {operandSegmentSizes = "
           "array<i32: 1, 1, 0, 0>} : (" +
           a + ", " + b + ") -> " + c + " return %0 : " + c + " }";
  }

  /// A padded 3x3 convolution of codes with constant weights.
  void makeConvolution(int64_t size, int64_t channels, int64_t outputs) {
    auto number = [](int64_t value) { return std::to_string(value); };
    std::string plane = "x" + number(size) + "x" + number(size);
    int64_t terms = channels * 9;
    std::string scale = std::to_string(scaleOfSums(terms));
    std::string x = "tensor<1x" + number(channels) + plane +
                    "x!quant.uniform<u8:f32, 1.0:131>>";
    std::string y = "tensor<1x" + number(outputs) + plane +
                    "x!quant.uniform<i8:f32, " + scale + ":3>>";
    std::string shape = number(outputs) + "x" + number(channels) + "x3x3";
    std::string w = "tensor<" + shape + "x!quant.uniform<i8:f32, 1.0>>";
    text = "func.func @main(%x: " + x + ") -> " + y + " {" +
           weights("w", shape, outputs * terms, "i8:f32, 1.0") +
           " %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = "
           "array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : "
           "i64} : (" +
           x + ", " + w + ") -> " + y + " return %0 : " + y + " }";
  }
};

/// 5 rows leave rests of 2 to 4, 33 columns one of 1 or 17; 75 words are a
/// block of 64 and one of 11.
TEST_F(Products, OfOneProduct) {
  makeMatrixProduct(5, 33, 300);
  compareSchedules(someOrAll<size_t>(12, SIZE_MAX));
}

/// Rests of rows, registers and words; sums that wait, and groups of rows.
TEST_F(Products, ThoseThatCopy) {
  auto copies = [](const ProductSchedule &s) { return s.copies; };
  makeMatrixProduct(109, 91, 4 * 83);
  compareSchedules(4, /*threads=*/1, copies);
  makeConvolution(10, 60, 20); // runs of 15 words
  compareSchedules(2, /*threads=*/2, copies);
}

TEST_F(Products, RandomMatrixProducts) {
  for (int i = 0; i < 3; ++i) {
    makeMatrixProduct(pick(1, 90), pick(1, 90), pick(1, 1200));
    compareSchedules(3);
  }
}

TEST_F(Products, RandomConvolutions) {
  for (int i = 0; i < 3; ++i) {
    makeConvolution(pick(1, 12), pick(1, 130), pick(1, 70));
    compareSchedules(3);
  }
}

/// Tiles are emitted alike with parts of any number of steps, whatever this
/// machine runs: the compiler reads its own machine code again (TileCode.h).
TEST_F(Products, OfTilesAllPassTheLint) {
  for (int64_t terms : {700, 2500}) {
    makeMatrixProduct(45, 70, terms);
    cpu::CpuOptions options = optionsOf(Tier::Amx, 1);
    std::vector<ProductTask> found = tasks(options);
    ASSERT_EQ(found.size(), 1u);
    ASSERT_EQ(found[0].kind, ProductTask::Kind::Tiles);
    std::vector<ProductSchedule> all = candidatesOf(found[0]);
    EXPECT_GE(all.size(), 2u);
    for (const ProductSchedule &schedule : all) {
      options.schedules[found[0]].schedule = schedule;
      auto compiled = cpu::compile(*parse(), options);
      EXPECT_TRUE(compiled) << compiled.error().str();
    }
  }
}

TEST_F(Products, OnThreads) {
  makeMatrixProduct(70, 100, 520);
  compareSchedules(2, /*threads=*/3);
  makeConvolution(9, 70, 40);
  compareSchedules(2, /*threads=*/3);
}

/// A product that nobody chose for has the cheapest schedule, and objects are
/// the same byte for byte whether it is named or not.
TEST_F(Products, TheCheapestIsTheDefault) {
  makeConvolution(7, 20, 30);
  for (Tier tier : {Tier::Avx2, Tier::Avx512}) {
    cpu::CpuOptions options = optionsOf(tier, 1);
    auto plain = cpu::compile(*parse(), options);
    ASSERT_TRUE(plain) << plain.error().str();
    ASSERT_EQ(plain->products.size(), 1u);
    const ProductTask &task = plain->products[0].task;
    EXPECT_EQ(plain->products[0].chosen.schedule, cheapestOf(task));
    EXPECT_EQ(plain->products[0].chosen.source,
              cpu::ChosenSchedule::Source::Model);
    options.schedules[task].schedule = cheapestOf(task);
    auto named = cpu::compile(*parse(), options);
    ASSERT_TRUE(named) << named.error().str();
    EXPECT_EQ(plain->object, named->object);
  }
}

} // namespace
