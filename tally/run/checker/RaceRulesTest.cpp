//===- RaceRulesTest.cpp - rules of bytes in order, broken ----------------===//

#include "tally/run/checker/TestVerdicts.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::checker;
using machine::Machine;

TEST(Rules, NoRace) {
  EXPECT_EQ(
      judged(R"(
.symbol tile sram 0, 64
)" + kCopies +
             R"(
.node conv1
  go load0, copy, x0, x0
  signal load0, s0
.node relu1
  go vector, copy, x0, x0
  signal vector, s1
  wait.ge store, s1, 1
  go store, copy, x0, x0
  fence.all
  reset s0
  reset s1
  ecall
)"),
      "x.s: rejected: the second reads what the first writes, and nothing "
      "orders them [CHK-8]\n"
      "  the first:  'go load0, copy, x0, x0' at 0x34 (x.s:22), node 'conv1', "
      "entry 1 of load0\n"
      "  the second: 'go vector, copy, x0, x0' at 0x3c (x.s:25), node 'relu1', "
      "entry 1 of vector\n"
      "  bytes 0 to 16 of sram, in 'tile'\n"
      "  a schedule, the first being held:\n"
      "    vector: entry 1, 'go vector, copy, x0, x0' (x.s:25)\n"
      "  let the queue of the second wait for a signal behind the first\n");
}

/// Wherever the bytes lie.
TEST(Rules, NoRaceAnywhere) {
  // A parameter block on its way to SRAM.
  EXPECT_EQ(
      judged(R"(
.constants
  .zero 64
)" + kCopies +
             R"(
  go load0, copy, x0, x0
  fence.all
  cfg.i load0, src.space, 0
  cfg.i load0, dst.offset, 128
  go load0, copy, x0, x0
  cfg.i vector, params.offset, 128
  cfg.i vector, params.bytes, 16
  go vector, block, x0, x0
  ecall
)"),
      "x.s: rejected: the second reads what the first writes, and nothing "
      "orders them [CHK-8]\n"
      "  the first:  'go load0, copy, x0, x0' at 0x44 (x.s:26), entry 2 of "
      "load0\n"
      "  the second: 'go vector, block, x0, x0' at 0x50 (x.s:29), entry 1 of "
      "vector\n"
      "  bytes 128 to 144 of sram\n"
      "  a schedule, the first being held:\n"
      "    load0: entry 1, 'go load0, copy, x0, x0' (x.s:22)\n"
      "    processor: entry 1, 'fence.all' (x.s:23)\n"
      "    vector: entry 1, 'go vector, block, x0, x0' (x.s:29)\n"
      "  let the queue of the second wait for a signal behind the first\n");
  // Sums that are still being made.
  EXPECT_EQ(
      judged(kCopies + R"(
  go load0, copy, x0, x0
  fence.all
  cfg.i matrix, weights.stride.k, 1
  go matrix, conv, x0, x0
  cfg.i vector, size3, 1
  cfg.i vector, a.space, 65
  cfg.i vector, a.type, 4
  cfg.i vector, out.type, 4
  go vector, copy, x0, x0
  ecall
)"),
      "x.s: rejected: the second reads what the first writes, and nothing "
      "orders them [CHK-8]\n"
      "  the first:  'go matrix, conv, x0, x0' at 0x40 (x.s:22), entry 1 of "
      "matrix\n"
      "  the second: 'go vector, copy, x0, x0' at 0x54 (x.s:27), entry 1 of "
      "vector\n"
      "  bytes 0 to 4 of accumulators\n"
      "  a schedule, the first being held:\n"
      "    load0: entry 1, 'go load0, copy, x0, x0' (x.s:19)\n"
      "    processor: entry 1, 'fence.all' (x.s:20)\n"
      "    vector: entry 1, 'go vector, copy, x0, x0' (x.s:27)\n"
      "  let the queue of the second wait for a signal behind the first\n");
  // Two ways to the arena and back.
  EXPECT_EQ(
      judged(R"(
.arena 64, 64
)" + kCopies +
             R"(
  go load0, copy, x0, x0
  fence.all
  cfg.i store, src.offset, 0
  cfg.i store, dst.space, 1
  go store, copy, x0, x0
  cfg.i load1, size3, 8
  cfg.i load1, src.space, 1
  cfg.i load1, src.offset, 12
  cfg.i load1, src.stride3, 1
  cfg.i load1, dst.stride3, 1
  cfg.i load1, dst.offset, 256
  go load1, copy, x0, x0
  ecall
)"),
      "x.s: rejected: the second reads what the first writes, and nothing "
      "orders them [CHK-8]\n"
      "  the first:  'go store, copy, x0, x0' at 0x44 (x.s:25), entry 1 of "
      "store\n"
      "  the second: 'go load1, copy, x0, x0' at 0x60 (x.s:32), entry 1 of "
      "load1\n"
      "  bytes 12 to 20 of region 'arena'\n"
      "  a schedule, the first being held:\n"
      "    load0: entry 1, 'go load0, copy, x0, x0' (x.s:21)\n"
      "    processor: entry 1, 'fence.all' (x.s:22)\n"
      "    load1: entry 1, 'go load1, copy, x0, x0' (x.s:32)\n"
      "  let the queue of the second wait for a signal behind the first\n");
  // A word that the processor stores while it is loaded.
  EXPECT_EQ(
      judged(R"(
.context
  .zero 16
)" + kCopies +
             R"(
  cfg.i load0, src.space, 2
  go load0, copy, x0, x0
  sw x0, 4(x0)
  fence.all
  ecall
)"),
      "x.s: rejected: the second writes what the first reads, and nothing "
      "orders them [CHK-8]\n"
      "  the first:  'go load0, copy, x0, x0' at 0x38 (x.s:23), entry 1 of "
      "load0\n"
      "  the second: 'sw x0, 4(x0)' at 0x3c (x.s:24), entry 1 of processor\n"
      "  bytes 4 to 8 of region 'context'\n"
      "  a schedule, the first being held:\n"
      "    processor: entry 1, 'sw x0, 4(x0)' (x.s:24)\n"
      "  let the processor wait for the first with a fence\n");
}

