//===- UnaryBlockBytesTest.cpp --------------------------------------------===//

#include "tally/quant/UnaryBlockBytes.h"
#include "tally/quant/OracleForTests.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::quant;
using oracle::Random;

using Bytes = std::vector<uint8_t>;

static std::string ruleOf(const Bytes &bytes) {
  auto block = decodeBlock(bytes);
  return block ? "none" : block.error().rule;
}

TEST(UnaryBlockBytes, theBytesOfAThreeStep) {
  ThreeStepBlock block{i8, u8, -2, 3, 4, 255};
  Bytes expected = {3,    0x88, 8,    0,    24,  0, 0, 0,  // head, 24 bytes
                    0xFE, 0xFF, 0xFF, 0xFF, 3,   0, 0, 0,  // z1, k-
                    4,    0,    0,    0,    255, 0, 0, 0}; // k0, k+
  EXPECT_EQ(encodeBlock(block), expected);
  EXPECT_EQ(*decodeBlock(expected), UnaryBlock(block));
}

TEST(UnaryBlockBytes, fieldsAreWhereTheListSays) {
  AffineBlock block{i8, i8};
  block.line = {0x1122334455667788, -1, -0x01020304, 30};
  block.hi = 5;
  Bytes bytes = encodeBlock(block);
  for (const BlockField &field : blockFields(BlockKind::Affine)) {
    uint64_t bits = 0;
    for (int32_t i = field.bits / 8; i-- > 0;)
      bits = bits << 8 | bytes[size_t(field.offset + i)];
    uint64_t expected = field.name == "B"     ? 0x1122334455667788
                        : field.name == "tie" ? UINT64_MAX
                        : field.name == "M"   ? 0xFEFDFCFC
                        : field.name == "S"   ? 30
                        : field.name == "hi"  ? 5
                                              : 0;
    EXPECT_EQ(bits, expected) << field.name;
  }
}

TEST(UnaryBlockBytes, fieldsDoNotOverlapAndFillTheBlock) {
  for (BlockKind kind : allBlockKinds) {
    int32_t end = 8;
    for (const BlockField &field : blockFields(kind)) {
      EXPECT_EQ(field.offset, end) << blockKindName(kind) << " " << field.name;
      EXPECT_EQ(field.offset % (field.bits / 8), 0) << "unaligned";
      end += field.bits / 8;
    }
    EXPECT_GT(end, 8);
  }
  // Head 8, four codes of 4 bytes, then two lines of 24 bytes per channel.
  auto fields = blockFields(BlockKind::TwoSlope);
  EXPECT_EQ(fields.back().name, "above.S");
  EXPECT_EQ(fields.back().offset, 24 + 44);
  EXPECT_EQ(fields.back().stride, 48);
  EXPECT_EQ(fields.front().stride, 0);
}

static FixedLine randomLine(Random &random) {
  return {random.within(INT64_MIN / 2, INT64_MAX / 2), random.within(-1, 99),
          int32_t(random.within(INT32_MIN, INT32_MAX)),
          int32_t(random.within(0, 62))};
}

/// The fields that Affine and TwoSlope share.
template <class Block> static Block randomClamp(Random &random, CodeType type) {
  Block block;
  block.input = block.result = type;
  block.inputZero = int32_t(random.within(type.min(), type.max()));
  block.resultZero = int32_t(random.within(type.min(), type.max()));
  block.lo = int32_t(random.within(type.min(), type.max()));
  block.hi = int32_t(random.within(block.lo, type.max()));
  return block;
}

static UnaryBlock randomBlock(Random &random, BlockKind kind, CodeType type) {
  auto code = [&] { return int32_t(random.within(type.min(), type.max())); };
  switch (kind) {
  case BlockKind::Affine: {
    auto block = randomClamp<AffineBlock>(random, type);
    block.line = randomLine(random);
    return block;
  }
  case BlockKind::TwoSlope: {
    auto block = randomClamp<TwoSlopeBlock>(random, type);
    for (int64_t n = random.within(1, 5); n > 0; --n)
      block.channels.push_back({randomLine(random), randomLine(random)});
    return block;
  }
  case BlockKind::ThreeStep:
    return ThreeStepBlock{type, type, code(), code(), code(), code()};
  case BlockKind::Table256: {
    Table256Block block{i8, u8, {}};
    for (int i = 0; i < 256; ++i)
      block.entries.push_back(uint8_t(random.within(0, 255)));
    return block;
  }
  case BlockKind::Table: {
    auto spacing = int32_t(random.within(0, 8));
    TableBlock block{type, i16, int32_t(random.within(0, 9)), spacing, {}};
    block.entries.resize(size_t(type.count() >> spacing) + (spacing > 0));
    for (uint16_t &entry : block.entries)
      entry = uint16_t(random.within(0, 65535));
    return block;
  }
  case BlockKind::Xor:
    return random.within(0, 1) ? XorBlock::flipAll(type)
                               : XorBlock::flipBoolean();
  }
  return {};
}

