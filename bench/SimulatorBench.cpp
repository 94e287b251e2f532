//===- SimulatorBench.cpp - how fast programs are simulated ---------------===//
//
// The convolutions of a MobileNetV2 on 224 x 224 pixels, 0.3 G multiply-adds,
// as a program for `edge`: each layer in tiles of whole rows, input tiles
// loaded, multiplied and stored by three engines over rings of two buffers. One
// core.
//
//   Functional  commands do their work, in no time
//   Full        and take their time: what is more than Functional is the price
//   Timing      time without work
//
//===----------------------------------------------------------------------===//

#include "tally/emit/encode/Build.h"
#include "tally/emit/encode/Encode.h"
#include "tally/emit/isa/Parameters.h"
#include "tally/machine/MachineFile.h"
#include "tally/run/simulator/Simulator.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

using namespace tally;
using namespace tally::simulator;
namespace build = isa::build;
using isa::DmaField;
using isa::MatrixField;

namespace {
struct Layer {
  int64_t size;    ///< rows and columns of the input
  int64_t inputs;  ///< channels
  int64_t outputs; ///< channels
  int64_t kernel, step;
  bool isDepthwise;
  int64_t outSize() const { return size / step; }
};

/// Writes the program layer by layer.
class Network {
public:
  explicit Network(const machine::Machine &machine) : machine(machine) {}

  isa::Program mobileNet();

private:
  static constexpr int64_t kPixels =
      512; // what accumulators hold of 64 columns
  static constexpr int64_t kInput = 420 << 10, kOutput = 700 << 10;
  static constexpr int64_t kHalf = 140 << 10; // of a ring of two

  void emit(const isa::Instruction &instruction) {
    program.text.push_back(*isa::encode(instruction));
  }
  void set(int64_t queue, build::FieldNumber field, int64_t value);
  void loadWeights(const Layer &layer, int64_t first, int64_t columns);
  int64_t parameters(const Layer &layer);
  void configure(const Layer &layer, int64_t first, int64_t columns,
                 int64_t params);
  void tile(const Layer &layer, int64_t row, int64_t rows, int64_t first,
            int64_t columns);
  void loadRows(const Layer &layer, int64_t begin, int64_t end);
  void storeRows(const Layer &layer, int64_t row, int64_t rows, int64_t first,
                 int64_t columns);
  void layer(const Layer &layer);

  const machine::Machine &machine;
  isa::Program program;
  const int64_t load = *machine.findQueue("load0"),
                store = *machine.findQueue("store"),
                matrix = *machine.findQueue("matrix");
  int64_t from = 0, to = 2 << 20; ///< activations in the arena
  int64_t tiles = 0;
};
} // namespace

void Network::set(int64_t queue, build::FieldNumber field, int64_t value) {
  if (value >= -8192 && value < 8192)
    return emit(build::CfgI(queue, field, value));
  int64_t low = int64_t(int32_t(uint32_t(value) << 20) >> 20);
  emit(build::Lui(5, (value - low) >> 12 & 0xfffff));
  emit(build::Addi(5, 5, low));
  emit(build::CfgR(queue, field, 5));
}

int64_t Network::parameters(const Layer &layer) {
  isa::RequantizeBlock block{3, -128, 127, {}};
  for (int64_t i = 0; i < layer.outputs; ++i)
    block.records.push_back({1000000007 + i, int64_t(1) << 39, -1, 40});
  std::vector<uint8_t> bytes = isa::encodeParameters(
      isa::EpilogueBlock{{block, isa::ClampStage{-100, 100}}});
  auto offset = int64_t(program.constants.size());
  program.constants.insert(program.constants.end(), bytes.begin(), bytes.end());
  set(matrix, MatrixField::ParamsBytes, int64_t(bytes.size()));
  return offset;
}

void Network::loadWeights(const Layer &layer, int64_t first, int64_t columns) {
  int64_t terms =
      layer.kernel * layer.kernel * (layer.isDepthwise ? 1 : layer.inputs);
  auto offset = int64_t(program.constants.size());
  for (int64_t i = 0; i < terms * columns; ++i)
    program.constants.push_back(uint8_t(i * 7 + first));
  program.constants.resize((program.constants.size() + 63) / 64 * 64);
  set(load, DmaField::SrcSpace, isa::kConstantsRegion);
  set(load, DmaField::SrcOffset, offset);
  set(load, DmaField::DstOffset, 0);
  set(load, DmaField::Size2, 1);
  set(load, DmaField::Size3, terms * columns);
  emit(build::Go(load, isa::CommandCode::DmaCopy));
  emit(build::Signal(load, 0));
}

