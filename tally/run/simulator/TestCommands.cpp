//===- TestCommands.cpp - random commands ---------------------------------===//
//
// Every operand has a window of 64 KiB of SRAM of its own, or a region, and any
// nested layout in it: dimensions in any order, with gaps, backwards. What the
// rules of commands still refuse is drawn again.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Parameters.h"
#include "tally/quant/UnaryBlockBytes.h"
#include "tally/run/simulator/TestBench.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tally;
using namespace tally::simulator;
using isa::Command;
using isa::CommandCode;
using machine::ElementType;

static constexpr int64_t kWindow = 65536;

namespace {
/// Draws the fields of one command.
class Drawing {
public:
  Drawing(std::mt19937_64 &random, Command &command, Bench &bench)
      : random(random), command(command), bench(bench) {}

  void dma();
  void matrix();
  void vector();

private:
  int64_t up(int64_t high) { return draw(random, 0, high); }
  bool coin() { return random() % 2; }
  template <class T> T oneOf(std::initializer_list<T> choices) {
    return choices.begin()[random() % choices.size()];
  }
  void set(const std::string &field, int64_t value) {
    setField(command, field, value);
  }
  void sizes();
  void box(const std::string &prefix, int64_t window, int64_t bytes,
           bool mayRepeat);
  void pixels(const std::string &prefix, int64_t window, int64_t bytes,
              int64_t channels, int64_t rows, int64_t width);
  void window();
  void params(const std::vector<uint8_t> &bytes);
  void tensor(const std::string &prefix, int64_t window, ElementType type,
              bool isResult);
  void types(ElementType a, ElementType b, ElementType out);
  std::vector<uint8_t> vectorParams(int64_t channels);
  isa::RequantizeBlock requantization(size_t records);
  isa::EpilogueBlock epilogue(int64_t channels, bool residual, bool second);
  void function();

  std::mt19937_64 &random;
  Command &command;
  Bench &bench;
  std::array<int64_t, 4> size{};
};
} // namespace

void Drawing::sizes() {
  for (size_t d = 0; d < 4; ++d) {
    size[d] = draw(random, 1, 4);
    set("size" + std::to_string(d), size[d]);
  }
}

/// Strides of a nested layout in a window of SRAM.
void Drawing::box(const std::string &prefix, int64_t window, int64_t bytes,
                  bool mayRepeat) {
  std::array<size_t, 4> order{3, 2, 1, 0};
  if (coin())
    std::ranges::shuffle(order, random);
  int64_t stride = bytes, offset = window * kWindow + bytes * up(3);
  for (size_t d : order) {
    bool repeats = mayRepeat && random() % 6 == 0;
    int64_t step = repeats ? 0 : stride;
    if (!repeats && random() % 4 == 0) {
      step = -stride;
      offset += stride * (size[d] - 1);
    }
    set(prefix + ".stride" + std::to_string(d), step);
    if (!repeats)
      stride *= size[d] + (random() % 4 == 0);
  }
  set(prefix + ".offset", offset);
}

