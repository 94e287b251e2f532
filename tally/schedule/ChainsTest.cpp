//===- ChainsTest.cpp - what runs together, and where tensors live --------===//

#include "tally/machine/ShippedMachines.h"
#include "tally/schedule/Homes.h"
#include "tally/schedule/Layouts.h"
#include "tally/schedule/lower/CodeTables.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
class Arranged : public testing::Test {
protected:
  Arranged() { context.loadDialect<nn::NnDialect, func::FuncDialect>(); }

  /// A function of the arguments %x, %y: floats, and %q: codes, all of `shape`.
  void parse(const std::string &body, const std::string &result = "f") {
    floats = "tensor<" + shape + "f32>";
    codes = "tensor<" + shape + "!quant.uniform<i8:f32, 0.5:3>>";
    std::string source =
        "func.func @main(%x: F, %y: F, %q: Q) -> R {\n" + body + "\n}";
    std::string text;
    for (char c : source)
      text += c == 'F'   ? floats
              : c == 'Q' ? codes
              : c == 'R' ? (result == "f" ? floats : codes)
                         : std::string(1, c);
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(bool(module)) << text;
    function = module->lookupSymbol<func::FuncOp>("main");
  }

  /// The number of nodes of each chain, in the order in which they run.
  std::vector<size_t> chains() {
    auto found = arrange();
    std::vector<size_t> sizes;
    for (Operation &op : function.getBody().front())
      if (!found.isMoved(&op) && !found.chainAt(&op).empty())
        sizes.push_back(found.chainAt(&op).size());
    return sizes;
  }

  Arrangement arrange() {
    auto machine = *machine::findMachine("edge");
    OpBuilder builder(&context);
    builder.setInsertionPointToStart(module->getBody());
    Scheduler scheduler(machine, Choices::standard(machine), builder);
    return *Arrangement::of(scheduler, function);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::string shape = "4x1000x", floats, codes;
};

using Sizes = std::vector<size_t>;
} // namespace

TEST_F(Arranged, AChainReadsItsOwnResults) {
  parse("%a = nn.abs %x : (F) -> F\n"
        "%b = nn.exp %a : (F) -> F\n"
        "%c = nn.add %a, %b : (F, F) -> F\n"
        "return %c : F");
  EXPECT_EQ(chains(), Sizes({3}));
}

TEST_F(Arranged, AReaderInAnotherChainEndsAChain) {
  // b feeds c and d; c is read by nothing that d is.
  parse("%b = nn.exp %x : (F) -> F\n"
        "%c = nn.abs %b : (F) -> F\n"
        "%d = nn.neg %b : (F) -> F\n"
        "%e = nn.add %d, %y : (F, F) -> F\n"
        "%r = nn.reshape %c {shape = array<i64: 1000, 4>} : "
        "(F) -> tensor<1000x4xf32>\n"
        "return %e : F");
  EXPECT_EQ(chains(), Sizes({1, 1, 2}));
}

TEST_F(Arranged, LinesOfOneDirectionOnlyShareAChain) {
  parse("%a = nn.softmax %x {axis = 1 : i64} : (F) -> F\n"
        "%b = nn.exp %a : (F) -> F\n"
        "%c = nn.softmax %b {axis = 0 : i64} : (F) -> F\n"
        "return %c : F");
  EXPECT_EQ(chains(), Sizes({2, 1}));
}

TEST_F(Arranged, FloatsBetweenCodesAreOneTable) {
  parse("%c = nn.constant dense<0.25> : tensor<f32> : tensor<f32>\n"
        "%a = nn.dequantize %q : (Q) -> F\n"
        "%b = nn.mul %a, %c : (F, tensor<f32>) -> F\n"
        "%d = nn.add %a, %b : (F, F) -> F\n"
        "%e = nn.quantize %d : (F) -> Q\n"
        "return %e : Q",
        "q");
  auto tables = findCodeTables(function);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].input, function.getArgument(2));
  EXPECT_EQ(tables[0].body.size(), 4u);
  for (int code = -128; code < 128; ++code) {
    double real = 0.5 * (code - 3),
           want = std::nearbyint(1.25 * real / 0.5) + 3;
    EXPECT_EQ(int(int8_t(tables[0].entries[uint8_t(code)])),
              int(std::clamp(want, -128.0, 127.0)))
        << code;
  }
  EXPECT_EQ(chains(), Sizes({1}));
}

TEST_F(Arranged, AConstantThatATableComputesIsOneElementForAllCodes) {
  shape = "1x";
  parse("%c = nn.constant dense<5> : tensor<1xi8> : Q\n"
        "%b = nn.dequantize %c : (Q) -> F\n"
        "%a = nn.dequantize %q : (Q) -> F\n"
        "%d = nn.add %a, %b : (F, F) -> F\n"
        "%e = nn.quantize %d : (F) -> Q\n"
        "return %e : Q",
        "q");
  auto tables = findCodeTables(function);
  ASSERT_EQ(tables.size(), 1u);
  // 0.5 (code - 3) + 0.5 (5 - 3), in steps of 0.5, plus 3.
  for (int code = -128; code < 128; ++code)
    EXPECT_EQ(int(int8_t(tables[0].entries[uint8_t(code)])),
              std::min(code + 2, 127))
        << code;
}

