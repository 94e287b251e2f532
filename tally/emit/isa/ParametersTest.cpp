//===- ParametersTest.cpp -------------------------------------------------===//

#include "tally/emit/isa/ParameterBytes.h"
#include "tally/emit/isa/TestCommands.h"
#include "tally/quant/UnaryBlockBytes.h"

#include "llvm/Support/Endian.h"

using namespace tally;
using namespace tally::isa;

namespace {

RequantizeBlock twoChannels() {
  return {-3, -128, 127, {{5, 8, -1, 4}, {-7, 4, 0, 3}}};
}

// v = 10 * 5 + 8 = 58, 58 >> 4 = 3, -3: 0. v = -70 + 4 = -66, >> 3 = -9,
// fraction 6: no tie, -12. x = 4: v = -24, >> 3 = -3, fraction 0 is a tie, to
// the even number -4, -7.
TEST(Parameters, RequantizeAsTheySay) {
  RequantizeBlock block = twoChannels();
  EXPECT_EQ(block.apply(10, 0), 0);
  EXPECT_EQ(block.apply(10, 1), -12);
  EXPECT_EQ(block.apply(4, 1), -7);
  EXPECT_EQ(block.apply(1000, 0), 127);
  block.records.pop_back();
  EXPECT_EQ(block.apply(10, 7), 0); // one record for all
}

TEST(Parameters, FollowDerivedRecords) {
  std::mt19937_64 random(1); // NOLINT(bugprone-random-generator-seed)
  for (int i = 0; i < 200; ++i) {
    quant::RequantizeProblem problem;
    problem.inputScale = float(1 + random() % 1000) / 1024;
    problem.outputScale = float(1 + random() % 1000) / 64;
    problem.accumulatorLo = -100000;
    problem.accumulatorHi = 100000;
    problem.zeroPoint = int32_t(random() % 200) - 100;
    problem.multiplierBits = 31;
    problem.canPatch = false;
    Result<quant::RequantizeRecord> record = deriveRequantize(problem);
    ASSERT_TRUE(record);
    Result<RequantizeBlock> block = RequantizeBlock::from({&*record, 1});
    if (record->kind != quant::RequantizeKind::FixedPoint)
      continue;
    ASSERT_TRUE(block) << block.error().str();
    for (int k = 0; k < 200; ++k) {
      int64_t acc = int64_t(random() % 200001) - 100000;
      ASSERT_EQ(block->apply(acc), apply(*record, acc));
    }
  }
}

TEST(Parameters, FollowDerivedSums) {
  quant::LinearProblem problem;
  problem.a = {quant::i8, 0.5f, 3};
  problem.b = {quant::u8, 0.25f, 128};
  problem.outputScale = 0.375f;
  problem.zeroPoint = -5;
  Result<quant::LinearRecord> record = deriveLinear(problem);
  ASSERT_TRUE(record);
  Result<LinearBlock> block = LinearBlock::from(*record);
  ASSERT_TRUE(block) << block.error().str();
  for (int a = -128; a < 128; ++a)
    for (int b = 0; b < 256; ++b)
      ASSERT_EQ(block->apply(a, b), apply(*record, a, b));
}

TEST(Parameters, RefuseRecordsThatHardwareHasNot) {
  quant::RequantizeRecord record;
  record.exceptions = {{1, 2}};
  EXPECT_EQ(RequantizeBlock::from({&record, 1}).error().rule, "ISA-RECORD");
  record.exceptions.clear();
  record.kind = quant::RequantizeKind::Thresholds;
  EXPECT_EQ(RequantizeBlock::from({&record, 1}).error().rule, "ISA-RECORD");
  EXPECT_EQ(RequantizeBlock::from({}).error().rule, "ISA-RECORD");
  quant::RequantizeRecord two[2];
  two[1].zeroPoint = 1;
  EXPECT_EQ(RequantizeBlock::from(two).error().message,
            "channels differ in zero point or clamp");
  quant::LinearRecord table;
  table.kind = quant::LinearKind::Table;
  EXPECT_EQ(LinearBlock::from(table).error().rule, "ISA-RECORD");
}

// Two equal codes: t / S = 1/2, on a grid of 1/256 code 128 - 128 = 0.
// Three: 256 / 3 = 85.3. Distance 1 of scale 0.5: exp(-0.5) / (1 + exp(-0.5))
// = 0.3775 * 256 = 96.6.
TEST(Parameters, Softmax) {
  Result<SoftmaxBlock> block =
      SoftmaxBlock::derive(0.5f, 1.0f / 256, quant::i8, -128);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->numerator, 256);
  EXPECT_EQ(block->denominator, 1);
  int64_t one = block->exponentials[0], less = block->exponentials[1];
  EXPECT_EQ(one, 1 << 30);
  EXPECT_EQ(block->apply(one, 2 * one), 0);
  EXPECT_EQ(block->apply(one, 3 * one), 85 - 128);
  EXPECT_EQ(block->apply(less, one + less), 97 - 128);
  EXPECT_EQ(block->apply(one, one), 127); // 256 saturates
  // 0.3 = 10066330 * 2^-25 = 5033165 * 2^-24.
  block = SoftmaxBlock::derive(0.5f, 0.3f, quant::u8, 0);
  EXPECT_EQ(block->numerator, 1 << 24);
  EXPECT_EQ(block->denominator, 5033165);
  // 2^-70 has no numerator below 2^62.
  EXPECT_EQ(SoftmaxBlock::derive(0.5f, 0x1p-70f, quant::i8, 0).error().rule,
            "ISA-SCALE");
}

