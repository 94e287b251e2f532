//===- LayoutsTest.cpp - in which order each tensor is stored -------------===//

#include "tally/cpu/Layouts.h"
#include "tally/cpu/Storage.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/ops/Ops.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {

class LayoutsTest : public testing::Test {
protected:
  LayoutsTest() {
    context.loadDialect<nn::NnDialect, func::FuncDialect>();
    registerLowerings(context);
  }

  /// A function of %x with weights %w of a 1x1 convolution from 4 to 4
  /// channels. Tensors have type !t: 4 channels of 2x2 codes.
  func::FuncOp parse(const std::string &body, const std::string &result = "!t",
                     const std::string &input = "!t") {
    std::string text =
        "!q = !quant.uniform<u8:f32, 1.0>\n"
        "!t = tensor<1x4x2x2x!q>\n"
        "!one = tensor<1x4x1x1x!q>\n"
        "!flat = tensor<1x16x!q>\n"
        "!line = tensor<1x4x4x!q>\n"
        "!k = tensor<4x4x1x1x!quant.uniform<i8:f32, 1.0>>\n"
        "func.func @main(%x: " +
        input + ") -> " + result +
        " {\n  %w = nn.constant dense<1> : tensor<4x4x1x1xi8> : !k\n" + body +
        "}\n";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module->lookupSymbol<func::FuncOp>("main");
  }

  static std::string conv(const std::string &from, const std::string &to) {
    return "  " + to + " = nn.conv " + from +
           ", %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, "
           "dilations = array<i64: 1, 1>, group = 1 : i64} : (!t, !k) -> !t\n";
  }
  static std::string relu(const std::string &from, const std::string &to,
                          const std::string &type = "!t") {
    return "  " + to + " = nn.relu " + from + " : (" + type + ") -> " + type +
           "\n";
  }

  /// One letter for each computed tensor, in order: that of its operator, in
  /// capitals when it is stored channels last; r and R are reorders.
  static std::string orders(func::FuncOp function, const Layouts &layouts) {
    std::string text;
    for (Operation &op : function.getBody().front().without_terminator()) {
      if (isa<nn::ConstantOp>(op))
        continue;
      char letter = isReorder(&op) ? 'r' : op.getName().stripDialect().front();
      bool isLast = layouts.ofResult(&op) == Order::ChannelsLast;
      text += isLast ? llvm::toUpper(letter) : letter;
    }
    return text;
  }
  static std::string orders(func::FuncOp function) {
    Layouts layouts(function);
    return orders(function, layouts);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST(Order, Strides) {
  eval::Shape shape = {2, 3, 4, 5};
  EXPECT_EQ(stridesIn(Order::Plain, shape), eval::Shape({60, 20, 5, 1}));
  // [2][4][5][3]
  EXPECT_EQ(stridesIn(Order::ChannelsLast, shape), eval::Shape({60, 1, 15, 3}));
  EXPECT_EQ(outermostFirst(Order::ChannelsLast, 4),
            (std::vector<size_t>{0, 2, 3, 1}));
}

TEST(Order, OneOrder) {
  EXPECT_TRUE(hasOrders({1, 2, 3}));
  EXPECT_FALSE(hasOrders({1, 2, 1, 1})); // one pixel
  EXPECT_FALSE(hasOrders({4, 1, 3, 3})); // one channel
  EXPECT_FALSE(hasOrders({4, 6}));
}

TEST(Order, ReshapesOfPixels) {
  EXPECT_TRUE(keepsChannels({1, 6, 2, 4}, {1, 6, 8}));
  EXPECT_FALSE(keepsChannels({1, 6, 2, 4}, {1, 3, 16}));
  EXPECT_FALSE(keepsChannels({2, 6, 4}, {1, 12, 4}));
}

/// The convolution reads the input in its own order; the last tensor is
/// returned in plain order.
TEST_F(LayoutsTest, Chain) {
  func::FuncOp function = parse(conv("%x", "%0") + relu("%0", "%1") +
                                conv("%1", "%2") + "  return %2 : !t\n");
  EXPECT_EQ(orders(function), "CRCr");
}

/// No tensor is moved for an operator that takes either order.
TEST_F(LayoutsTest, NoConvolution) {
  func::FuncOp function =
      parse(relu("%x", "%0") + relu("%0", "%1") + "  return %1 : !t\n");
  EXPECT_EQ(orders(function), "rr"); // both relu, in plain order
}

/// Moving %1 once, in front of what follows, costs less than moving both %2
/// and %3 behind.
TEST_F(LayoutsTest, OneReorderForTwoOutputs) {
  func::FuncOp function =
      parse(conv("%x", "%0") + relu("%0", "%1") + relu("%0", "%2") +
                "  return %1, %2 : !t, !t\n",
            "(!t, !t)");
  // A convolution, its reorder, and two relu in plain order.
  EXPECT_EQ(orders(function), "Crrr");
}

/// Two convolutions want the input: it is moved once.
TEST_F(LayoutsTest, InputForTwo) {
  func::FuncOp function =
      parse(conv("%x", "%0") + conv("%x", "%1") +
            "  %2 = nn.add %0, %1 : (!t, !t) -> !t\n" + "  return %2 : !t\n");
  EXPECT_EQ(orders(function), "RCCAr");
}

TEST_F(LayoutsTest, OnePixelCostsNothing) {
  func::FuncOp function =
      parse(conv("%x", "%0") +
                "  %1 = nn.max_pool %0 {kernel = array<i64: 2, 2>, strides = "
                "array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = "
                "array<i64: 1, 1>} : (!t) -> !one\n  return %1 : !one\n",
            "!one");
  EXPECT_EQ(orders(function), "Cm");
}

TEST_F(LayoutsTest, Views) {
  func::FuncOp line =
      parse(conv("%x", "%0") +
                "  %1 = nn.reshape %0 {shape = array<i64: 1, 4, 4>} : (!t) -> "
                "!line\n" +
                relu("%1", "%2", "!line") + "  return %2 : !line\n",
            "!line");
  EXPECT_EQ(orders(line), "CRRr");
  func::FuncOp flat = parse(
      conv("%x", "%0") +
          "  %1 = nn.reshape %0 {shape = array<i64: 1, 16>} : (!t) -> !flat\n" +
          "  return %1 : !flat\n",
      "!flat");
  EXPECT_EQ(orders(flat), "Crr"); // the reorder, then the reshape
}

/// A view is where its bytes are; without the layouts the function is as it
/// was.
TEST_F(LayoutsTest, ReordersAreTakenBack) {
  func::FuncOp function = parse(conv("%x", "%0") +
                                    "  %1 = nn.reshape %0 {shape = array<i64: "
                                    "1, 4, 4>} : (!t) -> !line\n" +
                                    "  return %1 : !line\n",
                                "!line");
  auto text = [&] {
    std::string printed;
    llvm::raw_string_ostream(printed) << *module;
    return printed;
  };
  std::string before = text();
  {
    Layouts layouts(function);
    EXPECT_NE(text(), before);
    Value returned = function.getBody().front().getTerminator()->getOperand(0);
    EXPECT_EQ(layouts.of(returned), Order::Plain);
  }
  EXPECT_EQ(text(), before);
}
