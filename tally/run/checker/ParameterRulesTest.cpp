//===- ParameterRulesTest.cpp - CHK-17, kept and broken -------------------===//
//
// Constants hold 8 bytes of weights and, in [8, 64), a requantization of one
// record: 8 bytes of head, 16 of zero point and bounds, 32 of the record.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Parameters.h"
#include "tally/quant/UnaryBlockBytes.h"
#include "tally/run/checker/Report.h"
#include "tally/run/checker/TestVerdicts.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tally;
using namespace tally::checker;

namespace {

/// The constants with one line of the block replaced by another of its size,
/// and the fields of copies.
std::string withBlock(const std::string &line = "",
                      const std::string &by = "") {
  std::string text = ".constants\nweights:\n  .word 1, 2\nblock:\n"
                     "  .byte 16, 0, 0, 0\n  .word 56\n"
                     "  .word 0, -128, 127, 0\n  .quad 1, 8, 0, 4\n";
  size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos) << line;
  return text.replace(at, line.size(), by) + kCopies +
         "  go load0, copy, x0, x0\n  fence.all\n";
}

/// The vector engine rescales with what params names, the store follows.
std::string rescale(const std::string &space, const std::string &offset,
                    const std::string &command = "rescale",
                    const std::string &bytes = "56") {
  return "  cfg.i vector, params.space, " + space +
         "\n  cfg.i vector, params.offset, " + offset +
         "\n  cfg.i vector, params.bytes, " + bytes +
         "\n.node scale\n  go vector, " + command +
         ", x0, x0\n  fence.all\n.node last\n  go store, copy, x0, x0\n"
         "  ecall\n";
}

/// All 64 bytes of constants to SRAM at 256, so that the block is at 264.
const std::string kLoadConstants = "  cfg.i load0, src.space, constants\n"
                                   "  cfg.i load0, size3, 64\n"
                                   "  cfg.i load0, dst.offset, 256\n"
                                   "  go load0, copy, x0, x0\n  fence.all\n";

/// The rule's code, or "accepted".
std::string ruleOf(const std::string &text) {
  Result<Verdict> verdict = check(assembled(text, edge()));
  if (!verdict)
    return verdict.error().str();
  return verdict->isAccepted ? "accepted"
                             : std::string(infoOf(verdict->rule).code);
}

const std::string kTag = "  .byte 16, 0", kWrongTag = "  .byte 40, 0";

TEST(ParameterRules, AWholeBlockIsAccepted) {
  EXPECT_EQ(ruleOf(withBlock() + rescale("constants", "block")), "accepted");
  EXPECT_EQ(ruleOf(withBlock() + kLoadConstants + rescale("sram", "264")),
            "accepted");
}

TEST(ParameterRules, AWrongTagInPlace) {
  EXPECT_EQ(judged(withBlock(kTag, kWrongTag) + rescale("constants", "block")),
            "x.s: rejected: the command cannot use its parameter block: no "
            "parameter block has the tag 40 [PAR-BYTES] [CHK-17]\n"
            "  at 'go vector, rescale, x0, x0' at 0x48 (x.s:32), node 'scale', "
            "entry 1 of vector\n"
            "  bytes 8 to 64 of region 'constants', in 'block'\n"
            "  params.offset and params.bytes have to name one whole block, of "
            "the command's kind and for this machine\n");
}

TEST(ParameterRules, AWrongTagCopied) {
  EXPECT_EQ(judged(withBlock(kTag, kWrongTag) + kLoadConstants +
                   rescale("sram", "264")),
            "x.s: rejected: the command cannot use its parameter block, copied "
            "to byte 264 of sram: no parameter block has the tag 40 "
            "[PAR-BYTES] [CHK-17]\n"
            "  at 'go vector, rescale, x0, x0' at 0x5c (x.s:37), node 'scale', "
            "entry 1 of vector\n"
            "  bytes 8 to 64 of region 'constants', in 'block'\n"
            "  params.offset and params.bytes have to name one whole block, of "
            "the command's kind and for this machine\n");
}