TEST_F(Arranged, ATableHasOneInputAndNoOtherReaders) {
  parse("%a = nn.dequantize %q : (Q) -> F\n"
        "%b = nn.add %a, %x : (F, F) -> F\n"
        "%e = nn.quantize %b : (F) -> Q\n"
        "return %e : Q",
        "q");
  EXPECT_TRUE(findCodeTables(function).empty());
  parse("%a = nn.dequantize %q : (Q) -> F\n"
        "%e = nn.quantize %a : (F) -> Q\n"
        "return %a : F");
  EXPECT_TRUE(findCodeTables(function).empty());
}

/// What is needed together at each node, and not sent away, has room, unless
/// nothing that can leave is left.
TEST_F(Arranged, HomesLeaveNoMoreThanTheShare) {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    std::string body;
    std::vector<std::string> values = {"%x", "%y"};
    for (int i = 0; i < 12; ++i) {
      auto pick = [&] { return values[random() % values.size()]; };
      std::string name = "%v" + std::to_string(i);
      body += name + " = nn.add " + pick() + ", " + pick() +
              " : (F, F) -> F\n" + name + "r = nn.reshape " + name +
              " {shape = array<i64: 4, 1000>} : (F) -> F\n";
      values.push_back(name + "r");
    }
    parse(body + "return " + values.back() + " : F");
    auto arrangement = arrange();
    Choices choices;
    choices.residentBytes = int64_t(random() % 8) * 16000;
    auto away = chooseHomes(function, arrangement, choices);
    std::map<Operation *, size_t> places;
    std::map<Operation *, Operation *> takenFrom; // the first of its bytes
    for (Operation &op : function.getBody().front()) {
      places[&op] = places.size();
      Value place = arrangement.inPlaceAt(&op);
      Operation *view = place ? place.getDefiningOp() : nullptr;
      takenFrom[&op] = view ? takenFrom[view->getPrevNode()] : &op;
    }
    for (auto [at, place] : places) {
      std::set<Operation *> needed;
      for (Operation &op : function.getBody().front()) {
        if (!llvm::isa<nn::AddOp>(op) || places[&op] > place)
          continue;
        bool isNeeded = &op == at;
        Value view = op.getNextNode()->getResult(0);
        for (Operation *user : view.getUsers())
          isNeeded |= places[user] >= place;
        EXPECT_EQ(away.contains(op.getResult(0)), away.contains(view));
        if (isNeeded && !away.contains(view))
          needed.insert(takenFrom[&op]);
      }
      EXPECT_LE(int64_t(needed.size()) * 16000, choices.residentBytes);
    }
  }
}

TEST_F(Arranged, AResultTakesThePlaceOfAnOperandThatDies) {
  parse("%a = nn.neg %x : (F) -> F\n"
        "%r = nn.reshape %a {shape = array<i64: 4, 1000>} : (F) -> F\n"
        "%b = nn.abs %r : (F) -> F\n"
        "%s = nn.reshape %b {shape = array<i64: 4, 1000>} : (F) -> F\n"
        "%c = nn.add %s, %x : (F, F) -> F\n"
        "return %c : F");
  auto arrangement = arrange();
  auto nodes = llvm::to_vector(llvm::make_pointer_range(
      function.getBody().front().without_terminator()));
  EXPECT_FALSE(arrangement.inPlaceAt(nodes[0])); // %x is read by the last
  EXPECT_EQ(arrangement.inPlaceAt(nodes[2]), nodes[1]->getResult(0));
  EXPECT_EQ(arrangement.inPlaceAt(nodes[4]), nodes[3]->getResult(0));
}

TEST_F(Arranged, AViewThatIsReadLaterKeepsItsBytes) {
  parse("%a = nn.neg %x : (F) -> F\n"
        "%r = nn.reshape %a {shape = array<i64: 1000, 4>} : "
        "(F) -> tensor<1000x4xf32>\n"
        "%b = nn.abs %a : (F) -> F\n"
        "%c = nn.abs %r : (tensor<1000x4xf32>) -> tensor<1000x4xf32>\n"
        "return %b : F");
  auto arrangement = arrange();
  auto nodes = llvm::to_vector(llvm::make_pointer_range(
      function.getBody().front().without_terminator()));
  EXPECT_FALSE(arrangement.inPlaceAt(nodes[2]));
  EXPECT_EQ(arrangement.inPlaceAt(nodes[3]), nodes[1]->getResult(0));
}

TEST_F(Arranged, WhatWindowsReadHasItsChannelsInnermost) {
  parse("return %x : F");
  module = parseSourceString<ModuleOp>(
      "func.func @main(%x: tensor<1x2x4x4xf32>, %y: tensor<1x2x4x4xf32>) -> "
      "tensor<1x2x3x3xf32> {\n"
      "%a = nn.abs %x : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>\n"
      "%b = nn.max_pool %a {kernel = array<i64: 2, 2>, strides = array<i64: 1, "
      "1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : "
      "(tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>\n"
      "return %b : tensor<1x2x3x3xf32>\n}",
      &context);
  ASSERT_TRUE(bool(module));
  function = module->lookupSymbol<func::FuncOp>("main");
  auto found = channelsLastValues(function);
  EXPECT_TRUE(found.contains(function.getArgument(0)));
  EXPECT_FALSE(found.contains(function.getArgument(1)));
  EXPECT_EQ(found.size(), 2u);
}
