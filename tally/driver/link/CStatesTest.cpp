//===- CStatesTest.cpp - states of a compiled model in C ------------------===//
//
// A program made of the header alone and a runtime::Context do the same to a
// block, byte for byte.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/link/CHeader.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"
#include "tally/support/TestFolder.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::runtime;

namespace {
/// Runs a shell command; its exit status.
int shell(const std::string &command) {
  return std::system(command.c_str()); // NOLINT: a test's own command
}

void write(const std::string &path, std::string_view text) {
  Status status = writeFileAtomically(path, text);
  ASSERT_TRUE(status) << status.error().str();
}

TensorInterface bytesTensor(const std::string &name, int64_t size) {
  return {name, eval::Element::U8, {size}, std::nullopt};
}

/// `x` slides along its slot as two rows of two bytes, three apart; `sum` flips
/// and starts at 1 2 3 4; `given` is the caller's at first and overwritten.
Interface interfaceOfAllKinds() {
  Interface interface;
  interface.symbol = "net";
  interface.target = "x86_64-linux-gnu";
  interface.tiers = {"x86-64"};
  interface.inputs = {bytesTensor("x", 4)};
  interface.outputs = {bytesTensor("y", 4)};
  interface.stateHash = 0xfedcba9876543210;
  StateInterface line{bytesTensor("line", 4)}, sum{bytesTensor("sum", 4)},
      given{bytesTensor("given", 4)};
  line.policy = StatePolicy::Ring;
  line.advance = 1;
  line.extent = 6;
  line.rows = 2;
  line.pitch = 3;
  line.initial = std::string(4, 9);
  sum.current = 1;
  sum.next = 2;
  sum.initial = "\1\2\3\4";
  given.current = given.next = 3;
  given.policy = StatePolicy::InPlace;
  interface.states = {line, sum, given};
  for (StateInterface &state : interface.states)
    state.isRead = state.isWritten = true;
  interface.slotBytes = {12, 4, 4, 4};
  interface.commit = {0, 2, 1, 3};
  return interface;
}

/// The same with the newest byte of each row first: `line` slides down.
Interface interfaceOfALineDown() {
  Interface interface = interfaceOfAllKinds();
  StateInterface &line = interface.states[0];
  line.advance = line.target = -1;
  line.extent = 5;
  return interface;
}

/// The code of these interfaces; FIRST is where what enters stands in a row.
/// x[0] = 255 fails after writing; no x, and 254 as by a full cache, before.
constexpr char kCode[] = R"(
#include <stdint.h>
int32_t net_run(const void *const *inputs, void *const *outputs, void *arena) {
  const uint8_t *x = inputs[0], *line = inputs[1], *sum = inputs[2],
                *given = inputs[3];
  uint8_t *y = outputs[0], *all = outputs[1], *newSum = outputs[2],
          *newGiven = outputs[3];
  (void)arena;
  if (!x)
    return 1;
  if (x[0] == 254)
    return 4;
  for (int i = 0; i < 4; ++i) {
    y[i] = line[i / 2 * 3 + i % 2] + 3 * sum[i] + 5 * given[i];
    newSum[i] = sum[i] + x[i];
    newGiven[i] = given[i] * 2 + 1;
  }
  if (x[0] == 255)
    return 9;
  all[FIRST] = x[0];
  all[3 + FIRST] = x[1];
  return 0;
}
)";

/// 20 steps; prints the outputs, then the block.
constexpr char kMain[] = R"(
#include "net.h"
#include <stdio.h>
static _Alignas(NET_STATE_BLOCK_ALIGNMENT) uint8_t block[NET_STATE_BLOCK_BYTES];
int main(void) {
  uint8_t x[4], y[4] = {0}, value[4] = {1, 2, 3, 4};
  if (NET_STATES != 3 || NET_STATE_LINE != 0 || NET_STATE_GIVEN_BYTES != 4)
    return 10;
  net_reset(block);
  if (net_call(x, y, block, 0) != 3 ||
      net_get_state(block, NET_STATE_GIVEN, value) != 3)
    return 11;
  net_set_state(block, NET_STATE_GIVEN, value);
  for (int step = 0; step < 20; ++step) {
    for (int i = 0; i < 4; ++i)
      x[i] = (uint8_t)(step * 3 + i);
    if (step == 7) {
      x[0] = 254;
      if (net_call(x, y, block, 0) != 4 || net_call(x, y, block, 0) != 4)
        return 15;
      continue;
    }
    if (step == 13) {
      x[0] = 255;
      if (net_call(x, y, block, 0) != 9 || net_call(x, y, block, 0) != 3)
        return 12;
      net_reset_state(block, NET_STATE_SUM);
      net_reset_state(block, NET_STATE_LINE);
      net_set_state(block, NET_STATE_GIVEN, value);
      continue;
    }
    if (net_call(0, y, block, 0) != 1 || net_call(x, y, block, 0))
      return 13; /* a refusal leaves the states */
    fwrite(y, 1, 4, stdout);
  }
  if (net_get_state(block, NET_STATE_LINE, value))
    return 14;
  fwrite(value, 1, 4, stdout);
  fwrite(block, 1, sizeof block, stdout);
  return 0;
}
)";