void Network::configure(const Layer &layer, int64_t first, int64_t columns,
                        int64_t params) {
  int64_t channels = layer.isDepthwise ? 1 : layer.inputs;
  int64_t row = layer.size * layer.inputs, outRow = layer.outSize() * columns;
  for (auto [field, value] : {
           std::pair(MatrixField::OutW, layer.outSize()),
           std::pair(MatrixField::Columns, columns),
           std::pair(MatrixField::Channels, channels),
           std::pair(MatrixField::KernelH, layer.kernel),
           std::pair(MatrixField::KernelW, layer.kernel),
           std::pair(MatrixField::StepH, layer.step),
           std::pair(MatrixField::StepW, layer.step),
           std::pair(MatrixField::BeforeW, layer.kernel / 2),
           std::pair(MatrixField::ExtentW, layer.size),
           std::pair(MatrixField::Depthwise, int64_t(layer.isDepthwise)),
           std::pair(MatrixField::Emit, int64_t(1)),
           std::pair(MatrixField::InStrideH, row),
           std::pair(MatrixField::InStrideW, layer.inputs),
           std::pair(MatrixField::InZero, int64_t(3)),
           std::pair(MatrixField::WeightsStrideK, columns),
           std::pair(MatrixField::OutStrideH, outRow),
           std::pair(MatrixField::OutStrideW, columns),
           std::pair(MatrixField::AccStrideH, 4 * layer.outSize() * 64),
           std::pair(MatrixField::AccStrideW, int64_t(4 * 64)),
           std::pair(MatrixField::ParamsSpace, isa::kConstantsRegion),
           std::pair(MatrixField::ParamsOffset, params),
       })
    set(matrix, field, value);
}

void Network::loadRows(const Layer &layer, int64_t begin, int64_t end) {
  int64_t row = layer.size * layer.inputs;
  set(load, DmaField::SrcSpace, isa::kArenaRegion);
  set(load, DmaField::SrcOffset, from + begin * row);
  set(load, DmaField::DstOffset, kInput + tiles % 2 * kHalf);
  set(load, DmaField::Size3, (end - begin) * row);
  // Two tiles before, this buffer was read.
  emit(build::WaitRel(load, 1, 1));
  emit(build::Go(load, isa::CommandCode::DmaCopy));
  emit(build::Signal(load, 0));
}

void Network::storeRows(const Layer &layer, int64_t row, int64_t rows,
                        int64_t first, int64_t columns) {
  int64_t outRow = layer.outSize() * layer.outputs;
  set(store, DmaField::Size2, rows * layer.outSize());
  set(store, DmaField::Size3, columns);
  set(store, DmaField::SrcStride2, columns);
  set(store, DmaField::DstStride2, layer.outputs);
  set(store, DmaField::DstSpace, isa::kArenaRegion);
  set(store, DmaField::SrcOffset, kOutput + tiles % 2 * kHalf);
  set(store, DmaField::DstOffset, to + row * outRow + first);
  emit(build::WaitRel(store, 1, 0));
  emit(build::Go(store, isa::CommandCode::DmaCopy));
  emit(build::Signal(store, 2));
}

void Network::tile(const Layer &layer, int64_t row, int64_t rows, int64_t first,
                   int64_t columns) {
  int64_t half = layer.kernel / 2;
  int64_t begin = std::max<int64_t>(row * layer.step - half, 0);
  int64_t end =
      std::min(layer.size, (row + rows - 1) * layer.step - half + layer.kernel);
  loadRows(layer, begin, end);
  set(matrix, MatrixField::OutH, rows);
  set(matrix, MatrixField::BeforeH, begin - (row * layer.step - half));
  set(matrix, MatrixField::ExtentH, end - begin);
  set(matrix, MatrixField::InOffset, kInput + tiles % 2 * kHalf);
  set(matrix, MatrixField::OutOffset, kOutput + tiles % 2 * kHalf);
  emit(build::WaitRel(matrix, 0, 0));
  emit(build::WaitRel(matrix, 2, 1));
  emit(build::Go(matrix, isa::CommandCode::MatrixConv));
  emit(build::Signal(matrix, 1));
  storeRows(layer, row, rows, first, columns);
  ++tiles;
}