TEST(ParameterRules, Json) {
  Result<Verdict> verdict = check(assembled(
      withBlock(kTag, kWrongTag) + rescale("constants", "block"), edge()));
  std::string printed;
  llvm::raw_string_ostream os(printed);
  writeVerdictJson(os, *verdict);
  EXPECT_EQ(printed.substr(0, printed.find("  \"statistics\"")), R"({
  "version": 1,
  "accepted": false,
  "rule": "CHK-17",
  "message": "the command cannot use its parameter block: no parameter block has the tag 40 [PAR-BYTES]",
  "hint": "params.offset and params.bytes have to name one whole block, of the command's kind and for this machine",
  "first": {
    "address": 72,
    "instruction": "go vector, rescale, x0, x0",
    "actor": "vector",
    "entry": 1,
    "node": "scale",
    "line": "x.s:32"
  },
  "overlap": {
    "space": "region 'constants'",
    "begin": 8,
    "end": 64,
    "symbol": "block"
  },
)");
}

/// What is wrong, as the message says it behind the colon.
std::string faultOf(const std::string &text) {
  Result<Verdict> verdict = check(assembled(text, edge()));
  std::string message = verdict->message;
  return message.substr(message.find(": ") + 2);
}

TEST(ParameterRules, EveryFaultOfABlockIsNamed) {
  std::string inPlace = rescale("constants", "block");
  EXPECT_EQ(
      faultOf(withBlock("  .word 56", "  .word 48") + inPlace),
      "a parameter block of tag 16 states 48 bytes where 56 are [PAR-BYTES]");
  // Shifts go to 62.
  EXPECT_EQ(
      faultOf(withBlock("8, 0, 4\n", "8, 0, 63\n") + inPlace),
      "a parameter block of tag 16 holds a value that none has [PAR-VALUE]");
  EXPECT_EQ(
      faultOf(withBlock("-128, 127", "127, -128") + inPlace),
      "a parameter block of tag 16 holds a value that none has [PAR-VALUE]");
  // 2^31 takes 33 signed bits; edge multiplies by 32 for codes of 8 bits.
  EXPECT_EQ(
      faultOf(withBlock("  .quad 1, 8", "  .quad 2147483648, 8") + inPlace),
      "multiplier 2147483648 and offset 8 do not fit the 32 and 64 bits of the "
      "requantize unit for results of 8 bits [PAR-UNIT]");
  EXPECT_EQ(faultOf(withBlock() + rescale("constants", "block", "linear")),
            "it is a block for a requantization, the command reads one for a "
            "linear record");
  EXPECT_EQ(faultOf(withBlock() + rescale("constants", "block", "block")),
            "tag 16 is of no block [BLK-BYTES]");
  // From the weights 1 and 2 on: read as a tag and a size.
  EXPECT_EQ(
      faultOf(withBlock() + rescale("constants", "weights")),
      "a parameter block of tag 1 states 2 bytes where 56 are [PAR-BYTES]");
}

/// Constants [0, 32) and [32, 64), by two copies, side by side in SRAM.
TEST(ParameterRules, PiecesOfOneBlockAreFollowed) {
  auto pieces = [](const std::string &second) {
    return "  cfg.i load0, src.space, constants\n  cfg.i load0, size3, 32\n"
           "  cfg.i load0, dst.offset, 256\n  go load0, copy, x0, x0\n"
           "  cfg.i load0, src.offset, " +
           second +
           "\n  cfg.i load0, dst.offset, 288\n  go load0, copy, x0, x0\n"
           "  fence.all\n" +
           rescale("sram", "264");
  };
  EXPECT_EQ(ruleOf(withBlock(kTag, kWrongTag) + pieces("32")), "CHK-17");
  // Bytes [0, 32) of constants twice are no range of constants.
  EXPECT_EQ(ruleOf(withBlock(kTag, kWrongTag) + pieces("0")), "accepted");
}

/// SRAM to the arena, where params may lie too.
TEST(ParameterRules, ACopyOfACopyIsFollowed) {
  std::string again = "  cfg.i store, src.offset, 256\n"
                      "  cfg.i store, dst.space, arena\n"
                      "  cfg.i store, size3, 64\n"
                      "  go store, copy, x0, x0\n  fence.all\n"
                      "  cfg.i store, src.offset, 64\n"
                      "  cfg.i store, dst.space, 4\n"
                      "  cfg.i store, size3, 16\n";
  auto text = [&](const std::string &tag) {
    return ".arena 64\n" + withBlock(kTag, tag) + kLoadConstants + again +
           rescale("arena", "8");
  };
  EXPECT_EQ(ruleOf(text(kTag)), "accepted");
  EXPECT_EQ(ruleOf(text(kWrongTag)), "CHK-17");
}

