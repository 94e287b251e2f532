//===- CachesTest.cpp - states that get rows at a counter -----------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/emit/program/ProgramFile.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::isa;

namespace {
/// Two runs of four rows of two bytes; a call begins with 0 to 3 rows.
Program cacheProgram() {
  Program program;
  program.text = {*encode({Opcode::Ecall, {}})};
  program.context.resize(4);
  program.scalars = {{"n", 0, 0, 3}};
  program.buffers = {{"c", BufferUse::State, 16}};
  State c{"c", StatePolicy::Append, machine::ElementType::I8, {2, 4, 2}};
  c.oldBuffer = c.newBuffer = 0;
  c.append = {.scalar = 0, .runs = 2, .pitch = 8, .step = 2, .bytes = 2};
  c.writtenBytes = 4;
  State n{"n", StatePolicy::Counter, machine::ElementType::I64, {1}};
  n.current = n.next = 1;
  n.counter = {.scalar = 0, .most = 3, .step = 1, .last = 4};
  program.states = {c, n};
  program.slots = {16, 8};
  program.commit = {0, 1};
  return program;
}

template <typename Change>
void expectRefused(Change change, const std::string &message) {
  Program program = cacheProgram();
  change(program);
  Status status = checkProgram(program);
  ASSERT_FALSE(status) << message;
  EXPECT_EQ(status.error().rule, "PROG-7");
  EXPECT_EQ(status.error().message, message);
}

void expectNoCache(Append append, const std::string &form) {
  expectRefused([&](Program &p) { p.states[0].append = append; },
                "state 'c' of 16 bytes is no cache of " + form);
}

void expectNoCounter(Counter counter, const std::string &form) {
  expectRefused([&](Program &p) { p.states[1].counter = counter; },
                "state 'n' is no number from 0 to " + form);
}
} // namespace

TEST(Caches, AreReadBack) {
  Program program = cacheProgram();
  EXPECT_NE(metadataToJson(program).find("\"version\":4"), std::string::npos);
  Result<Program> back = parseProgram(writeProgram(program), "x");
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(*back, program);
}

TEST(Caches, OfALaterFormatAreRefused) {
  std::string text = metadataToJson(cacheProgram());
  size_t at = text.find("\"version\":4");
  ASSERT_NE(at, std::string::npos);
  text[at + 10] = '5';
  Program program;
  Status status = metadataFromJson(text, program);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "the program's note cannot be read: its format is version 5, this "
            "program reads versions up to 4");
}

TEST(Caches, HoldTheirRows) {
  ASSERT_TRUE(checkProgram(cacheProgram()));
  // The row at 3 ends with the run; another byte does not fit.
  expectNoCache({0, 2, 8, 2, 3},
                "2 runs of 8, in which 3 are written, moved by "
                "2 with run-time scalar 0");
  expectNoCache({0, 2, 7, 2, 2},
                "2 runs of 7, in which 2 are written, moved by "
                "2 with run-time scalar 0");
  expectNoCache({1, 2, 8, 2, 2},
                "2 runs of 8, in which 2 are written, moved by "
                "2 with run-time scalar 1");
  expectNoCache({-1, 2, 8, 2, 2}, "2 runs of 8, in which 2 are written, moved "
                                  "by 2 with run-time scalar -1");
}

TEST(Caches, CountersAreRunTimeScalars) {
  expectNoCounter({0, 4, 1, 5},
                  "4 that grows by 1 to 5, with run-time scalar 0");
  expectNoCounter({1, 3, 1, 4},
                  "3 that grows by 1 to 4, with run-time scalar 1");
  expectNoCounter({0, 3, -1, 4},
                  "3 that grows by -1 to 4, with run-time scalar 0");
  Program program = cacheProgram();
  program.states[1].counter.scalar = -1; // no command depends on it
  EXPECT_TRUE(checkProgram(program));
}

TEST(Caches, CountersHaveNoBuffers) {
  expectRefused([](Program &p) { p.states[1].oldBuffer = 0; },
                "state 'n' with policy counter has buffers 0 and -1, which are "
                "not its own");
}