void Network::layer(const Layer &layer) {
  int64_t params = parameters(layer);
  int64_t terms =
      layer.kernel * layer.kernel * (layer.isDepthwise ? 1 : layer.inputs);
  int64_t columns = layer.outputs;
  while (terms * columns > kInput)
    columns /= 2;
  int64_t rows =
      std::clamp<int64_t>(kPixels / layer.outSize(), 1, layer.outSize());
  while (((rows - 1) * layer.step + layer.kernel) * layer.size * layer.inputs >
             kHalf ||
         rows * layer.outSize() * columns > kHalf)
    --rows;
  for (int64_t first = 0; first < layer.outputs; first += columns) {
    loadWeights(layer, first, columns);
    configure(layer, first, columns, params);
    for (int64_t row = 0; row < layer.outSize(); row += rows)
      tile(layer, row, std::min(rows, layer.outSize() - row), first, columns);
    emit(build::Fence());
  }
  std::swap(from, to);
}

isa::Program Network::mobileNet() {
  struct Block {
    int64_t expansion, channels, count, step;
  };
  program.arenaBytes = 4 << 20;
  program.buffers = {{"image", isa::BufferUse::Input, 224 * 224 * 3}};
  for (int64_t queue : {load, store}) {
    set(queue, DmaField::SrcStride3, 1);
    set(queue, DmaField::DstStride3, 1);
  }
  // The image, by way of SRAM.
  set(load, DmaField::Size3, 224 * 224 * 3);
  set(load, DmaField::SrcSpace, isa::kFirstCallerRegion);
  emit(build::Go(load, isa::CommandCode::DmaCopy));
  emit(build::Fence());
  set(store, DmaField::Size3, 224 * 224 * 3);
  set(store, DmaField::DstSpace, isa::kArenaRegion);
  emit(build::Go(store, isa::CommandCode::DmaCopy));
  emit(build::Fence());
  layer({224, 3, 32, 3, 2, false});
  int64_t size = 112, channels = 32;
  for (Block block :
       {Block{1, 16, 1, 1}, Block{6, 24, 2, 2}, Block{6, 32, 3, 2},
        Block{6, 64, 4, 2}, Block{6, 96, 3, 1}, Block{6, 160, 3, 2},
        Block{6, 320, 1, 1}})
    for (int64_t i = 0; i < block.count; ++i) {
      int64_t inner = channels * block.expansion, step = i ? 1 : block.step;
      if (block.expansion > 1)
        layer({size, channels, inner, 1, 1, false});
      layer({size, inner, inner, 3, step, true});
      size /= step;
      layer({size, inner, block.channels, 1, 1, false});
      channels = block.channels;
    }
  layer({7, 320, 1280, 1, 1, false});
  for (int64_t reg : {0, 1, 2})
    emit(build::Reset(reg));
  emit(build::Ecall());
  program.requirements = isa::requirementsOf(program.text, machine);
  return program;
}

static machine::Machine edge() {
  auto machine = machine::readMachine(std::string(TALLY_SOURCE_DIR) +
                                      "/machines/edge.yaml");
  if (!machine) {
    std::cerr << machine.error().str() << "\n";
    std::exit(1);
  }
  return *machine;
}

static void simulate(benchmark::State &state, Mode mode) {
  machine::Machine machine = edge();
  auto simulator = Simulator::create(machine, Network(machine).mobileNet());
  if (!simulator)
    return state.SkipWithError(simulator.error().str().c_str());
  auto bindings = (*simulator)->place();
  std::vector<uint8_t> image(224 * 224 * 3, 77);
  for (Binding &binding : *bindings)
    if (binding.region == isa::kFirstCallerRegion)
      binding.bytes = image;
  RunOptions options;
  options.mode = mode;
  Counters counters;
  for (auto _ : state) {
    auto outcome = (*simulator)->run(*bindings, options);
    if (!outcome || outcome->fault)
      return state.SkipWithError(
          (outcome ? outcome->fault->diagnostic() : outcome.error())
              .str()
              .c_str());
    counters = outcome->counters;
  }
  state.counters["MAC"] = double(counters.macs());
  state.counters["cycles"] = double(counters.cycles);
  state.counters["instructions"] = double(counters.processor.instructions);
}

static void functional(benchmark::State &state) {
  simulate(state, Mode::Functional);
}
static void full(benchmark::State &state) { simulate(state, Mode::Full); }
static void timing(benchmark::State &state) { simulate(state, Mode::Timing); }

BENCHMARK(functional)->Unit(benchmark::kMillisecond);
BENCHMARK(full)->Unit(benchmark::kMillisecond);
BENCHMARK(timing)->Unit(benchmark::kMillisecond);