/// A sum of 16 products through the output stage at the start of constants.
std::string convolve(const std::string &bytes) {
  return "  go vector, copy, x0, x0\n  fence.all\n"
         "  cfg.i matrix, channels, 16\n  cfg.i matrix, emit, 1\n"
         "  cfg.i matrix, weights.stride.k, 1\n"
         "  cfg.i matrix, out.offset, 256\n"
         "  cfg.i matrix, params.space, constants\n"
         "  cfg.i matrix, params.bytes, " +
         bytes +
         "\n  go matrix, conv, x0, x0\n  fence.all\n"
         "  go store, copy, x0, x0\n  ecall\n";
}

/// Commands, each with bytes of the kind of block that it reads.
std::vector<std::pair<std::string, std::vector<uint8_t>>> commandBlocks() {
  isa::RequantizeBlock requantize{0, -128, 127, {{1, 8, -1, 4}}};
  isa::SoftmaxBlock softmax;
  softmax.hi = 127;
  softmax.exponentials.assign(256, 1);
  return {
      {"rescale", isa::encodeParameters(requantize)},
      {"linear",
       isa::encodeParameters(isa::LinearBlock{1, 1, 0, -1, 0, 0, -128, 127})},
      {"product", isa::encodeParameters(isa::ProductBlock{0, 0, requantize})},
      {"softmax", isa::encodeParameters(softmax)},
      {"conv", isa::encodeParameters(isa::EpilogueBlock{{requantize}})},
      {"block", quant::encodeBlock(quant::XorBlock{{8, true}, {8, true}, -1})},
  };
}

/// Each command with each kind of block: its own alone is good.
TEST(ParameterRules, EachCommandReadsItsKind) {
  auto blocks = commandBlocks();
  for (const auto &[command, own] : blocks)
    for (const auto &[kind, block] : blocks) {
      std::string bytes = std::to_string(block.size());
      std::string text =
          ".constants\n  .zero 2048\n" + kCopies +
          "  go load0, copy, x0, x0\n  fence.all\n" +
          (command == "conv" ? convolve(bytes)
                             : rescale("constants", "0", command, bytes));
      Subject subject = assembled(text, edge());
      std::ranges::copy(block, subject.constants.begin());
      Result<Verdict> verdict = check(subject);
      ASSERT_TRUE(verdict) << verdict.error().str();
      EXPECT_EQ(verdict->isAccepted, command == kind)
          << command << " with the block of " << kind << ": "
          << verdict->message;
      EXPECT_TRUE(verdict->isAccepted || verdict->rule == Rule::Parameters)
          << verdict->message;
    }
}

/// Bytes of another origin are not judged: who writes one byte of the block
/// may have mended it.
TEST(ParameterRules, AWriteEndsWhatIsKnown) {
  auto patched = [](const std::string &at) {
    return withBlock(kTag, kWrongTag) + kLoadConstants +
           "  cfg.i load0, src.space, 3\n  cfg.i load0, size3, 1\n"
           "  cfg.i load0, dst.offset, " +
           at + "\n  go load0, copy, x0, x0\n  fence.all\n" +
           rescale("sram", "264");
  };
  EXPECT_EQ(ruleOf(patched("263")), "CHK-17"); // the byte before
  EXPECT_EQ(ruleOf(patched("264")), "accepted");
  EXPECT_EQ(ruleOf(patched("319")), "accepted"); // the last byte
  EXPECT_EQ(ruleOf(patched("320")), "CHK-17");   // the byte behind
}

/// Bytes two by two in the other order are no copy of a run; one row of padding
/// neither.
TEST(ParameterRules, ACopyThatRearrangesIsNotFollowed) {
  auto loaded = [](const std::string &fields) {
    return withBlock(kTag, kWrongTag) +
           "  cfg.i load0, src.space, constants\n  cfg.i load0, size3, 2\n"
           "  cfg.i load0, size2, 32\n  cfg.i load0, src.stride2, 2\n"
           "  cfg.i load0, dst.offset, 256\n" +
           fields + "  go load0, copy, x0, x0\n  fence.all\n" +
           rescale("sram", "264");
  };
  EXPECT_EQ(ruleOf(loaded("  cfg.i load0, dst.stride2, 2\n")), "CHK-17");
  EXPECT_EQ(ruleOf(loaded("  cfg.i load0, dst.stride2, -2\n"
                          "  cfg.i load0, dst.offset, 318\n")),
            "accepted");
  EXPECT_EQ(ruleOf(loaded("  cfg.i load0, dst.stride2, 2\n"
                          "  cfg.i load0, extent2, 31\n")),
            "accepted");
}

} // namespace
