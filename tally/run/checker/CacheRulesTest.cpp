//===- CacheRulesTest.cpp - states that get rows at a number of the run ---===//

#include "tally/run/checker/TestVerdicts.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::checker;

namespace {
/// `c` is two runs of four rows of 16 bytes; a call stores row n of each, 16
/// bytes from 16 n and from 64 + 16 n on, n in [0, 3].
const std::string kCache = R"(
.machine edge
.input x i8 32
.state.overwritten c i8 128
.slot 128, 0
.state c i8 128 policy append scalar 0 runs 2 pitch 64 step 16 bytes 16 current 0 next 0 initial "7w=="
.context
  .zero 4
.scalar n 0, 0, 3
.text
  lw x5, 0(x0)
  slli x5, x5, 4
  cfg.i load0, src.space, 3
  cfg.i load0, size3, 32
  cfg.i load0, src.stride3, 1
  cfg.i load0, dst.stride3, 1
  cfg.i store, dst.space, 4
  cfg.i store, size2, 2
  cfg.i store, size3, 16
  cfg.i store, src.stride2, 16
  cfg.i store, src.stride3, 1
  cfg.i store, dst.stride2, 64
  cfg.i store, dst.stride3, 1
  cfg.r store, dst.offset, x5
  go load0, copy, x0, x0
  fence.all
)";
const std::string kStore = "  go store, copy, x0, x0\n";
const std::string kEnd = "  ecall\n";

/// The first line of the verdict.
std::string verdictOf(const std::string &text) {
  std::string verdict = judged(text);
  return verdict.substr(0, verdict.find('\n'));
}

std::string with(std::string text, const std::string &from,
                 const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}
} // namespace

TEST(Caches, RowsAreWrittenAtEveryNumber) {
  EXPECT_EQ(judged(kCache + kStore + kEnd),
            "x.s: accepted: 4 executions, 8 commands among 8 queue entries, 72 "
            "instructions\n");
}

TEST(Caches, NoOtherRowIsWritten) {
  // Row n + 1, of which there is none for n = 3; at n = 0 it is refused
  // already.
  EXPECT_EQ(verdictOf(with(kCache, "slli x5, x5, 4",
                           "slli x5, x5, 4\n  addi x5, x5, 16") +
                      kStore + kEnd),
            "x.s: rejected: bytes of a state are written that do not enter it "
            "[CHK-20]");
  // Two rows of the first run, from row n on.
  std::string one = with(kCache, "store, size2, 2", "store, size2, 1");
  EXPECT_EQ(verdictOf(with(one, "store, size3, 16", "store, size3, 32") +
                      kStore + kEnd),
            "x.s: rejected: bytes of a state are written that do not enter it "
            "[CHK-20]");
}

/// A program that is right for the numbers up to 2, and writes row 2 at 3.
TEST(Caches, OneNumberDecides) {
  std::string text = with(kCache, "  slli x5, x5, 4", R"(  addi x6, x0, 3
  bne x5, x6, other
  addi x5, x0, 2
other:
  slli x5, x5, 4)");
  std::string verdict = judged(text + kStore + kEnd);
  EXPECT_NE(verdict.find("[CHK-20]"), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("with 'n' = 3"), std::string::npos) << verdict;
}

TEST(Caches, AllRowsOfTheCallAreWritten) {
  EXPECT_EQ(verdictOf(with(kCache, "store, size2, 2", "store, size2, 1") +
                      kStore + kEnd),
            "x.s: rejected: bytes of a state are never written [CHK-16]");
  EXPECT_EQ(verdictOf(kCache + kEnd),
            "x.s: rejected: bytes of a state are never written [CHK-16]");
}

TEST(Caches, RowsAreWrittenOnce) {
  EXPECT_EQ(verdictOf(kCache + kStore + kStore + kEnd),
            "x.s: rejected: both write bytes that a call writes once [CHK-18]");
}

TEST(Caches, OldRowsAreReadBeforeTheirPlaceIsWritten) {
  const std::string read = R"(
  cfg.i load0, src.space, 4
  cfg.i load0, size3, 128
  go load0, copy, x0, x0
  fence.all
)";
  EXPECT_EQ(verdictOf(kCache + read + kStore + kEnd).substr(0, 13),
            "x.s: accepted");
  EXPECT_EQ(verdictOf(kCache + kStore + "  fence.all\n" + read + kEnd),
            "x.s: rejected: the second reads a state's old value where the "
            "first has written the new one [CHK-19]");
}
