//===- RingsTest.cpp - states that move along their slots -----------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/emit/program/ProgramFile.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::isa;

namespace {
/// Three frames of four bytes, eight bytes apart, of which one enters: a call
/// sees four frames, 32 bytes.
Program ringProgram() {
  Program program;
  program.text = {*encode({Opcode::Ecall, {}})};
  program.buffers = {{"r", BufferUse::State, 32}};
  State r{"r", StatePolicy::Ring, machine::ElementType::I8, {2, 3, 2}};
  r.oldBuffer = r.newBuffer = 0;
  r.ring = {.frames = 3, .pitch = 8, .enters = 1, .runs = 2};
  r.writtenBytes = 4;
  program.states = {r};
  program.slots = {56};
  program.commit = {0};
  return program;
}

template <typename Change>
void expectRefused(Change change, const std::string &message) {
  Program program = ringProgram();
  change(program);
  Status status = checkProgram(program);
  ASSERT_FALSE(status) << message;
  EXPECT_EQ(status.error().rule, "PROG-7");
  EXPECT_EQ(status.error().message, message);
}

void expectNoRing(Ring ring, const std::string &form) {
  expectRefused([&](Program &p) { p.states[0].ring = ring; },
                "state 'r' of 12 bytes is no ring of " + form);
}
} // namespace

TEST(Rings, AreReadBack) {
  Program program = ringProgram();
  EXPECT_NE(metadataToJson(program).find("\"version\":3"), std::string::npos);
  Result<Program> back = parseProgram(writeProgram(program), "x");
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(*back, program);
}

TEST(Rings, HoldTheirValues) {
  ASSERT_TRUE(checkProgram(ringProgram()));
  expectNoRing({5, 8, 1, 2},
               "5 frames 8 bytes apart, of 2 runs each, of which 1 enter");
  expectNoRing({3, 3, 1, 2},
               "3 frames 3 bytes apart, of 2 runs each, of which 1 enter");
  expectNoRing({3, 8, 0, 2},
               "3 frames 8 bytes apart, of 2 runs each, of which 0 enter");
  expectNoRing({3, 8, 4, 2},
               "3 frames 8 bytes apart, of 2 runs each, of which 4 enter");
  expectNoRing({3, 8, 1, 3},
               "3 frames 8 bytes apart, of 3 runs each, of which 1 enter");
  expectNoRing({3, INT64_MAX, 1, 2},
               "3 frames 9223372036854775807 bytes apart, of 2 runs each, of "
               "which 1 enter");
}

TEST(Rings, FitTheirBuffersAndSlots) {
  expectRefused([](Program &p) { p.slots[0] = 31; },
                "state 'r' of 32 bytes has no slot 0 that holds it");
  expectRefused([](Program &p) { p.buffers[0].bytes = 12; },
                "state 'r' with policy ring has buffers 0 and 0, which are not "
                "its own");
  // Its old and its new value are in one buffer.
  expectRefused(
      [](Program &p) {
        p.buffers[0].use = BufferUse::NewState;
        p.states[0].oldBuffer = -1;
      },
      "state 'r' with policy ring has buffers -1 and 0, which are not its own");
}

/// The first one lies behind what enters: 8 bytes, two frames of 8 and a third
/// of 4.
TEST(Rings, MoveDownAsWell) {
  Program program = ringProgram();
  program.states[0].ring.down = true;
  ASSERT_FALSE(checkProgram(program)); // 32 bytes have a gap at the end
  program.buffers[0].bytes = 28;
  ASSERT_TRUE(checkProgram(program));
  EXPECT_NE(metadataToJson(program).find("\"version\":4"), std::string::npos);
  Result<Program> back = parseProgram(writeProgram(program), "x");
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(*back, program);
}
