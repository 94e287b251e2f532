//===- UnaryBlockBytes.cpp - parameter blocks as bytes --------------------===//
//
// Each kind has one list of fields (`describe`). Three visitors walk it: one
// writes bytes, one reads them, one lists the fields for the documentation. A
// field's width and sign are those of its C++ type, its offset the sum of the
// widths before it.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/UnaryBlockBytes.h"

#include <algorithm>

using namespace tally;
using namespace tally::quant;

//===----------------------------------------------------------------------===//
// The fields
//===----------------------------------------------------------------------===//

template <class Visitor>
static void describeLine(Visitor &visit, FixedLine &line,
                         const std::string &prefix) {
  visit(line.offset, prefix + "B", "added before the shift, half included");
  visit(line.tieWindow, prefix + "tie",
        "-1: a tie goes up; else fractions up to it go to even");
  visit(line.multiplier, prefix + "M", "multiplier of q1 - z1");
  visit(line.shift, prefix + "S", "shift to the right");
}

template <class Visitor, class Block>
static void describeZeros(Visitor &visit, Block &block) {
  visit(block.inputZero, "z1", "zero point of the input");
  visit(block.resultZero, "z2", "zero point of the result");
  visit(block.lo, "lo", "least code of the result");
  visit(block.hi, "hi", "greatest code of the result");
}

template <class Visitor>
static void describe(Visitor &visit, AffineBlock &block) {
  describeLine(visit, block.line, "");
  describeZeros(visit, block);
}

template <class Visitor>
static void describe(Visitor &visit, TwoSlopeBlock &block) {
  describeZeros(visit, block);
  visit.repeat(block.channels, [&](TwoSlopeBlock::Lines &lines) {
    describeLine(visit, lines.below, "below.");
    describeLine(visit, lines.above, "above.");
  });
}

template <class Visitor>
static void describe(Visitor &visit, ThreeStepBlock &block) {
  visit(block.inputZero, "z1", "zero point of the input");
  visit(block.below, "k-", "result where q1 < z1");
  visit(block.at, "k0", "result where q1 = z1");
  visit(block.above, "k+", "result where q1 > z1");
}

template <class Visitor>
static void describe(Visitor &visit, Table256Block &block) {
  visit.repeat(block.entries, [&](uint8_t &entry) {
    visit(entry, "T", "bits of the result, by the low 8 bits of the code");
  });
}

template <class Visitor>
static void describe(Visitor &visit, TableBlock &block) {
  visit(block.bound, "bound", "largest difference to IDEAL, in codes");
  visit(block.spacing, "spacing", "log2 of the codes from entry to entry");
  visit.repeat(block.entries, [&](uint16_t &entry) {
    visit(entry, "T", "bits of the result, in the order of codes");
  });
}

template <class Visitor> static void describe(Visitor &visit, XorBlock &block) {
  visit(block.mask, "mask", "bits to flip, sign-extended for signed codes");
}

//===----------------------------------------------------------------------===//
// The common head
//===----------------------------------------------------------------------===//

static constexpr int32_t kHeadBytes = 8;

static uint8_t byteOf(CodeType type) {
  return uint8_t(type.bits | (type.isSigned ? 128 : 0));
}

static CodeType typeOf(uint8_t byte) { return {byte & 127, (byte & 128) != 0}; }

template <class Int>
static void append(std::vector<uint8_t> &bytes, Int value) {
  for (size_t i = 0; i < sizeof(Int); ++i)
    bytes.push_back(uint8_t(uint64_t(value) >> (8 * i)));
}

template <class Int>
static Int readInt(std::span<const uint8_t> bytes, size_t at) {
  uint64_t bits = 0;
  for (size_t i = 0; i < sizeof(Int); ++i)
    bits |= uint64_t(bytes[at + i]) << (8 * i);
  return Int(bits);
}

//===----------------------------------------------------------------------===//
// The visitors
//===----------------------------------------------------------------------===//

namespace {

class Writer {
public:
  std::vector<uint8_t> bytes;

  template <class Int>
  void operator()(Int value, const std::string &, const char *) {
    append(bytes, value);
  }
  template <class Entry, class Body>
  void repeat(std::vector<Entry> &entries, Body body) {
    for (Entry &entry : entries)
      body(entry);
  }
};

class Reader {
public:
  Reader(std::span<const uint8_t> bytes, size_t at) : bytes(bytes), at(at) {}

  template <class Int>
  void operator()(Int &field, const std::string &, const char *) {
    isWhole = isWhole && bytes.size() - at >= sizeof(Int);
    if (!isWhole)
      return;
    field = readInt<Int>(bytes, at);
    at += sizeof(Int);
  }
  template <class Entry, class Body>
  void repeat(std::vector<Entry> &entries, Body body) {
    while (isWhole && at < bytes.size())
      body(entries.emplace_back());
  }
  bool isFinished() const { return isWhole && at == bytes.size(); }

private:
  std::span<const uint8_t> bytes;
  size_t at;
  bool isWhole = true;
};

class Lister {
public:
  std::vector<BlockField> fields;

