//===- ParameterBytes.cpp - parameter blocks as bytes ---------------------===//
//
// Each kind has one list of fields (`describe`); a writer, a reader and the
// reference's table walk it. A field is as wide as its C++ type.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/ParameterBytes.h"
#include "tally/quant/UnaryBlockBytes.h"

#include "llvm/Support/Endian.h"

#include <algorithm>

using namespace tally;
using namespace tally::isa;

static constexpr size_t kHeadBytes = 8;
static constexpr size_t kMaxStages = 15;

//===----------------------------------------------------------------------===//
// The fields
//===----------------------------------------------------------------------===//

template <class Visitor> static void describe(Visitor &v, FixedPoint &record) {
  v(record.multiplier, "multiplier", "of the value");
  v(record.offset, "offset", "added before the shift, the half included");
  v(record.tie, "tie", "-1: a tie goes up; else fractions up to it to even");
  v(record.shift, "shift", "to the right, 0 to 62");
}

template <class Visitor, class Block>
static void describeBounds(Visitor &v, Block &block) {
  v(block.zero, "zero", "zero point of the result");
  v(block.lo, "lo", "least code of the result");
  v(block.hi, "hi", "greatest code of the result");
}

template <class Visitor>
static void describe(Visitor &v, RequantizeBlock &block) {
  describeBounds(v, block);
  v.pad();
  v.repeat(block.records, [&](FixedPoint &record) { describe(v, record); });
}

template <class Visitor> static void describe(Visitor &v, LinearBlock &block) {
  v(block.multiplierA, "multiplier.a", "of the first operand");
  v(block.multiplierB, "multiplier.b", "of the second operand");
  v(block.offset, "offset", "added before the shift, the half included");
  v(block.tie, "tie", "-1: a tie goes up; else fractions up to it to even");
  v(block.shift, "shift", "to the right, 0 to 62");
  describeBounds(v, block);
}

template <class Visitor> static void describe(Visitor &v, ProductBlock &block) {
  v(block.zeroA, "za", "zero point of the first operand");
  v(block.zeroB, "zb", "zero point of the second operand");
  describe(v, block.requantize);
}

template <class Visitor> static void describe(Visitor &v, SoftmaxBlock &block) {
  v(block.numerator, "numerator", "of 1 / result scale");
  v(block.denominator, "denominator", "of 1 / result scale");
  describeBounds(v, block);
  v.pad();
  v.repeat(block.exponentials, [&](int32_t &entry) {
    v(entry, "t", "rhe(2^30 exp(-input scale * d)), by the distance d");
  });
}

template <class Visitor> static void describe(Visitor &v, BiasStage &stage) {
  v.repeat(stage.bias, [&](int32_t &entry) {
    v(entry, "bias", "of a channel; one more of 0 after an odd number");
  });
}

template <class Visitor> static void describe(Visitor &v, ClampStage &stage) {
  v(stage.lo, "lo", "least value");
  v(stage.hi, "hi", "greatest value");
}

template <class Visitor> static void describe(Visitor &, SecondStage &) {}

//===----------------------------------------------------------------------===//
// The visitors
//===----------------------------------------------------------------------===//

namespace {

class Writer {
public:
  std::vector<uint8_t> bytes;

  template <class Int> void operator()(Int value, const char *, const char *) {
    size_t at = bytes.size();
    bytes.resize(at + sizeof(Int));
    llvm::support::endian::write<Int, llvm::endianness::little>(&bytes[at],
                                                                value);
  }
  void pad() { (*this)(int32_t(0), "", ""); }
  template <class Entry, class Body>
  void repeat(std::vector<Entry> &entries, Body body) {
    for (Entry &entry : entries)
      body(entry);
  }
};

class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes(bytes) {}

  template <class Int> void operator()(Int &field, const char *, const char *) {
    isWhole = isWhole && bytes.size() - at >= sizeof(Int);
    if (!isWhole)
      return;
    field =
        llvm::support::endian::read<Int, llvm::endianness::little>(&bytes[at]);
    at += sizeof(Int);
  }
  void pad() {
    int32_t zero = 0;
    (*this)(zero, "", "");
    isClean = isClean && zero == 0;
  }
  template <class Entry, class Body>
  void repeat(std::vector<Entry> &entries, Body body) {
    while (isWhole && at < bytes.size())
      body(entries.emplace_back());
  }
  bool isFinished() const { return isWhole && at == bytes.size(); }
  bool isClean = true; ///< padding was 0

private:
  std::span<const uint8_t> bytes;
  size_t at = 0;
  bool isWhole = true;
};

class Lister {
public:
  std::vector<ParameterField> fields;

