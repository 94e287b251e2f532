//===- OperatorTest.cpp - hand-written programs against the evaluator -----===//
//
// The programs of test/, one for each engine and more, compute real quantized
// operators. Their parameters come from tally/quant, the expected codes from
// the evaluator, which shares no code with either. Every program also runs with
// its effects audited and under random times.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/asm/Assembler.h"
#include "tally/emit/isa/Parameters.h"
#include "tally/eval/Convolution.h"
#include "tally/eval/Elementwise.h"
#include "tally/eval/IntegerSoftmax.h"
#include "tally/eval/MatrixProduct.h"
#include "tally/quant/UnaryBlockBytes.h"
#include "tally/run/simulator/TestBench.h"
#include "tally/run/simulator/TestPrograms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

using namespace tally;
using namespace tally::simulator;

//===----------------------------------------------------------------------===//
// Programs and tensors
//===----------------------------------------------------------------------===//

namespace {
/// A program of test/ whose data is filled in.
class FromFile {
public:
  FromFile(const std::string &name, const std::string &machineName)
      : machine(shippedMachine(machineName)) {
    std::string path = std::string(TALLY_SOURCE_DIR) +
                       "/tally/run/simulator/test/" + name + ".s";
    std::ifstream stream(path);
    EXPECT_TRUE(stream) << path;
    std::string text(std::istreambuf_iterator<char>(stream), {});
    auto assembled = isa::assemble(text, machine, path);
    EXPECT_TRUE(assembled) << assembled.error().str();
    program = *assembled;
  }

  /// Puts bytes where the constants have room for just as many.
  template <class T>
  void fill(const std::string &symbol, const std::vector<T> &values) {
    for (const isa::Symbol &found : program.symbols)
      if (found.name == symbol && found.space == isa::kConstantsRegion) {
        ASSERT_EQ(found.bytes, int64_t(values.size() * sizeof(T))) << symbol;
        std::memcpy(program.constants.data() + found.offset, values.data(),
                    values.size() * sizeof(T));
        return;
      }
    FAIL() << symbol;
  }

  machine::Machine machine;
  isa::Program program;
};
} // namespace

/// Random codes of a grid.
static eval::Tensor randomCodes(std::mt19937_64 &random, eval::Shape shape,
                                const quant::Grid &grid) {
  eval::Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.element = grid.type.isSigned ? eval::Element::I8 : eval::Element::U8;
  tensor.quant =
      eval::Quantization{grid.type.min(),
                         grid.type.max(),
                         grid.scales,
                         {grid.zeroPoints.begin(), grid.zeroPoints.end()},
                         grid.axis};
  tensor.allocate();
  for (int64_t i = 0; i < tensor.count(); ++i)
    eval::storeInt(tensor, i, draw(random, grid.type.min(), grid.type.max()));
  return tensor;
}

/// As randomCodes, for a result that is to be computed.
static eval::Tensor resultOn(eval::Shape shape, const quant::Grid &grid) {
  std::mt19937_64 unused = seeded(0);
  return randomCodes(unused, std::move(shape), grid);
}

static std::vector<uint8_t> bytesOf(const eval::Tensor &tensor) {
  auto *data = reinterpret_cast<const uint8_t *>(tensor.storage.get());
  return {data, data + tensor.byteCount()};
}

/// [N, C, H, W] as [N, H, W, C], or back with the sizes the other way round.
static std::vector<uint8_t> channelsLast(const std::vector<uint8_t> &bytes,
                                         int64_t channels) {
  int64_t pixels = int64_t(bytes.size()) / channels;
  std::vector<uint8_t> moved(bytes.size());
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t p = 0; p < pixels; ++p)
      moved[size_t(p * channels + c)] = bytes[size_t(c * pixels + p)];
  return moved;
}

static RunOptions audited() {
  RunOptions options;
  options.audit = true;
  return options;
}

static std::vector<uint8_t> runAudited(Simulator &simulator, Caller &caller) {
  auto outcome = simulator.run(caller.bindings, audited());
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().str());
  if (!outcome)
    return {};
  EXPECT_FALSE(outcome->fault) << outcome->fault->diagnostic().str();
  return caller.bytes.at(kOut);
}

