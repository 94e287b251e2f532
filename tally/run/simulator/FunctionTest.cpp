//===- FunctionTest.cpp - functions of the vector engine ------------------===//
//
// Values at the edges, worked out by hand, and conversions and reductions
// against the evaluator.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Cast.h"
#include "tally/eval/Reduction.h"
#include "tally/eval/RuntimeQuantization.h"
#include "tally/run/simulator/TestBench.h"
#include "tally/run/simulator/kernels/Kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace tally;
using namespace tally::simulator;
using isa::Command;
using isa::CommandCode;
using machine::ElementType;

static constexpr int64_t kA = 0, kB = 65536, kOut = 131072;

/// A command on rows of `count` dense elements.
static Command rowCommand(const machine::Machine &machine, CommandCode code,
                          std::string_view function, ElementType type,
                          ElementType result, int64_t count) {
  Command command = makeCommand(machine, code);
  setField(command, "function", isa::findFunction(code, function)->number);
  setField(command, "size3", count);
  for (auto [name, offset, element] :
       {std::tuple("a", kA, type), std::tuple("b", kB, type),
        std::tuple("out", kOut, result)}) {
    std::string prefix = name;
    setField(command, prefix + ".offset", offset);
    setField(command, prefix + ".type", int64_t(element));
    setField(command, prefix + ".stride3", machine::elementBytes(element));
  }
  return command;
}

static void run(const Command &command, const machine::Machine &machine,
                Bench &bench) {
  Status status = isa::checkCommand(command, machine);
  ASSERT_TRUE(status) << status.error().message;
  KernelFault fault = runCommand(command, bench.memory, machine);
  ASSERT_FALSE(fault) << *fault;
  ASSERT_TRUE(bench.memory.isGood());
}

namespace {
class Functions : public testing::Test {
protected:
  const machine::Machine machine = shippedMachine("edge");
  Bench bench{machine};

  template <class T>
  std::vector<T> apply(CommandCode code, std::string_view function,
                       ElementType type, const std::vector<T> &a,
                       const std::vector<T> &b = {}) {
    bench.put(isa::kSram, kA, a);
    bench.put(isa::kSram, kB, b);
    run(rowCommand(machine, code, function, type, type, int64_t(a.size())),
        machine, bench);
    return bench.get<T>(isa::kSram, kOut, a.size());
  }
  std::vector<int8_t> bytes(std::string_view function,
                            const std::vector<int8_t> &a,
                            const std::vector<int8_t> &b = {}) {
    return apply(CommandCode::VectorInteger, function, ElementType::I8, a, b);
  }
  std::vector<float> floats(std::string_view function,
                            const std::vector<float> &a,
                            const std::vector<float> &b = {}) {
    return apply(CommandCode::VectorFloat, function, ElementType::F32, a, b);
  }
};
} // namespace

using Bytes = std::vector<int8_t>;