std::vector<ParameterBlock> someBlocks() {
  quant::UnaryBlock table = *quant::Table256Block::derive(
      {quant::UnaryKind::Sigmoid}, quant::Grid::perTensor(quant::i8, 0.1f, 0),
      quant::Grid::perTensor(quant::u8, 0.01f, 0));
  return {twoChannels(),
          LinearBlock{1, -2, 3, 4, 5, 6, -7, 8},
          ProductBlock{1, 2, twoChannels()},
          *SoftmaxBlock::derive(0.5f, 0.3f, quant::u8, 0),
          EpilogueBlock{{BiasStage{{1, -2, 3, 4}}, twoChannels(), SecondStage{},
                         table,
                         quant::UnaryBlock(quant::XorBlock::flipAll(quant::i8)),
                         LinearBlock{1, -2, 3, 4, 5, 6, -7, 8},
                         ProductBlock{1, 2, twoChannels()}, ClampStage{-5, 5}}},
          EpilogueBlock{}};
}

TEST(Parameters, ReadBackFromBytes) {
  for (const ParameterBlock &block : someBlocks()) {
    std::vector<uint8_t> bytes = encodeParameters(block);
    EXPECT_EQ(bytes.size() % 8, 0u);
    Result<ParameterBlock> back = decodeParameters(bytes);
    ASSERT_TRUE(back) << back.error().str();
    EXPECT_EQ(*back, block);
  }
}

TEST(Parameters, LieWhereTheReferenceSays) {
  std::vector<uint8_t> bytes = encodeParameters(twoChannels());
  EXPECT_EQ(bytes[0], 16);
  EXPECT_EQ(llvm::support::endian::read32le(&bytes[4]), bytes.size());
  for (const ParameterField &field :
       parameterFields(ParameterKind::Requantize)) {
    if (field.name == "hi")
      EXPECT_EQ(llvm::support::endian::read32le(&bytes[size_t(field.offset)]),
                127u);
    if (field.name == "multiplier")
      EXPECT_EQ(int64_t(llvm::support::endian::read64le(
                    &bytes[size_t(field.offset + field.stride)])),
                -7);
  }
  // The mean of both channels' bytes: head 8, bounds 12, 4 of padding.
  EXPECT_EQ(bytes.size(), 8u + 16 + 2 * 32);
}