TEST(Rules, LateRegistersStay) {
  std::string head = kCopies + R"(
  addi x5, x0, 8
  go load0, copy, x5, x0
)";
  std::string tail = R"(
  addi x5, x0, 9
  go load0, copy, x5, x0
  fence.all
  cfg.i store, src.offset, 0
  go store, copy, x0, x0
  ecall
)";
  EXPECT_EQ(
      judged(head + tail),
      "x.s: rejected: the second overwrites a scalar register that the first "
      "may not have read yet [CHK-9]\n"
      "  the first:  'go load0, copy, x5, x0' at 0x38 (x.s:20), entry 1 of "
      "load0\n"
      "  the second: 'addi x5, x0, 9' at 0x3c (x.s:22), entry 1 of processor\n"
      "  x5\n"
      "  a schedule, the first being held:\n"
      "    processor: entry 1, 'addi x5, x0, 9' (x.s:22)\n"
      "  wait for the first with a fence, or use another register\n");
  EXPECT_EQ(judged(head + "  fence load0, 0\n" + tail),
            "x.s: accepted: 1 execution, 3 commands among 3 queue entries, 22 "
            "instructions\n");
  Machine machine = edge();
  machine.latchesOperands = true;
  EXPECT_EQ(judged(head + tail, machine),
            "x.s: accepted: 1 execution, 3 commands among 3 queue entries, 21 "
            "instructions\n");
}

/// The load waits for what is issued only behind the write, so that it is
/// certain to find the new value; it was issued for the old one.
TEST(Rules, LateRegistersStayThoughOrdered) {
  EXPECT_EQ(
      judged(std::string(kCopies) + R"(
  addi x5, x0, 8
  wait.ge load0, s0, 1
  go load0, copy, x5, x0
  addi x5, x0, 9
  signal vector, s0
  fence.all
  reset s0
  cfg.i store, src.offset, 0
  go store, copy, x0, x0
  ecall
)"),
      "x.s: rejected: the second overwrites a scalar register that the first "
      "may not have read yet [CHK-9]\n"
      "  the first:  'go load0, copy, x5, x0' at 0x3c (x.s:21), entry 2 of "
      "load0\n"
      "  the second: 'addi x5, x0, 9' at 0x40 (x.s:22), entry 1 of processor\n"
      "  x5\n"
      "  a schedule, the first being held:\n"
      "    processor: entry 1, 'addi x5, x0, 9' (x.s:22)\n"
      "  wait for the first with a fence, or use another register\n");
}

TEST(Rules, ReadsAreInitialised) {
  EXPECT_EQ(
      judged(kCopies + "  go vector, copy, x0, x0\n  ecall\n"),
      "x.s: rejected: bytes are read that nothing has written [CHK-10]\n"
      "  at 'go vector, copy, x0, x0' at 0x34 (x.s:18), entry 1 of vector\n"
      "  bytes 0 to 16 of sram\n");
}

TEST(Rules, WorkSpaceIsUndefined) {
  // Sums of 64 terms take two passes of 32 rows.
  EXPECT_EQ(judged(R"(
.constants
  .quad 0
.input in i8 64
.text
  cfg.i load0, size3, 64
  cfg.i load0, src.space, 3
  cfg.i load0, src.stride3, 1
  cfg.i load0, dst.stride3, 1
  go load0, copy, x0, x0
  fence.all
  cfg.i matrix, channels, 64
  cfg.i matrix, emit, 1
  cfg.i matrix, out.offset, 256
  cfg.i matrix, params.space, 0
  cfg.i matrix, params.bytes, 8
  cfg.i matrix, weights.stride.k, 1
  go matrix, conv, x0, x0
  fence.all
  cfg.i vector, a.space, 65
  cfg.i vector, a.type, 4
  cfg.i vector, out.type, 4
  cfg.i vector, out.offset, 64
  go vector, copy, x0, x0
  ecall
)"),
            "x.s: rejected: the second reads bytes that the first used as work "
            "space, which leaves them undefined [CHK-10]\n"
            "  the first:  'go matrix, conv, x0, x0' at 0x30 (x.s:18), entry 1 "
            "of matrix\n"
            "  the second: 'go vector, copy, x0, x0' at 0x48 (x.s:24), entry 1 "
            "of vector\n"
            "  bytes 0 to 4 of accumulators\n");
}