/// What the program above prints, by a Context.
std::string byContext(Context &context, std::span<std::byte> block) {
  std::string text, value = "\1\2\3\4";
  uint8_t x[4], y[4] = {};
  const void *inputs[] = {x};
  void *outputs[] = {y};
  EXPECT_FALSE(context.run(inputs, outputs));
  EXPECT_TRUE(context.setState(2, value.data()));
  for (int step = 0; step < 20; ++step) {
    for (int i = 0; i < 4; ++i)
      x[i] = uint8_t(step * 3 + i);
    if (step == 7) {
      x[0] = 254;
      EXPECT_FALSE(context.run(inputs, outputs));
      continue;
    }
    if (step == 13) {
      x[0] = 255;
      EXPECT_FALSE(context.run(inputs, outputs));
      EXPECT_TRUE(context.reset(1));
      EXPECT_TRUE(context.reset(0));
      EXPECT_TRUE(context.setState(2, value.data()));
      continue;
    }
    EXPECT_TRUE(context.run(inputs, outputs));
    text.append(reinterpret_cast<const char *>(y), 4);
  }
  EXPECT_TRUE(context.readState(0, value.data()));
  text += value;
  text.append(reinterpret_cast<const char *>(block.data()), block.size());
  return text;
}

std::string textOf(const std::string &path) {
  auto bytes = readFile(path);
  EXPECT_TRUE(bytes) << path;
  return bytes ? std::string(bytes->begin(), bytes->end()) : "";
}
} // namespace

static void compareWithContext(const Interface &interface,
                               const std::string &first) {
  TestFolder folder;
  write(folder.path("net.h"), cHeader(interface));
  write(folder.path("net.c"), kCode);
  write(folder.path("main.c"), kMain);
  std::string in = "cd " + folder.path("") + " && ";
  ASSERT_EQ(shell(in + "cc -std=c11 -O1 -ffreestanding -DFIRST=" + first +
                  " -c net.c && cc -std=c11 -Wall -Wextra -Werror main.c net.o "
                  "-o main && ./main > printed"),
            0);
  auto program = jitProgram(textOf(folder.path("net.o")), interface);
  ASSERT_TRUE(program) << program.error().str();
  alignas(kStateAlignment) std::byte block[512] = {};
  std::span used(block, stateLayout(program->interface()).bytes);
  auto context = Context::create(*program, used);
  ASSERT_TRUE(context) << context.error().str();
  EXPECT_EQ(byContext(*context, used), textOf(folder.path("printed")));
}

TEST(CStates, TheHeaderAloneDoesWhatAContextDoes) {
  compareWithContext(interfaceOfAllKinds(), "2");
}

TEST(CStates, SoItDoesWhereTheNewestComesFirst) {
  compareWithContext(interfaceOfALineDown(), "0");
}

TEST(CStates, ItsCodeIsPlainC) {
  TestFolder folder;
  Interface interface = interfaceOfAllKinds();
  interface.states[1].tensor.name = "block"; // a parameter's name
  interface.inputs.clear();
  interface.outputs.clear();
  write(folder.path("net.h"), cHeader(interface));
  write(folder.path("only.c"), "#include \"net.h\"\n#include \"net.h\"\n");
  for (const char *compiler :
       {"cc -std=c99 -pedantic", "c++ -std=c++98 -pedantic -xc++",
        "c++ -std=c++20 -xc++"})
    EXPECT_EQ(shell("cd " + folder.path("") + " && " + compiler +
                    " -Wall -Wextra -Werror -Wno-unused-function "
                    "-Wno-long-long -fsyntax-only only.c"),
              0)
        << compiler;
}