TEST(Parameters, EpiloguesKnowWhatTheyUse) {
  std::vector<ParameterBlock> blocks = someBlocks();
  const auto &full = std::get<EpilogueBlock>(blocks[4]);
  EXPECT_TRUE(full.usesResidual());
  EXPECT_TRUE(full.usesSecond());
  const auto &empty = std::get<EpilogueBlock>(blocks[5]);
  EXPECT_FALSE(empty.usesResidual());
  EXPECT_FALSE(empty.usesSecond());
}

void expectBroken(std::vector<uint8_t> bytes, const std::string &rule,
                  const std::string &message) {
  Result<ParameterBlock> block = decodeParameters(bytes);
  ASSERT_FALSE(block) << message;
  EXPECT_EQ(block.error().kind, FailureKind::Model);
  EXPECT_EQ(block.error().rule, rule);
  EXPECT_EQ(block.error().message, message);
}

TEST(Parameters, RefuseBrokenBytes) {
  std::vector<uint8_t> good = encodeParameters(twoChannels());
  expectBroken({}, "PAR-BYTES",
               "a parameter block has at least 8 bytes, not 0");
  std::vector<uint8_t> bytes = good;
  bytes[0] = 99;
  expectBroken(bytes, "PAR-BYTES", "no parameter block has the tag 99");
  bytes = good;
  bytes.resize(80);
  expectBroken(bytes, "PAR-BYTES",
               "a parameter block of tag 16 states 88 bytes where 80 are");
  bytes[4] = 80; // ends within the second record
  expectBroken(bytes, "PAR-BYTES",
               "a parameter block of tag 16 ends within a field");
  bytes = good;
  bytes.push_back(0);
  expectBroken(bytes, "PAR-BYTES",
               "a parameter block of tag 16 states 88 bytes where 89 are");
  bytes = good;
  bytes[2] = 1;
  expectBroken(bytes, "PAR-VALUE",
               "reserved bytes of a parameter block are not 0");
  bytes = good;
  bytes[48] = 63; // shift of the first record
  expectBroken(bytes, "PAR-VALUE",
               "a parameter block of tag 16 holds a value that none has");
  bytes = good;
  bytes[12] = 0; // lo = -256, hi = 127 is fine; lo above hi is not
  bytes[13] = bytes[14] = bytes[15] = 1;
  expectBroken(bytes, "PAR-VALUE",
               "a parameter block of tag 16 holds a value that none has");
  EpilogueBlock long16{std::vector<Stage>(16, SecondStage{})};
  expectBroken(encodeParameters(long16), "PAR-VALUE",
               "an output stage has more than 15 stages");
}

TEST(Parameters, FitTheMachinesUnits) {
  const machine::Machine &machine = edge(); // 32 and 48 bits
  RequantizeBlock block{0, -128, 127, {{INT32_MAX, 0, -1, 31}}};
  EXPECT_TRUE(checkWidths(block, machine));
  block.records[0].multiplier = int64_t(INT32_MAX) + 1;
  Status status = checkWidths(block, machine);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().rule, "PAR-UNIT");
  EXPECT_EQ(status.error().message,
            "multiplier 2147483648 and offset 0 do not fit the 32 and 64 bits "
            "of the requantize unit for results of 8 bits");
  block.lo = -32768; // 16-bit codes
  EXPECT_TRUE(checkWidths(block, machine));
  EXPECT_FALSE(checkWidths(
      EpilogueBlock{{ProductBlock{0, 0, {0, 0, 255, {{1LL << 40, 0, -1, 0}}}}}},
      machine));
  EXPECT_FALSE(
      checkWidths(LinearBlock{1, 1LL << 40, 0, -1, 0, 0, 0, 255}, machine));
}

} // namespace
