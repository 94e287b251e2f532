//===- StorageTest.cpp - where each tensor of a graph lives ---------------===//

#include "tally/cpu/Storage.h"
#include "tally/cpu/ArenaPlan.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/Layouts.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"
#include "tally/rewrite/state/Place.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {
class StorageTest : public testing::Test {
protected:
  StorageTest() {
    context.loadDialect<nn::NnDialect, func::FuncDialect>();
    registerLowerings(context);
  }

  /// A function of rows %x and %w; !r is a row of 4 floats (16 bytes), !rr and
  /// !rrr are two and three of them.
  func::FuncOp parse(const std::string &body, const std::string &results,
                     const std::string &states = "") {
    std::string text = "!r = tensor<1x4xf32>\n"
                       "!rr = tensor<2x4xf32>\n"
                       "!rrr = tensor<3x4xf32>\n" +
                       states + "func.func @main(%x: !r, %w: !r) -> " +
                       results + " {\n" + body + "}\n";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    rewrite::placeStates(*module,
                         {.inPlace = true, .rings = true, .ringsDown = true});
    return module->lookupSymbol<func::FuncOp>("main");
  }

  static std::string placeText(Storage place) {
    static const char *const kNames[] = {"in", "out", "const", "arena"};
    std::string text = kNames[static_cast<int>(place.kind)];
    if (place.kind == StorageKind::Input || place.kind == StorageKind::Output)
      text += std::to_string(place.index);
    return place.offset ? text + "+" + std::to_string(place.offset) : text;
  }

  /// For each operation its letter and place; in brackets where else its
  /// kernel stores; "-" behind one that needs no kernel.
  static std::string places(func::FuncOp function) {
    Layouts layouts(function);
    StorageMap map = assignStorage(function, layouts);
    std::string text;
    for (Operation &op : function.getBody().front().without_terminator()) {
      text += text.empty() ? "" : " ";
      text += op.getName().stripDialect().front();
      text += ":" + placeText(map.of(op.getResult(0)));
      for (Storage other : map.alsoStored.lookup(&op))
        text += "," + placeText(other);
      text += map.needsKernel(&op) ? "" : "-";
    }
    for (auto [output, value] : map.copies)
      text += " copy" + std::to_string(output);
    return text;
  }

  static int64_t arenaOf(func::FuncOp function) {
    Layouts layouts(function);
    auto arena =
        planArena(assignStorage(function, layouts).problem, std::nullopt);
    if (!arena)
      ADD_FAILURE() << arena.error().str();
    return arena ? arena->plan.extent : -1;
  }