TEST(UnaryBlockBytes, everyBlockComesBack) {
  Random random(3);
  for (int round = 0; round < 40; ++round)
    for (BlockKind kind : allBlockKinds)
      for (CodeType type : {i8, u8, i16, u16}) {
        UnaryBlock block = randomBlock(random, kind, type);
        Bytes bytes = encodeBlock(block);
        auto decoded = decodeBlock(bytes);
        ASSERT_TRUE(decoded) << decoded.error().str();
        ASSERT_EQ(*decoded, block) << blockKindName(kind);
        ASSERT_EQ(encodeBlock(*decoded), bytes);
      }
}

TEST(UnaryBlockBytes, cutOrGrownBytesAreRefused) {
  Random random(4);
  for (BlockKind kind : allBlockKinds) {
    Bytes whole = encodeBlock(randomBlock(random, kind, i8));
    for (size_t size = 0; size < whole.size(); ++size) {
      Bytes cut(whole.begin(), whole.begin() + long(size));
      ASSERT_EQ(ruleOf(cut), "BLK-BYTES") << blockKindName(kind) << size;
      bool hasWholeChannels =
          kind == BlockKind::TwoSlope && size > 24 && (size - 24) % 48 == 0;
      if (size < 8 || hasWholeChannels)
        continue;
      cut[4] = uint8_t(size); // a head that tells the new size
      cut[5] = uint8_t(size >> 8);
      ASSERT_NE(ruleOf(cut), "none") << blockKindName(kind) << size;
    }
    whole.push_back(0);
    EXPECT_EQ(ruleOf(whole), "BLK-BYTES");
  }
}

/// `block`'s bytes with one byte replaced.
static Bytes with(const UnaryBlock &block, size_t at, uint8_t value) {
  Bytes bytes = encodeBlock(block);
  bytes[at] = value;
  return bytes;
}

TEST(UnaryBlockBytes, valuesOutOfRangeAreRefused) {
  AffineBlock affine{i8, i8};
  affine.lo = -5;
  affine.hi = 5;
  EXPECT_EQ(ruleOf(encodeBlock(affine)), "none");
  EXPECT_EQ(ruleOf(with(affine, 0, 9)), "BLK-BYTES");    // tag
  EXPECT_EQ(ruleOf(with(affine, 1, 0x87)), "BLK-VALUE"); // i7
  EXPECT_EQ(ruleOf(with(affine, 1, 0x40)), "BLK-VALUE"); // u64, not Xor's
  EXPECT_EQ(ruleOf(with(affine, 3, 1)), "BLK-VALUE");    // reserved
  EXPECT_EQ(ruleOf(with(affine, 28, 63)), "BLK-VALUE");  // S
  EXPECT_EQ(ruleOf(with(affine, 33, 1)), "BLK-VALUE");   // z1 = 256
  EXPECT_EQ(ruleOf(with(affine, 44, 200)), "BLK-VALUE"); // hi = 200
  for (uint8_t top : {0x41, 0x7F, 0x80, 0xBF})           // B beyond +-2^62
    EXPECT_EQ(ruleOf(with(affine, 15, top)), "BLK-VALUE") << int(top);
  EXPECT_EQ(ruleOf(with(affine, 15, 0x40)), "none"); // B = 2^62
  EXPECT_EQ(ruleOf(with(affine, 15, 0xC0)), "none"); // B = -2^62
  affine.lo = 6;                                     // above hi
  EXPECT_EQ(ruleOf(encodeBlock(affine)), "BLK-VALUE");
  EXPECT_EQ(ruleOf(encodeBlock(TwoSlopeBlock{i8, i8})), "BLK-VALUE");
  EXPECT_EQ(ruleOf(with(ThreeStepBlock{i8, i8}, 13, 1)), "BLK-VALUE");
  EXPECT_EQ(ruleOf(encodeBlock(Table256Block{i8, i8, Bytes(255)})),
            "BLK-VALUE");
  TableBlock table{i8, i8, 0, 9, {}};
  EXPECT_EQ(ruleOf(encodeBlock(table)), "BLK-VALUE"); // spacing beyond 8
  EXPECT_EQ(ruleOf(encodeBlock(XorBlock{i8, u8, 1})), "BLK-VALUE");
}