  template <class Int>
  void operator()(Int &, const char *name, const char *meaning) {
    fields.push_back({name, at, int64_t(8 * sizeof(Int)), 0, meaning});
    at += sizeof(Int);
  }
  void pad() { at += 4; }
  template <class Entry, class Body>
  void repeat(std::vector<Entry> &, Body body) {
    Entry entry{};
    size_t first = fields.size();
    int64_t start = at;
    body(entry);
    for (size_t i = first; i < fields.size(); ++i)
      fields[i].stride = at - start;
  }

private:
  int64_t at = kHeadBytes;
};

} // namespace

template <class Block> static std::vector<ParameterField> listFields() {
  Block block;
  Lister lister;
  describe(lister, block);
  return lister.fields;
}

std::vector<ParameterField> tally::isa::parameterFields(ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Requantize:
    return listFields<RequantizeBlock>();
  case ParameterKind::Linear:
    return listFields<LinearBlock>();
  case ParameterKind::Product:
    return listFields<ProductBlock>();
  case ParameterKind::Softmax:
    return listFields<SoftmaxBlock>();
  case ParameterKind::Bias:
    return listFields<BiasStage>();
  case ParameterKind::Clamp:
    return listFields<ClampStage>();
  case ParameterKind::Second:
    return listFields<SecondStage>();
  case ParameterKind::Epilogue:
    return {};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Blocks to bytes
//===----------------------------------------------------------------------===//

static std::vector<uint8_t> withHead(ParameterKind kind,
                                     std::vector<uint8_t> body) {
  body.resize((body.size() + 7) / 8 * 8);
  std::vector<uint8_t> bytes = {uint8_t(kind), 0, 0, 0, 0, 0, 0, 0};
  llvm::support::endian::write32le(&bytes[4],
                                   uint32_t(kHeadBytes + body.size()));
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

template <class Block> static std::vector<uint8_t> encode(Block block) {
  Writer writer;
  describe(writer, block);
  return withHead(Block::kind, std::move(writer.bytes));
}

static std::vector<uint8_t> encode(const quant::UnaryBlock &block) {
  std::vector<uint8_t> bytes = encodeBlock(block);
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

static std::vector<uint8_t> encode(const EpilogueBlock &block) {
  std::vector<uint8_t> body;
  for (const Stage &stage : block.stages) {
    std::vector<uint8_t> bytes =
        std::visit([](const auto &one) { return encode(one); }, stage);
    body.insert(body.end(), bytes.begin(), bytes.end());
  }
  return withHead(ParameterKind::Epilogue, std::move(body));
}

std::vector<uint8_t> tally::isa::encodeParameters(const ParameterBlock &block) {
  return std::visit([](const auto &one) { return encode(one); }, block);
}

//===----------------------------------------------------------------------===//
// Bytes to blocks
//===----------------------------------------------------------------------===//

static Diagnostic broken(const char *rule, std::string message) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = rule;
  failure.message = std::move(message);
  return failure;
}

static bool isUsable(const FixedPoint &record) {
  return record.shift >= 0 && record.shift <= 62;
}
static bool isUsable(const RequantizeBlock &block) {
  return block.lo <= block.hi && !block.records.empty() &&
         std::ranges::all_of(block.records, [](const FixedPoint &record) {
           return isUsable(record);
         });
}
static bool isUsable(const LinearBlock &block) {
  return block.lo <= block.hi && block.shift >= 0 && block.shift <= 62;
}
static bool isUsable(const ProductBlock &block) {
  return isUsable(block.requantize);
}
static bool isUsable(const SoftmaxBlock &block) {
  auto fits = [](int64_t x) { return 0 < x && x < int64_t(1) << 62; };
  return block.lo <= block.hi && block.exponentials.size() == 256 &&
         fits(block.numerator) && fits(block.denominator) &&
         std::ranges::all_of(block.exponentials,
                             [](int32_t t) { return t >= 0; });
}
static bool isUsable(const BiasStage &) { return true; }
static bool isUsable(const ClampStage &stage) { return stage.lo <= stage.hi; }
static bool isUsable(const SecondStage &) { return true; }

template <class Block>
static Result<Block> decode(std::span<const uint8_t> body) {
  Block block;
  Reader reader(body);
  describe(reader, block);
  if (!reader.isFinished())
    return broken("PAR-BYTES", "a parameter block of tag " +
                                   std::to_string(int(Block::kind)) +
                                   " ends within a field");
  if (!reader.isClean || !isUsable(block))
    return broken("PAR-VALUE", "a parameter block of tag " +
                                   std::to_string(int(Block::kind)) +
                                   " holds a value that none has");
  return block;
}

static Diagnostic wrongSize(std::span<const uint8_t> bytes, size_t stated) {
  return broken("PAR-BYTES", "a parameter block of tag " +
                                 std::to_string(int(bytes[0])) + " states " +
                                 std::to_string(stated) + " bytes where " +
                                 std::to_string(bytes.size()) + " are");
}

/// The bytes of the block that begins there, or why there is none.
static Result<std::span<const uint8_t>>
blockAt(std::span<const uint8_t> bytes) {
  if (bytes.size() < kHeadBytes)
    return broken("PAR-BYTES", "a parameter block has at least 8 bytes, not " +
                                   std::to_string(bytes.size()));
  uint32_t size = llvm::support::endian::read32le(&bytes[4]);
  if (size < kHeadBytes || size > bytes.size())
    return wrongSize(bytes, size);
  return bytes.first(size);
}

/// Blocks of our own end on a multiple of 8 and have three zero bytes.
static Status checkHead(std::span<const uint8_t> block) {
  if (block.size() % 8 != 0)
    return broken("PAR-BYTES", "a parameter block of " +
                                   std::to_string(block.size()) +
                                   " bytes is no multiple of 8");
  if (block[1] != 0 || block[2] != 0 || block[3] != 0)
    return broken("PAR-VALUE", "reserved bytes of a parameter block are not 0");
  return Status::success();
}

template <class Into, class Block>
static Result<Into> decodeAs(std::span<const uint8_t> block) {
  if (Status status = checkHead(block); !status)
    return status.takeError();
  Result<Block> decoded = decode<Block>(block.subspan(kHeadBytes));
  if (!decoded)
    return decoded.takeError();
  return Into(std::move(*decoded));
}

static Result<Stage> decodeStage(std::span<const uint8_t> block) {
  switch (ParameterKind(block[0])) {
  case ParameterKind::Requantize:
    return decodeAs<Stage, RequantizeBlock>(block);
  case ParameterKind::Linear:
    return decodeAs<Stage, LinearBlock>(block);
  case ParameterKind::Product:
    return decodeAs<Stage, ProductBlock>(block);
  case ParameterKind::Bias:
    return decodeAs<Stage, BiasStage>(block);
  case ParameterKind::Clamp:
    return decodeAs<Stage, ClampStage>(block);
  case ParameterKind::Second:
    return decodeAs<Stage, SecondStage>(block);
  default:
    break;
  }
  Result<quant::UnaryBlock> unary = quant::decodeBlock(block);
  if (!unary)
    return unary.takeError();
  return Stage(std::move(*unary));
}

static Result<ParameterBlock> decodeEpilogue(std::span<const uint8_t> block) {
  if (Status status = checkHead(block); !status)
    return status.takeError();
  EpilogueBlock epilogue;
  std::span<const uint8_t> rest = block.subspan(kHeadBytes);
  while (!rest.empty()) {
    Result<std::span<const uint8_t>> one = blockAt(rest);
    if (!one)
      return one.takeError();
    Result<Stage> stage = decodeStage(*one);
    if (!stage)
      return stage.takeError();
    epilogue.stages.push_back(std::move(*stage));
    if (epilogue.stages.size() > kMaxStages)
      return broken("PAR-VALUE", "an output stage has more than 15 stages");
    size_t taken = std::min(rest.size(), (one->size() + 7) / 8 * 8);
    if (std::ranges::any_of(rest.subspan(one->size(), taken - one->size()),
                            [](uint8_t byte) { return byte != 0; }))
      return broken("PAR-VALUE", "bytes between two stages are not 0");
    rest = rest.subspan(taken);
  }
  return ParameterBlock(std::move(epilogue));
}

Result<ParameterBlock>
tally::isa::decodeParameters(std::span<const uint8_t> bytes) {
  Result<std::span<const uint8_t>> block = blockAt(bytes);
  if (!block)
    return block.takeError();
  if (block->size() != bytes.size())
    return wrongSize(bytes, block->size());
  switch (ParameterKind(bytes[0])) {
  case ParameterKind::Requantize:
    return decodeAs<ParameterBlock, RequantizeBlock>(bytes);
  case ParameterKind::Linear:
    return decodeAs<ParameterBlock, LinearBlock>(bytes);
  case ParameterKind::Product:
    return decodeAs<ParameterBlock, ProductBlock>(bytes);
  case ParameterKind::Softmax:
    return decodeAs<ParameterBlock, SoftmaxBlock>(bytes);
  case ParameterKind::Epilogue:
    return decodeEpilogue(bytes);
  default:
    return broken("PAR-BYTES", "no parameter block has the tag " +
                                   std::to_string(int(bytes[0])));
  }
}