  static std::string relu(const std::string &from, const std::string &to,
                          const std::string &type = "!r") {
    return "  " + to + " = nn.relu " + from + " : (" + type + ") -> " + type +
           "\n";
  }
  static std::string join(const std::string &operands, const std::string &to,
                          const std::string &types, const std::string &result) {
    return "  " + to + " = nn.concat " + operands + " {axis = 0 : i64} : (" +
           types + ") -> " + result + "\n";
  }
  static std::string rowOf(const std::string &from, int row,
                           const std::string &to,
                           const std::string &type = "!rrr") {
    return "  " + to + " = nn.slice " + from +
           " {starts = array<i64: " + std::to_string(row) +
           ", 0>, sizes = array<i64: 1, 4>, steps = array<i64: 1, 1>} : (" +
           type + ") -> !r\n";
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(StorageTest, RowsOfAnOutputAreComputedThere) {
  // Row k is 16 bytes behind row k - 1. The third reads the second in place.
  auto function = parse(relu("%x", "%a") + relu("%w", "%b") + relu("%b", "%c") +
                            join("%a, %b, %c", "%y", "!r, !r, !r", "!rrr") +
                            "  return %y : !rrr\n",
                        "!rrr");
  EXPECT_EQ(places(function), "r:out0 r:out0+16 r:out0+32 c:out0-");
  EXPECT_EQ(arenaOf(function), 0);
}

TEST_F(StorageTest, ALastRowThatIsAnOutputIsStoredTwice) {
  auto function = parse(relu("%x", "%a") + relu("%a", "%h") +
                            join("%a, %h", "%y", "!r, !r", "!rr") +
                            "  return %y, %h : !rr, !r\n",
                        "(!rr, !r)");
  EXPECT_EQ(places(function), "r:out0 r:out1,out0+16 c:out0-");
}

TEST_F(StorageTest, ViewsBetweenAreNoHindrance) {
  auto function = parse(
      relu("%x", "%a") + relu("%w", "%b") +
          "  %s = nn.reshape %a {shape = array<i64: 1, 1, 4>} : (!r) -> "
          "tensor<1x1x4xf32>\n"
          "  %t = nn.reshape %b {shape = array<i64: 1, 1, 4>} : (!r) -> "
          "tensor<1x1x4xf32>\n"
          "  %j = nn.concat %s, %t {axis = 1 : i64} : (tensor<1x1x4xf32>, "
          "tensor<1x1x4xf32>) -> tensor<1x2x4xf32>\n"
          "  %y = nn.reshape %j {shape = array<i64: 2, 4>} : "
          "(tensor<1x2x4xf32>) -> !rr\n"
          "  return %y : !rr\n",
      "!rr");
  EXPECT_EQ(places(function),
            "r:out0 r:out0+16 r:out0- r:out0+16- c:out0- r:out0-");
}

TEST_F(StorageTest, JoinsOfJoinsAreOne) {
  auto function = parse(
      relu("%x", "%a") + relu("%w", "%b") +
          join("%a, %b", "%i", "!r, !r", "!rr") + relu("%a", "%c") +
          join("%c, %i", "%y", "!r, !rr", "!rrr") + "  return %y : !rrr\n",
      "!rrr");
  EXPECT_EQ(places(function), "r:out0+16 r:out0+32 c:out0+16- r:out0 c:out0-");
}

TEST_F(StorageTest, WhatHasNoPlaceOfItsOwnIsCopied) {
  // An input, a constant; and of what is joined twice, the second.
  auto function =
      parse(relu("%w", "%a") + "  %k = nn.constant dense<1.0> : !r : !r\n" +
                join("%x, %k, %a", "%y", "!r, !r, !r", "!rrr") +
                "  return %y : !rrr\n",
            "!rrr");
  EXPECT_EQ(places(function), "r:out0+32 c:const- c:out0");
  function = parse(relu("%w", "%a") + join("%a, %a", "%i", "!r, !r", "!rr") +
                       relu("%i", "%y", "!rr") + "  return %y : !rr\n",
                   "!rr");
  EXPECT_EQ(places(function), "r:arena c:arena r:out0");
}

TEST_F(StorageTest, WhatIsJoinedTwiceInAnOutputIsStoredTwice) {
  auto function =
      parse(relu("%w", "%a") + join("%a, %a", "%y", "!r, !r", "!rr") +
                "  return %y : !rr\n",
            "!rr");
  EXPECT_EQ(places(function), "r:out0,out0+16 c:out0-");
}

TEST_F(StorageTest, PiecesThatAlternateAreCopied) {
  auto function =
      parse(relu("%x", "%a") +
                "  %i = nn.reshape %a {shape = array<i64: 2, 2>} : (!r) -> "
                "tensor<2x2xf32>\n"
                "  %y = nn.concat %i, %i {axis = 1 : i64} : (tensor<2x2xf32>, "
                "tensor<2x2xf32>) -> !rr\n  return %y : !rr\n",
            "!rr");
  EXPECT_EQ(places(function), "r:arena r:arena- c:out0");
}

TEST_F(StorageTest, AJoinThatTwoOutputsReturnIsStoredToBoth) {
  auto function = parse(relu("%x", "%a") + relu("%w", "%b") +
                            join("%a, %b", "%y", "!r, !r", "!rr") +
                            "  return %y, %y : !rr, !rr\n",
                        "(!rr, !rr)");
  EXPECT_EQ(places(function), "r:out0,out1 r:out0+16,out1+16 c:out0-");
  // A copy by strides stores to one place: no part of the second output.
  function =
      parse("  %a = nn.slice %x {starts = array<i64: 0, 3>, sizes = array<i64: "
            "1, 4>, steps = array<i64: 1, -1>} : (!r) -> !r\n" +
                relu("%w", "%b") + join("%a, %b", "%y", "!r, !r", "!rr") +
                "  return %y, %y : !rr, !rr\n",
            "(!rr, !rr)");
  EXPECT_EQ(places(function), "s:out0 r:out0+16 c:out0- copy1");
}

TEST_F(StorageTest, PartsInTheArenaShareItsMemory) {
  // 32 bytes of %i are 64, aligned; alone, %a, %b and %i would be 3 x 64.
  auto function = parse(relu("%x", "%a") + relu("%w", "%b") +
                            join("%a, %b", "%i", "!r, !r", "!rr") +
                            relu("%i", "%y", "!rr") + "  return %y : !rr\n",
                        "!rr");
  EXPECT_EQ(places(function), "r:arena r:arena+16 c:arena- r:out0");
  EXPECT_EQ(arenaOf(function), 32);
}

TEST_F(StorageTest, APartThatWouldRaiseThePeakIsCopied) {
  // %d is 1,024 bytes, alive while %a waits: 1,088 with its 64, which is the
  // peak. Were %a part of %i, of 5 rows (80 bytes, 128 aligned), it would be
  // 1,152. The other rows are made behind %d.
  std::string operands = "%x", types = "!r";
  for (int row = 1; row < 64; ++row) {
    operands += ", %x";
    types += ", !r";
  }
  auto function =
      parse(relu("%x", "%a") + join(operands, "%d", types, "tensor<64x4xf32>") +
                relu("%d", "%z", "tensor<64x4xf32>") + relu("%w", "%b") +
                relu("%b", "%c") + relu("%c", "%e") + relu("%e", "%f") +
                join("%a, %b, %c, %e, %f", "%i", "!r, !r, !r, !r, !r",
                     "tensor<5x4xf32>") +
                relu("%i", "%y", "tensor<5x4xf32>") +
                "  return %z, %y : tensor<64x4xf32>, tensor<5x4xf32>\n",
            "(tensor<64x4xf32>, tensor<5x4xf32>)");
  EXPECT_EQ(places(function),
            "r:arena c:arena r:out0 r:arena+16 r:arena+32 r:arena+48 "
            "r:arena+64 c:arena r:out1");
  EXPECT_EQ(arenaOf(function), 1024 + 16); // nothing behind %a
}

TEST_F(StorageTest, RowsThatAreCutOffAreRead) {
  auto function =
      parse(relu("%x", "%a") + relu("%w", "%b") +
                join("%a, %b, %x", "%i", "!r, !r, !r", "!rrr") +
                rowOf("%i", 1, "%s") + relu("%s", "%y") + rowOf("%i", 2, "%t") +
                relu("%t", "%z") + "  return %y, %z : !r, !r\n",
            "(!r, !r)");
  EXPECT_EQ(places(function),
            "r:arena r:arena+16 c:arena s:arena+16- r:out0 s:arena+32- r:out1");
}

TEST_F(StorageTest, ACutThatIsReturnedIsCopied) {
  auto function =
      parse(relu("%x", "%a") + join("%a, %x", "%i", "!r, !r", "!rr") +
                rowOf("%i", 0, "%y", "!rr") + "  return %y : !r\n",
            "!r");
  EXPECT_EQ(places(function), "r:arena c:arena s:out0");
}

TEST_F(StorageTest, AStateIsNotWrittenOverBeforeItIsRead) {
  // s' = [a, b] in place of s, which is read behind a and before b.
  std::string states = "nn.state @s : !rr {init = dense<0.0> : !rr}\n";
  auto function =
      parse("  %s = nn.state_read @s : !rr\n" + relu("%x", "%a") +
                relu("%s", "%y", "!rr") + relu("%w", "%b") +
                join("%a, %b", "%n", "!r, !r", "!rr") +
                "  nn.state_write @s, %n : !rr\n  return %y : !rr\n",
            "!rr", states);
  EXPECT_EQ(places(function), "r:arena r:out0 r:out1+16 c:out1");
}

TEST_F(StorageTest, OldValuesThatAreWrittenOverAreCutByCopies) {
  // s' = s + [a, a] in place; its first row is read behind that.
  std::string states = "nn.state @s : !rr {init = dense<0.0> : !rr}\n";
  auto function =
      parse("  %s = nn.state_read @s : !rr\n" + rowOf("%s", 0, "%o", "!rr") +
                "  %n = nn.add %s, %x : (!rr, !r) -> !rr\n" + relu("%o", "%y") +
                "  nn.state_write @s, %n : !rr\n  return %y : !r\n",
            "!r", states);
  EXPECT_EQ(places(function), "s:arena a:out1 r:out0");
}
