//===- RingRulesTest.cpp - states that move along their memory ------------===//

#include "tally/run/checker/TestVerdicts.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::checker;

namespace {
/// `r` is two frames of 40 bytes, 64 bytes apart; a call stores one more, which
/// are bytes 128 to 168 of what it sees.
const std::string kRing = R"(
.machine edge
.input x i8 40
.state.overwritten r i8 192
.slot 320, 0
.state r i8 2x40 policy ring current 0 next 0 frames 2 pitch 64 initial "7w=="
.text
  cfg.i load0, src.space, 3
  cfg.i load0, size3, 40
  cfg.i load0, src.stride3, 1
  cfg.i load0, dst.stride3, 1
  cfg.i store, dst.space, 4
  cfg.i store, dst.offset, 128
  cfg.i store, size3, 40
  cfg.i store, src.stride3, 1
  cfg.i store, dst.stride3, 1
  go load0, copy, x0, x0
  fence.all
)";

bool isAccepted(const std::string &text) {
  return judged(text).substr(0, 13) == "x.s: accepted";
}

/// The first line of the verdict, and the bytes it is about.
void expectRejected(const std::string &text, const std::string &message,
                    const std::string &bytes) {
  std::string verdict = judged(text);
  EXPECT_EQ(verdict.substr(0, verdict.find('\n')), "x.s: rejected: " + message);
  EXPECT_NE(verdict.find("bytes " + bytes + " of region 'r'\n"),
            std::string::npos)
      << verdict;
}

const std::string kStore = "  go store, copy, x0, x0\n";
const std::string kEnd = "  ecall\n";
const char *const kOthers =
    "bytes of a state are written that do not enter it [CHK-20]";
} // namespace

TEST(Rings, WhatEntersIsWritten) {
  EXPECT_TRUE(isAccepted(kRing + kStore + kEnd));
}

TEST(Rings, AllThatEntersIsWritten) {
  expectRejected(kRing + "  cfg.i store, size3, 39\n" + kStore + kEnd,
                 "bytes of a state are never written [CHK-16]", "167 to 168");
}

TEST(Rings, WhatEntersIsWrittenOnce) {
  expectRejected(kRing + kStore + "  cfg.i store, size3, 1\n" + kStore + kEnd,
                 "both write bytes that a call writes once [CHK-18]",
                 "128 to 129");
}

TEST(Rings, WhatIsKeptStays) {
  // The last byte of the second frame, which the store of the third is not.
  expectRejected(kRing + kStore + R"(
  cfg.i store, dst.offset, 103
  cfg.i store, size3, 1
)" + kStore + kEnd,
                 kOthers, "103 to 104");
}

TEST(Rings, GapsStay) {
  expectRejected(kRing + "  cfg.i store, dst.offset, 127\n" + kStore + kEnd,
                 kOthers, "127 to 167");
  expectRejected(kRing + R"(
  cfg.i store, dst.offset, 167
  cfg.i store, size3, 2
)" + kStore + kEnd,
                 kOthers, "167 to 169");
  expectRejected(kRing + R"(
  cfg.i load0, src.space, 4
  cfg.i load0, size3, 41
  go load0, copy, x0, x0
)" + kStore + kEnd,
                 "bytes are read that nothing has written [CHK-10]",
                 "40 to 41");
}

TEST(Rings, WhatEntersIsReadBehindItsStore) {
  const std::string reads = R"(
  cfg.i load0, src.space, 4
  cfg.i load0, src.offset, 128
  go load0, copy, x0, x0
)";
  EXPECT_TRUE(isAccepted(kRing + kStore + "  fence.all\n" + reads + kEnd));
  expectRejected(kRing + reads + "  fence.all\n" + kStore + kEnd,
                 "bytes are read that nothing has written [CHK-10]",
                 "128 to 168");
  EXPECT_NE(judged(kRing + kStore + reads + kEnd).find("[CHK-8]"),
            std::string::npos);
}

TEST(Rings, MoveToWhereRegionsMayBegin) {
  EXPECT_EQ(judged(R"(
.machine edge
.state.overwritten r i8 96
.slot 160, 0
.state r i8 2x32 policy ring current 0 next 0 frames 2 pitch 32
.text
  ecall
)"),
            "x.s: rejected: region 'r' moves by 32 bytes from call to call, "
            "and is aligned to 64 [CHK-6]\n"
            "  keep the state in two slots, or let more bytes enter\n");
}

/// The newest comes first: bytes 0 to 40 of what a call sees, and the old
/// frames at 64 and 128.
TEST(Rings, MoveDownAsWell) {
  std::string down = kRing;
  auto change = [&](const std::string &from, const std::string &to) {
    size_t at = down.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    down.replace(at, from.size(), to);
  };
  change("r i8 192", "r i8 168");
  change("frames 2 pitch 64", "frames 2 pitch 64 down");
  EXPECT_NE(judged(down + kStore + kEnd).find("[CHK-20]"), std::string::npos);
  change("dst.offset, 128", "dst.offset, 0");
  EXPECT_TRUE(isAccepted(down + kStore + kEnd));
  const std::string old = R"(
  cfg.i load0, src.space, 4
  cfg.i load0, src.offset, 128
  go load0, copy, x0, x0
)";
  EXPECT_TRUE(isAccepted(down + old + "  fence.all\n" + kStore + kEnd));
  expectRejected(down + old +
                     "  cfg.i load0, src.offset, 0\n"
                     "  go load0, copy, x0, x0\n  fence.all\n" +
                     kStore + kEnd,
                 "bytes are read that nothing has written [CHK-10]", "0 to 40");
}