void Drawing::dma() {
  sizes();
  int64_t element = oneOf<int64_t>({1, 2, 4, 8});
  set("element", element);
  box("src", coin() ? 0 : 1, element, true);
  box("dst", 4, element, false);
  for (size_t d = 0; d < 4; ++d) {
    set("before" + std::to_string(d), draw(random, -1, 2));
    set("extent" + std::to_string(d), coin() ? 16777215 : draw(random, 1, 4));
  }
  set("fill", draw(random, -1000, 1000));
  int64_t side = up(2), dim = up(3), length = draw(random, 1, 6);
  set("wrap.side", side);
  set("wrap.dim", dim);
  set("wrap.length", length);
  set("wrap.start", up(length - 1));
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

void Drawing::params(const std::vector<uint8_t> &bytes) {
  int64_t offset = 8 * up(16);
  bench.put(isa::kConstantsRegion, offset, bytes);
  set("params.space", isa::kConstantsRegion);
  set("params.offset", offset);
  set("params.bytes", int64_t(bytes.size()));
}

isa::RequantizeBlock Drawing::requantization(size_t records) {
  isa::RequantizeBlock block;
  block.zero = int32_t(draw(random, -20, 20));
  block.lo = int32_t(draw(random, -128, 0));
  block.hi = int32_t(draw(random, 1, 127));
  for (size_t i = 0; i < records; ++i) {
    int64_t shift = draw(random, 0, 40);
    block.records.push_back({draw(random, -100000, 100000),
                             draw(random, -(1 << 20), 1 << 20),
                             coin() ? -1 : draw(random, 0, 1000), shift});
  }
  return block;
}

isa::EpilogueBlock Drawing::epilogue(int64_t channels, bool residual,
                                     bool second) {
  isa::EpilogueBlock block;
  if (coin()) {
    isa::BiasStage bias;
    for (int64_t i = 0; i < channels; ++i)
      bias.bias.push_back(int32_t(draw(random, -5000, 5000)));
    block.stages.emplace_back(bias);
  }
  block.stages.emplace_back(requantization(coin() ? 1 : size_t(channels)));
  if (second)
    block.stages.emplace_back(isa::SecondStage{});
  if (coin()) {
    quant::Table256Block table{quant::i8, quant::i8, std::vector<uint8_t>(256)};
    for (uint8_t &entry : table.entries)
      entry = uint8_t(random());
    block.stages.emplace_back(quant::UnaryBlock(table));
  }
  if (residual) {
    if (coin())
      block.stages.emplace_back(isa::LinearBlock{draw(random, -900, 900),
                                                 draw(random, -900, 900), 77, 3,
                                                 10, 1, -128, 127});
    else
      block.stages.emplace_back(isa::ProductBlock{int32_t(draw(random, -9, 9)),
                                                  int32_t(draw(random, -9, 9)),
                                                  requantization(1)});
  }
  block.stages.emplace_back(isa::ClampStage{-100, 120});
  return block;
}

std::vector<uint8_t> Drawing::vectorParams(int64_t channels) {
  switch (command.code) {
  case CommandCode::VectorBlock: {
    quant::TwoSlopeBlock block;
    block.lo = -128;
    block.hi = 127;
    for (int64_t i = 0; i < channels; ++i)
      block.channels.push_back(
          {{draw(random, -50, 50), -1, int32_t(draw(random, -90, 90)), 6},
           {draw(random, -50, 50), 2, int32_t(draw(random, -90, 90)), 5}});
    return quant::encodeBlock(quant::UnaryBlock(block));
  }
  case CommandCode::VectorLinear:
    return isa::encodeParameters(isa::LinearBlock{draw(random, -900, 900),
                                                  draw(random, -900, 900), 5,
                                                  -1, 9, -3, -99, 99});
  case CommandCode::VectorProduct:
    return isa::encodeParameters(
        isa::ProductBlock{4, -5, requantization(size_t(channels))});
  case CommandCode::VectorSoftmax: {
    auto block = isa::SoftmaxBlock::derive(0.03f, 1.0f / 256, quant::u8, 0);
    EXPECT_TRUE(block);
    return isa::encodeParameters(*block);
  }
  case CommandCode::VectorPool: // a record for each number of taps
    return isa::encodeParameters(requantization(9));
  default:
    return isa::encodeParameters(requantization(size_t(channels)));
  }
}

//===----------------------------------------------------------------------===//
// Matrix
//===----------------------------------------------------------------------===//

void Drawing::window() {
  for (const char *axis : {"h", "w"}) {
    std::string end = std::string(".") + axis;
    set("kernel" + end, draw(random, 1, 3));
    set("step" + end, draw(random, 1, 2));
    set("dilation" + end, draw(random, 1, 2));
    set("before" + end, draw(random, -1, 2));
    set("extent" + end, draw(random, 1, 7));
  }
}

/// Pixels of a group, row and place in a row with gaps between them.
void Drawing::pixels(const std::string &prefix, int64_t window, int64_t bytes,
                     int64_t channels, int64_t rows, int64_t width) {
  int64_t pixel = bytes * (channels + up(1));
  int64_t row = pixel * width + bytes * up(1);
  set(prefix + ".stride.w", pixel);
  set(prefix + ".stride.h", row);
  set(prefix + ".stride.g", row * rows + bytes * up(3));
  set(prefix + ".offset", window * kWindow + bytes * up(3));
}

void Drawing::matrix() {
  window();
  bool isDepthwise = random() % 3 == 0, residual = coin(), second = coin();
  // More columns than the array has, now and then; more taps than its
  // depthwise mode has.
  int64_t columns =
      random() % 8 == 0 ? draw(random, 65, 80) : draw(random, 1, 9);
  int64_t groups = draw(random, 1, 3), rows = draw(random, 1, 4),
          width = draw(random, 1, columns > 64 ? 3 : 40),
          channels = isDepthwise ? 1 : draw(random, 1, 9);
  set("kernel.h", draw(random, 1, 4));
  set("groups", groups);
  set("out.h", rows);
  set("out.w", width);
  set("columns", columns);
  set("channels", channels);
  set("depthwise", isDepthwise);
  set("accumulate", coin());
  set("emit", coin());
  set("residual", residual);
  set("second", second);
  pixels("in", 0, 1, isDepthwise ? columns : channels, 7, 7);
  set("in.type", up(1));
  set("in.zero", draw(random, -128, 255));
  set("weights.offset", kWindow + up(3));
  set("weights.stride.k", columns + up(1));
  set("weights.stride.g", 2048);
  set("weights.type", up(1));
  set("weights.zero", draw(random, -3, 3));
  pixels("acc", 0, 4, columns, rows, width);
  pixels("out", 2, 1, columns, rows, width);
  pixels("out2", 3, 2, columns, rows, width);
  set("out2.type", int64_t(ElementType::I16));
  pixels("res", 4, 1, columns, rows, width);
  params(isa::encodeParameters(epilogue(groups * columns, residual, second)));
}

//===----------------------------------------------------------------------===//
// Vector
//===----------------------------------------------------------------------===//

void Drawing::tensor(const std::string &prefix, int64_t window,
                     ElementType type, bool isResult) {
  set(prefix + ".type", int64_t(type));
  box(prefix, window, machine::elementBytes(type), !isResult);
}

void Drawing::types(ElementType a, ElementType b, ElementType out) {
  tensor("a", 0, a, false);
  tensor("b", 1, b, false);
  tensor("c", 2, b, false);
  tensor("out", 3, out, true);
}

void Drawing::function() {
  std::vector<isa::FunctionInfo> choices;
  for (const isa::FunctionInfo &info : isa::allFunctions())
    if (info.command == command.code)
      choices.push_back(info);
  if (!choices.empty())
    set("function", choices[random() % choices.size()].number);
}

void Drawing::vector() {
  using enum ElementType;
  sizes();
  function();
  window();
  int64_t dim = up(3);
  set("channel", dim);
  set("axes", up(15));
  set("zero", draw(random, -9, 9));
  ElementType any = oneOf({I8, U8, I16, U16, I32, I64, F16, F32});
  ElementType integer = oneOf({I8, U8, I16, U16, I32, I64});
  ElementType code = oneOf({I8, U8, I16});
  switch (command.code) {
  case CommandCode::VectorCopy:
    types(any, any, any);
    break;
  case CommandCode::VectorSelect:
    types(U8, any, any);
    break;
  case CommandCode::VectorInteger:
    types(integer, integer, coin() ? integer : U8);
    break;
  case CommandCode::VectorFloat:
    types(F32, F32, coin() ? F32 : U8);
    break;
  case CommandCode::VectorConvert:
    types(any, any, oneOf({I8, U8, I16, U16, I32, I64, F16, F32}));
    break;
  case CommandCode::VectorReduce:
  case CommandCode::VectorPool:
    types(coin() ? F32 : code, code, oneOf({I8, I32, I64, F32}));
    break;
  case CommandCode::VectorBlock:
    types(I8, I8, I8);
    break;
  case CommandCode::VectorSoftmax:
    types(coin() ? I8 : U8, I8, U8);
    break;
  default:
    types(code, coin() ? I8 : code, I8);
  }
  params(vectorParams(coin() ? 1 : size[size_t(dim)]));
}

static void drawFields(std::mt19937_64 &random, Command &command,
                       Bench &bench) {
  Drawing drawing(random, command, bench);
  switch (command.info().kind) {
  case machine::EngineKind::Dma:
    return drawing.dma();
  case machine::EngineKind::Matrix:
    return drawing.matrix();
  case machine::EngineKind::Vector:
    return drawing.vector();
  }
}

Command tally::simulator::randomCommand(std::mt19937_64 &random,
                                        CommandCode code,
                                        const machine::Machine &machine,
                                        Bench &bench) {
  for (int attempt = 0; attempt < 2000; ++attempt) {
    Command command = makeCommand(machine, code);
    drawFields(random, command, bench);
    if (isa::checkCommand(command, machine))
      return command;
  }
  ADD_FAILURE() << "no command of code " << int(code) << " passes its rules";
  return makeCommand(machine, code);
}