  template <class Int>
  void operator()(Int &, const std::string &name, const char *meaning) {
    fields.push_back({name, offset, int32_t(8 * sizeof(Int)),
                      std::is_signed_v<Int>, 0, meaning});
    offset += int32_t(sizeof(Int));
  }
  template <class Entry, class Body>
  void repeat(std::vector<Entry> &, Body body) {
    size_t first = fields.size();
    int32_t begin = offset;
    Entry entry{};
    body(entry);
    for (size_t i = first; i < fields.size(); ++i)
      fields[i].stride = offset - begin;
  }

private:
  int32_t offset = kHeadBytes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Diagnostic broken(const std::string &message, const char *rule) {
  return {FailureKind::Model, message, rule, "", "", ""};
}

/// |q1 - z1| < 2^16 and |M| <= 2^31, so that x M + B stays within 64 bits.
static constexpr int64_t kMostOffset = int64_t(1) << 62;

static bool isGood(const FixedLine &line) {
  return line.shift >= 0 && line.shift <= 62 && line.tieWindow >= -1 &&
         line.offset >= -kMostOffset && line.offset <= kMostOffset;
}

template <class Block> static bool areCodes(const Block &b) {
  return b.result.contains(b.lo) && b.result.contains(b.hi) && b.lo <= b.hi &&
         b.input.contains(b.inputZero) && b.result.contains(b.resultZero);
}

static bool hasGoodValues(const AffineBlock &b) {
  return isGood(b.line) && areCodes(b);
}
static bool hasGoodValues(const TwoSlopeBlock &b) {
  return !b.channels.empty() && areCodes(b) &&
         std::ranges::all_of(b.channels, [](const TwoSlopeBlock::Lines &l) {
           return isGood(l.below) && isGood(l.above);
         });
}
static bool hasGoodValues(const ThreeStepBlock &b) {
  return b.input.contains(b.inputZero) && b.result.contains(b.below) &&
         b.result.contains(b.at) && b.result.contains(b.above);
}
static bool hasGoodValues(const Table256Block &b) {
  return b.entries.size() == 256 && b.input.bits <= 8 && b.result.bits <= 8;
}
static bool hasGoodValues(const TableBlock &b) {
  if (b.spacing < 0 || b.spacing > std::min(8, b.input.bits) || b.bound < 0 ||
      b.input.bits > 16 || b.result.bits > 16)
    return false;
  auto count = size_t((b.input.count() >> b.spacing) + (b.spacing > 0));
  return b.entries.size() == count;
}
static bool hasGoodValues(const XorBlock &b) { return b.input == b.result; }

/// Plain integers and booleans are only Xor's.
static bool isType(BlockKind kind, CodeType type) {
  bool isPlain = type.bits == 64 || (type.bits == 1 && !type.isSigned);
  return type.isValid() || (kind == BlockKind::Xor && isPlain);
}

template <class Block>
static Result<UnaryBlock> read(std::span<const uint8_t> bytes) {
  Block block;
  block.input = typeOf(bytes[1]);
  block.result = typeOf(bytes[2]);
  if (!isType(Block::kind, block.input) || !isType(Block::kind, block.result) ||
      bytes[3] != 0)
    return broken("the head names no types of a block", "BLK-VALUE");
  Reader reader(bytes, kHeadBytes);
  describe(reader, block);
  if (!reader.isFinished())
    return broken("a " + std::string(blockKindName(Block::kind)) +
                      " block does not have " + std::to_string(bytes.size()) +
                      " bytes",
                  "BLK-BYTES");
  if (!hasGoodValues(block))
    return broken("a field of a " + std::string(blockKindName(Block::kind)) +
                      " block is out of its range",
                  "BLK-VALUE");
  return UnaryBlock(std::move(block));
}

template <size_t... I>
static Result<UnaryBlock> readKind(std::span<const uint8_t> bytes,
                                   std::index_sequence<I...>) {
  Result<UnaryBlock> found = broken(
      "tag " + std::to_string(bytes[0]) + " is of no block", "BLK-BYTES");
  (void)((bytes[0] == uint8_t(std::variant_alternative_t<I, UnaryBlock>::kind)
              ? (found = read<std::variant_alternative_t<I, UnaryBlock>>(bytes),
                 true)
              : false) ||
         ...);
  return found;
}

Result<UnaryBlock> quant::decodeBlock(std::span<const uint8_t> bytes) {
  if (bytes.size() < kHeadBytes || readInt<uint32_t>(bytes, 4) != bytes.size())
    return broken(std::to_string(bytes.size()) + " bytes are no block",
                  "BLK-BYTES");
  return readKind(bytes,
                  std::make_index_sequence<std::variant_size_v<UnaryBlock>>());
}

//===----------------------------------------------------------------------===//
// Writing and listing
//===----------------------------------------------------------------------===//

std::vector<uint8_t> quant::encodeBlock(const UnaryBlock &block) {
  return std::visit(
      [](auto copy) {
        Writer writer;
        writer.bytes = {uint8_t(copy.kind), byteOf(copy.input),
                        byteOf(copy.result), 0};
        append(writer.bytes, uint32_t(0));
        describe(writer, copy);
        auto size = uint32_t(writer.bytes.size());
        for (size_t i = 0; i < 4; ++i)
          writer.bytes[4 + i] = uint8_t(size >> (8 * i));
        return writer.bytes;
      },
      block);
}

template <class Block> static std::vector<BlockField> listFields() {
  Lister lister;
  Block block;
  describe(lister, block);
  return lister.fields;
}

std::vector<BlockField> quant::blockFields(BlockKind kind) {
  switch (kind) {
  case BlockKind::Affine:
    return listFields<AffineBlock>();
  case BlockKind::TwoSlope:
    return listFields<TwoSlopeBlock>();
  case BlockKind::ThreeStep:
    return listFields<ThreeStepBlock>();
  case BlockKind::Table256:
    return listFields<Table256Block>();
  case BlockKind::Table:
    return listFields<TableBlock>();
  case BlockKind::Xor:
    return listFields<XorBlock>();
  }
  return {};
}