/// Runs plainly with an audit, and under random times.
static void expectSame(FromFile &file, const std::vector<uint8_t> &input,
                       const std::vector<uint8_t> &expected) {
  auto simulator = load(file.machine, file.program);
  ASSERT_TRUE(simulator);
  Caller caller(*simulator);
  std::ranges::copy(input, caller.bytes[kIn].begin());
  EXPECT_EQ(runAudited(*simulator, caller), expected);
  for (uint64_t seed = 0; seed < 30; ++seed) {
    RunOptions options;
    options.perturbation = seed;
    std::ranges::copy(file.program.context,
                      caller.bytes[isa::kContextRegion].begin());
    std::ranges::fill(caller.bytes[kOut], 0);
    auto outcome = simulator->run(caller.bindings, options);
    ASSERT_FALSE(outcome->fault) << outcome->fault->diagnostic().str();
    ASSERT_EQ(caller.bytes[kOut], expected) << "seed " << seed;
  }
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// One record for each scale of the weights.
static isa::RequantizeBlock requantization(const quant::Grid &input,
                                           const quant::Grid &weights,
                                           const quant::Grid &result,
                                           int64_t largestSum) {
  std::vector<quant::RequantizeRecord> records;
  for (float scale : weights.scales) {
    quant::RequantizeProblem problem;
    problem.inputScale = input.scale();
    problem.weightScale = scale;
    problem.outputScale = result.scale();
    problem.accumulatorLo = -largestSum;
    problem.accumulatorHi = largestSum;
    problem.result = result.type;
    problem.zeroPoint = result.zeroPoint();
    problem.multiplierBits = 31;
    problem.canPatch = false;
    auto record = quant::deriveRequantize(problem);
    EXPECT_TRUE(record);
    EXPECT_NE(record->certificate, quant::Certificate::Deviates);
    records.push_back(*record);
  }
  auto block = isa::RequantizeBlock::from(records);
  EXPECT_TRUE(block) << block.error().message;
  return *block;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// conv.s with its data, and what it should give.
class ConvSigmoid {
public:
  ConvSigmoid() : file("conv", "edge") {
    weightGrid.type = quant::i8;
    weightGrid.axis = 0;
    for (int i = 0; i < 32; ++i)
      weightGrid.scales.push_back(0.003f + 0.0001f * float(i));
    weightGrid.zeroPoints = {0};
    weights = randomCodes(random, {32, 16, 3, 3}, weightGrid);
    auto table = quant::Table256Block::derive({quant::UnaryKind::Sigmoid},
                                              innerGrid, outputGrid);
    EXPECT_TRUE(table);
    isa::EpilogueBlock stages;
    stages.stages = {
        requantization(inputGrid, weightGrid, innerGrid, 144 * 255 * 128),
        quant::UnaryBlock(*table)};
    file.fill("stages", isa::encodeParameters(stages));
    file.fill("weights", termsByColumns());
  }

  std::vector<uint8_t> expected(const eval::Tensor &input) const {
    eval::Request conv;
    conv.inputs = {&input, &weights};
    conv.results = {resultOn({1, 32, 8, 8}, innerGrid)};
    eval::WindowGeometry geometry{{8, 8}, {8, 8},       {3, 3},
                                  {1, 1}, {1, 1, 1, 1}, {1, 1}};
    EXPECT_TRUE(eval::evaluateConvolution(conv, geometry, 1));
    eval::Request sigmoid;
    sigmoid.inputs = {&conv.out()};
    sigmoid.results = {resultOn({1, 32, 8, 8}, outputGrid)};
    eval::UnaryMeaning meaning;
    meaning.real = eval::sigmoidFunction();
    EXPECT_TRUE(eval::evaluateUnary(sigmoid, meaning));
    return channelsLast(bytesOf(sigmoid.out()), 32);
  }

  std::mt19937_64 random = seeded(11);
  FromFile file;
  quant::Grid inputGrid = quant::Grid::perTensor(quant::i8, 0.02f, -5);
  quant::Grid innerGrid = quant::Grid::perTensor(quant::i8, 0.11f, 4);
  quant::Grid outputGrid = quant::Grid::perTensor(quant::u8, 1.0f / 256, 0);
  quant::Grid weightGrid;
  eval::Tensor weights;

private:
  /// [M, C, 3, 3] as [(tap, C)][M].
  std::vector<int8_t> termsByColumns() const {
    std::vector<int8_t> moved(4608);
    for (int64_t m = 0; m < 32; ++m)
      for (int64_t c = 0; c < 16; ++c)
        for (int64_t tap = 0; tap < 9; ++tap)
          moved[size_t((tap * 16 + c) * 32 + m)] =
              weights.data<int8_t>()[(m * 16 + c) * 9 + tap];
    return moved;
  }
};
} // namespace

TEST(Operators, ConvWithFusedSigmoid) {
  ConvSigmoid conv;
  eval::Tensor input = randomCodes(conv.random, {1, 16, 8, 8}, conv.inputGrid);
  expectSame(conv.file, channelsLast(bytesOf(input), 16), conv.expected(input));
}

/// The rows of [C, 8, 8] in the order first, first + 1, ... of a ring.
static eval::Tensor fromRow(const eval::Tensor &input, int64_t first) {
  eval::Tensor turned = input;
  turned.allocate();
  for (int64_t c = 0; c < 16; ++c)
    for (int64_t y = 0; y < 8; ++y)
      for (int64_t x = 0; x < 8; ++x)
        eval::storeInt(turned, (c * 8 + y) * 8 + x,
                       eval::loadInt(input, (c * 8 + (first + y) % 8) * 8 + x));
  return turned;
}

/// Two streams, each with its cursor and its caller's buffers, in turns.
TEST(Operators, OneProgramServesTwoContexts) {
  ConvSigmoid conv;
  auto simulator = load(conv.file.machine, conv.file.program);
  Caller first(*simulator), second(*simulator);
  second.bytes[isa::kContextRegion][0] = 5;
  Caller *streams[] = {&first, &second, &second, &first, &second};
  int32_t cursors[] = {0, 5, 6, 1, 7};
  for (int i = 0; i < 5; ++i) {
    eval::Tensor input =
        randomCodes(conv.random, {1, 16, 8, 8}, conv.inputGrid);
    Caller &stream = *streams[i];
    std::ranges::copy(channelsLast(bytesOf(input), 16),
                      stream.bytes[kIn].begin());
    EXPECT_EQ(stream.get<int32_t>(isa::kContextRegion)[0], cursors[i]);
    EXPECT_EQ(runAudited(*simulator, stream),
              conv.expected(fromRow(input, cursors[i])))
        << "call " << i;
  }
  EXPECT_EQ(first.get<int32_t>(isa::kContextRegion)[0], 2);
  EXPECT_EQ(second.get<int32_t>(isa::kContextRegion)[0], 0);
}

//===----------------------------------------------------------------------===//
// Matrix product
//===----------------------------------------------------------------------===//

TEST(Operators, MatMul) {
  std::mt19937_64 random = seeded(12);
  FromFile file("matmul", "tiny");
  auto inputGrid = quant::Grid::perTensor(quant::u8, 0.013f, 131);
  auto weightGrid = quant::Grid::perTensor(quant::i8, 0.021f, 2);
  auto resultGrid = quant::Grid::perTensor(quant::i8, 0.17f, -9);
  eval::Tensor input = randomCodes(random, {6, 40}, inputGrid);
  eval::Tensor weights = randomCodes(random, {40, 12}, weightGrid);
  file.fill("weights", bytesOf(weights));
  isa::EpilogueBlock stages;
  stages.stages = {
      requantization(inputGrid, weightGrid, resultGrid, 40 * 131 * 130)};
  file.fill("stages", isa::encodeParameters(stages));
  eval::Request request;
  request.inputs = {&input, &weights};
  request.results = {resultOn({6, 12}, resultGrid)};
  ASSERT_TRUE(eval::evaluateMatMul(request, {}));
  expectSame(file, bytesOf(input), bytesOf(request.out()));
}

//===----------------------------------------------------------------------===//
// Unary operators
//===----------------------------------------------------------------------===//

/// All 256 codes in order.
static eval::Tensor allCodes(const quant::Grid &grid) {
  eval::Tensor tensor = resultOn({256}, grid);
  for (int64_t i = 0; i < 256; ++i)
    eval::storeInt(tensor, i, grid.type.min() + i);
  return tensor;
}

static std::vector<uint8_t>
unary(const eval::Tensor &input, const quant::Grid &result,
      const std::function<mpq_class(const mpq_class &)> &function) {
  eval::Request request;
  request.inputs = {&input};
  request.results = {resultOn({256}, result)};
  eval::UnaryMeaning meaning;
  meaning.real.rational = function;
  EXPECT_TRUE(eval::evaluateUnary(request, meaning));
  return bytesOf(request.out());
}

TEST(Operators, Abs) {
  FromFile file("abs", "edge");
  auto inputGrid = quant::Grid::perTensor(quant::i8, 0.031f, 7);
  auto resultGrid = quant::Grid::perTensor(quant::i8, 0.017f, -100);
  auto block = quant::TwoSlopeBlock::derive(
      quant::UnaryFunction{quant::UnaryKind::Abs}, inputGrid, resultGrid);
  ASSERT_TRUE(block);
  file.fill("block", quant::encodeBlock(*block));
  eval::Tensor input = allCodes(inputGrid);
  expectSame(file, bytesOf(input),
             unary(input, resultGrid,
                   [](const mpq_class &x) -> mpq_class { return abs(x); }));
}

TEST(Operators, Sign) {
  FromFile file("sign", "edge");
  auto inputGrid = quant::Grid::perTensor(quant::i8, 0.5f, -3);
  auto resultGrid = quant::Grid::perTensor(quant::i8, 0.03f, 11);
  auto block = quant::ThreeStepBlock::derive({quant::UnaryKind::Sign},
                                             inputGrid, resultGrid);
  ASSERT_TRUE(block);
  file.fill("block", quant::encodeBlock(*block));
  eval::Tensor input = allCodes(inputGrid);
  expectSame(file, bytesOf(input),
             unary(input, resultGrid,
                   [](const mpq_class &x) -> mpq_class { return sgn(x); }));
}

TEST(Operators, Softmax) {
  std::mt19937_64 random = seeded(13);
  FromFile file("softmax", "edge");
  auto inputGrid = quant::Grid::perTensor(quant::i8, 0.043f, 20);
  auto resultGrid = quant::Grid::perTensor(quant::u8, 1.0f / 256, 0);
  auto block = isa::SoftmaxBlock::derive(inputGrid.scale(), resultGrid.scale(),
                                         quant::u8, 0);
  ASSERT_TRUE(block);
  file.fill("block", isa::encodeParameters(*block));
  eval::Tensor input = randomCodes(random, {5, 33}, inputGrid);
  eval::Request request;
  request.inputs = {&input};
  request.results = {resultOn({5, 33}, resultGrid)};
  ASSERT_TRUE(eval::evaluateIntegerSoftmax(request, 1));
  expectSame(file, bytesOf(input), bytesOf(request.out()));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

TEST(Operators, TransposeAndPadByOneDma) {
  std::mt19937_64 random = seeded(14);
  FromFile file("pad", "edge");
  eval::Tensor input =
      randomCodes(random, {5, 7}, quant::Grid::perTensor(quant::i8, 1.0f, -5));
  std::vector<uint8_t> expected(54, uint8_t(-5));
  for (size_t i = 0; i < 5; ++i)
    for (size_t j = 0; j < 7; ++j)
      expected[(j + 2) * 6 + i] = bytesOf(input)[i * 7 + j];
  expectSame(file, bytesOf(input), expected);
}