TEST_F(Functions, DivisionRoundsAsNamed) {
  // -7/2 = -3.5: truncated -3, remainder -1; floor -4, remainder 1; the nearest
  // even is -4. 5/2 = 2.5 goes to 2, 7/2 = 3.5 to 4. By 0: 0.
  Bytes a{-7, 7, 5, 7, -128, 9}, b{2, -2, 2, 2, -1, 0};
  EXPECT_EQ(bytes("div", a, b), (Bytes{-3, -3, 2, 3, -128, 0}));
  EXPECT_EQ(bytes("rem", a, b), (Bytes{-1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(bytes("mod", a, b), (Bytes{1, -1, 1, 1, 0, 0}));
  EXPECT_EQ(bytes("div.even", a, b), (Bytes{-4, -4, 2, 4, -128, 0}));
}

TEST_F(Functions, ShiftsBeyondTheWidth) {
  // 8 bits: 3 << 7 = 384, low bits -128. Shifts by 8 or by a negative number
  // push every bit out.
  Bytes a{3, 3, -3, -3, 100, -100}, b{7, 8, 1, 8, -1, -1};
  EXPECT_EQ(bytes("shl", a, b), (Bytes{-128, 0, -6, 0, 0, 0}));
  EXPECT_EQ(bytes("shr", a, b), (Bytes{0, 0, -2, -1, 0, -1}));
  auto u = apply<uint8_t>(CommandCode::VectorInteger, "shr", ElementType::U8,
                          {200, 200, 200}, {1, 7, 8});
  EXPECT_EQ(u, (std::vector<uint8_t>{100, 1, 0}));
}

TEST_F(Functions, MagnitudesAndRoots) {
  EXPECT_EQ(bytes("abs", {-128, -1, 5}), (Bytes{-128, 1, 5}));
  EXPECT_EQ(bytes("neg", {-128, -1, 5}), (Bytes{-128, 1, -5}));
  EXPECT_EQ(bytes("sqrt", {-4, 0, 15, 16}), (Bytes{0, 0, 3, 4}));
  // (2^31 - 1)^2 = 4611686014132420609; one less has the next smaller root.
  auto roots =
      apply<int64_t>(CommandCode::VectorInteger, "sqrt", ElementType::I64,
                     {4611686014132420609, 4611686014132420608,
                      std::numeric_limits<int64_t>::max()});
  EXPECT_EQ(roots, (std::vector<int64_t>{2147483647, 2147483646, 3037000499}));
}

TEST_F(Functions, WideProductsWrap) {
  auto products =
      apply<int64_t>(CommandCode::VectorInteger, "mul", ElementType::I64,
                     {int64_t(1) << 40}, {int64_t(1) << 40});
  EXPECT_EQ(products, (std::vector<int64_t>{0})); // 2^80
}

static std::vector<uint32_t> bitsOf(const std::vector<float> &values) {
  std::vector<uint32_t> bits;
  bits.reserve(values.size());
  for (float value : values)
    bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

TEST_F(Functions, FloatsKeepSignsOfZeroAndMakeOneNan) {
  float nan = std::bit_cast<float>(0xffc12345), inf = INFINITY;
  uint32_t one = 0x3f800000, quiet = 0x7fc00000, minus = 0x80000000;
  using Bits = std::vector<uint32_t>;
  EXPECT_EQ(bitsOf(floats("min", {0.0f, -0.0f, nan, 1}, {-0.0f, 0.0f, 1, 2})),
            (Bits{minus, minus, quiet, one}));
  EXPECT_EQ(bitsOf(floats("max", {0.0f, -0.0f, 1, 1}, {-0.0f, 0.0f, nan, -2})),
            (Bits{0, 0, quiet, one}));
  EXPECT_EQ(bitsOf(floats("relu", {-0.0f, -3, nan, 1})),
            (Bits{0, 0, quiet, one}));
  EXPECT_EQ(bitsOf(floats("neg", {0, nan})), (Bits{minus, quiet}));
  EXPECT_EQ(floats("round", {0.5f, 1.5f, -2.5f}),
            (std::vector<float>{0, 2, -2}));
  EXPECT_EQ(floats("floor", {-0.5f, 2.5f}), (std::vector<float>{-1, 2}));
  EXPECT_EQ(floats("ceil", {-1.5f, 2.5f}), (std::vector<float>{-1, 3}));
  EXPECT_EQ(floats("sign", {-3, 0, 7}), (std::vector<float>{-1, 0, 1}));
  EXPECT_EQ(floats("reciprocal", {0, 4}), (std::vector<float>{inf, 0.25f}));
  EXPECT_EQ(floats("div", {1, -1}, {0, 0}), (std::vector<float>{inf, -inf}));
  EXPECT_EQ(bitsOf(floats("sub", {inf}, {inf})), (Bits{quiet}));
  EXPECT_EQ(floats("pow", {2, 9}, {10, 0.5f}), (std::vector<float>{1024, 3}));
}

// A function of one operand takes whatever the fields of the other hold: here a
// type that it could not have, and an offset beyond SRAM.
TEST_F(Functions, OneOperandLeavesTheOtherAlone) {
  for (CommandCode code :
       {CommandCode::VectorFloat, CommandCode::VectorInteger}) {
    bool isFloat = code == CommandCode::VectorFloat;
    ElementType type = isFloat ? ElementType::F32 : ElementType::I32;
    Command command = rowCommand(machine, code, "neg", type, type, 2);
    setField(command, "b.type",
             int64_t(isFloat ? ElementType::I8 : ElementType::F32));
    setField(command, "b.offset", machine.sram.bytes);
    if (isFloat)
      bench.put(isa::kSram, kA, std::vector<float>{1.5F, -2});
    else
      bench.put(isa::kSram, kA, std::vector<int32_t>{3, -4});
    run(command, machine, bench);
    if (isFloat)
      EXPECT_EQ(bench.get<float>(isa::kSram, kOut, 2),
                (std::vector<float>{-1.5F, 2}));
    else
      EXPECT_EQ(bench.get<int32_t>(isa::kSram, kOut, 2),
                (std::vector<int32_t>{-3, 4}));
  }
}

TEST_F(Functions, FloatComparisonsGiveBytes) {
  bench.put<float>(isa::kSram, kA, {1, 2, NAN, 3});
  bench.put<float>(isa::kSram, kB, {1, 3, NAN, 2});
  for (const auto &[name, expected] :
       {std::pair("eq", std::vector<uint8_t>{1, 0, 0, 0}),
        std::pair("lt", std::vector<uint8_t>{0, 1, 0, 0}),
        std::pair("le", std::vector<uint8_t>{1, 1, 0, 0})}) {
    run(rowCommand(machine, CommandCode::VectorFloat, name, ElementType::F32,
                   ElementType::U8, 4),
        machine, bench);
    EXPECT_EQ(bench.get<uint8_t>(isa::kSram, kOut, 4), expected) << name;
  }
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static eval::Element elementOf(ElementType type) {
  constexpr eval::Element elements[] = {eval::Element::I8,  eval::Element::U8,
                                        eval::Element::I16, eval::Element::U16,
                                        eval::Element::I32, eval::Element::I64,
                                        eval::Element::F16, eval::Element::F32};
  return elements[size_t(type)];
}

static eval::Tensor tensorOf(ElementType type,
                             const std::vector<uint8_t> &bytes) {
  eval::Tensor tensor;
  tensor.element = elementOf(type);
  tensor.shape = {int64_t(bytes.size()) / machine::elementBytes(type)};
  tensor.allocate();
  std::memcpy(tensor.storage.get(), bytes.data(), bytes.size());
  return tensor;
}

/// Any bits, but of floats one in four with a small exponent.
static std::vector<uint8_t> randomBytes(std::mt19937_64 &random,
                                        ElementType type, size_t count) {
  std::vector<uint8_t> bytes(count * size_t(machine::elementBytes(type)));
  for (uint8_t &byte : bytes)
    byte = uint8_t(random());
  if (type == ElementType::F32)
    for (size_t i = 0; i < count; i += 4) {
      auto value = float(draw(random, -70000, 70000)) / 8;
      std::memcpy(&bytes[4 * i], &value, 4);
    }
  return bytes;
}

TEST_F(Functions, CastsAreTheEvaluators) {
  std::mt19937_64 random = seeded(3);
  for (ElementType from : machine::allElementTypes)
    for (ElementType to : machine::allElementTypes) {
      auto bytes = randomBytes(random, from, 400);
      eval::Tensor input = tensorOf(from, bytes);
      eval::Tensor expected = tensorOf(
          to, std::vector<uint8_t>(400 * size_t(machine::elementBytes(to))));
      eval::castElements(input, expected);
      bench.put(isa::kSram, kA, bytes);
      run(rowCommand(machine, CommandCode::VectorConvert, "cast", from, to,
                     400),
          machine, bench);
      auto found = tensorOf(
          to, bench.get<uint8_t>(isa::kSram, kOut,
                                 400 * size_t(machine::elementBytes(to))));
      bool isFloat = eval::isFloat(expected.element);
      for (int64_t i = 0; i < 400; ++i) {
        if (isFloat && std::isnan(eval::loadFloat(expected, i)))
          EXPECT_TRUE(std::isnan(eval::loadFloat(found, i)));
        else if (isFloat)
          ASSERT_EQ(eval::loadFloat(found, i), eval::loadFloat(expected, i));
        else
          ASSERT_EQ(eval::loadInt(found, i), eval::loadInt(expected, i))
              << machine::elementTypeName(from) << " to "
              << machine::elementTypeName(to) << " element " << i;
      }
    }
}

TEST_F(Functions, QuantizesAsTheEvaluator) {
  std::mt19937_64 random = seeded(4);
  float scale = 0.37f;
  std::vector<float> values{NAN, INFINITY, -INFINITY, 0.185f, -0.185f, 1e30f};
  for (int i = 0; i < 500; ++i)
    values.push_back(float(draw(random, -6000, 6000)) / 64);
  bench.put(isa::kSram, kA, values);
  Command command =
      rowCommand(machine, CommandCode::VectorConvert, "quantize",
                 ElementType::F32, ElementType::U8, int64_t(values.size()));
  setField(command, "zero", 12);
  setField(command, "scale", std::bit_cast<uint32_t>(scale));
  run(command, machine, bench);
  auto codes = bench.get<uint8_t>(isa::kSram, kOut, values.size());
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(codes[i], eval::quantizeFloat(values[i], scale, 12, 0, 255))
        << values[i];
}

//===----------------------------------------------------------------------===//
// Reductions of floats
//===----------------------------------------------------------------------===//

TEST_F(Functions, ReductionsOfFloatsAreTheEvaluators) {
  std::mt19937_64 random = seeded(5);
  std::vector<float> values(1000);
  for (float &value : values)
    value = float(draw(random, 900, 1100)) / (random() % 2 ? 1000 : -1000);
  eval::Tensor input;
  input.shape = {1000};
  input.allocate();
  std::ranges::copy(values, input.data<float>());
  bench.put(isa::kSram, kA, values);
  for (auto [name, kind] : {std::pair("sum", eval::Reduction::Sum),
                            std::pair("sum.square", eval::Reduction::SumSquare),
                            std::pair("sum.abs", eval::Reduction::L1),
                            std::pair("prod", eval::Reduction::Prod),
                            std::pair("min", eval::Reduction::Min),
                            std::pair("max", eval::Reduction::Max)}) {
    eval::Request request;
    request.inputs = {&input};
    request.results.resize(1);
    request.out().allocate();
    int64_t axes[] = {0};
    ASSERT_TRUE(eval::evaluateReduction(request, kind, axes));
    run(rowCommand(machine, CommandCode::VectorReduce, name, ElementType::F32,
                   ElementType::F32, 1000),
        machine, bench);
    EXPECT_EQ(bitsOf(bench.get<float>(isa::kSram, kOut, 1)),
              bitsOf({request.out().data<float>()[0]}))
        << name;
  }
}

TEST_F(Functions, PlacesOfExtremesTakeTheFirstAndNan) {
  for (const auto &[values, most, least] :
       {std::tuple(std::vector<float>{1, 5, 5, -2, -2}, 1, 3),
        std::tuple(std::vector<float>{1, NAN, 5, NAN, 0}, 1, 1)}) {
    bench.put(isa::kSram, kA, values);
    run(rowCommand(machine, CommandCode::VectorReduce, "argmax",
                   ElementType::F32, ElementType::I32, 5),
        machine, bench);
    EXPECT_EQ(bench.get<int32_t>(isa::kSram, kOut, 1)[0], most);
    run(rowCommand(machine, CommandCode::VectorReduce, "argmin",
                   ElementType::F32, ElementType::I32, 5),
        machine, bench);
    EXPECT_EQ(bench.get<int32_t>(isa::kSram, kOut, 1)[0], least);
  }
}

TEST_F(Functions, PoolsOfFloatsDivideByTheTapsInside) {
  // 1 x 3 windows over 1 2 4, one padded before and one behind: sums 3, 7, 6
  // over 2, 3, 2 taps.
  bench.put<float>(isa::kSram, kA, {1, 2, 4});
  Command command = rowCommand(machine, CommandCode::VectorPool, "average",
                               ElementType::F32, ElementType::F32, 1);
  for (auto [field, value] :
       {std::pair("size2", 3), std::pair("a.stride2", 4),
        std::pair("out.stride2", 4), std::pair("kernel.w", 3),
        std::pair("before.w", 1), std::pair("extent.w", 3)})
    setField(command, field, value);
  run(command, machine, bench);
  EXPECT_EQ(bench.get<float>(isa::kSram, kOut, 3),
            (std::vector<float>{1.5f, 7.0f / 3, 3}));
  setField(command, "function",
           isa::findFunction(CommandCode::VectorPool, "max")->number);
  run(command, machine, bench);
  EXPECT_EQ(bench.get<float>(isa::kSram, kOut, 3),
            (std::vector<float>{2, 4, 4}));
}