TEST(Rules, OutputsAreWritten) {
  EXPECT_EQ(judged(kCopies + R"(
  go load0, copy, x0, x0
  fence.all
  cfg.i store, src.offset, 0
  cfg.i store, size3, 12
  cfg.i store, dst.offset, 2
.node last
  go store, copy, x0, x0
  ecall
)"),
            "x.s: rejected: bytes of an output are never written [CHK-16]\n"
            "  bytes 0 to 2 of region 'out'\n");
}

TEST(Rules, OutputsAreWrittenOnce) {
  EXPECT_EQ(
      judged(kCopies + R"(
  go load0, copy, x0, x0
  fence.all
  cfg.i store, src.offset, 0
.node first
  go store, copy, x0, x0
  cfg.i store, size3, 4
  cfg.i store, dst.offset, 4
.node again
  go store, copy, x0, x0
  ecall
)"),
      "x.s: rejected: both write bytes that a call writes once [CHK-18]\n"
      "  the first:  'go store, copy, x0, x0' at 0x40 (x.s:23), node 'first', "
      "entry 1 of store\n"
      "  the second: 'go store, copy, x0, x0' at 0x4c (x.s:27), node 'again', "
      "entry 2 of store\n"
      "  bytes 4 to 8 of region 'out'\n");
}

/// A state of 16 bytes, whose new value is written over the old one, through
/// SRAM.
static const std::string kInPlace = R"(
.machine edge
.state.overwritten h i8 16
.slot 16, 0
.state h i8 16 policy "in place" initial "7w=="
.text
  cfg.i load0, src.space, 3
  cfg.i load0, size3, 16
  cfg.i load0, src.stride3, 1
  cfg.i load0, dst.stride3, 1
  cfg.i store, dst.space, 3
  cfg.i store, size3, 16
  cfg.i store, src.stride3, 1
  cfg.i store, dst.stride3, 1
)";

TEST(Rules, StatesMayBeOverwritten) {
  EXPECT_EQ(judged(kInPlace + R"(
  go load0, copy, x0, x0
  fence.all
  go store, copy, x0, x0
  ecall
)")
                .substr(0, 13),
            "x.s: accepted");
}

TEST(Rules, StatesAreWritten) {
  EXPECT_EQ(judged(kInPlace + R"(
  go load0, copy, x0, x0
  fence.all
  cfg.i store, size3, 12
  go store, copy, x0, x0
  ecall
)"),
            "x.s: rejected: bytes of a state are never written [CHK-16]\n"
            "  bytes 12 to 16 of region 'h'\n");
}

TEST(Rules, OldStatesAreReadBefore) {
  EXPECT_EQ(
      judged(kInPlace + R"(
  cfg.i load0, size3, 8
  go load0, copy, x0, x0
  fence.all
  cfg.i store, size3, 8
.node write
  go store, copy, x0, x0
  fence.all
  cfg.i load0, src.offset, 4
.node late
  go load0, copy, x0, x0
  ecall
)"),
      "x.s: rejected: the second reads a state's old value where the first has "
      "written the new one [CHK-19]\n"
      "  the first:  'go store, copy, x0, x0' at 0x30 (x.s:21), node 'write', "
      "entry 1 of store\n"
      "  the second: 'go load0, copy, x0, x0' at 0x3c (x.s:25), node 'late', "
      "entry 2 of load0\n"
      "  bytes 4 to 8 of region 'h'\n"
      "  write the new value behind all reads of the old one\n");
}

TEST(Rules, OldValuesBesideStay) {
  EXPECT_NE(judged(R"(
.machine edge
.state.old h i8 16
.state.new h i8 16
.slot 16, 1
.slot 16, 0
.state h i8 16 policy flip current 0 next 1
.text
  cfg.i load0, src.space, 3
  cfg.i load0, size3, 16
  cfg.i load0, src.stride3, 1
  cfg.i load0, dst.stride3, 1
  cfg.i store, dst.space, 3
  cfg.i store, size3, 16
  cfg.i store, src.stride3, 1
  cfg.i store, dst.stride3, 1
  go load0, copy, x0, x0
  fence.all
  go store, copy, x0, x0
  ecall
)")
                .find("[CHK-5]"),
            std::string::npos);
}
