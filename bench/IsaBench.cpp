//===- IsaBench.cpp - how fast instructions and commands are looked at ----===//
//
// What simulator and checker do for each command of a stream: decode its
// instructions, check it, ask for its bytes and its time. The commands are
// tiles of edge: a DMA of rows, and a 3 x 3 convolution with an output stage.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/emit/encode/Random.h"
#include "tally/emit/isa/Effects.h"
#include "tally/machine/ShippedMachines.h"

#include <benchmark/benchmark.h>

using namespace tally;
using namespace tally::isa;

static const machine::Machine &edge() {
  static const machine::Machine machine = *machine::findMachine("edge");
  return machine;
}

template <typename Field>
static void set(Command &command,
                std::initializer_list<std::pair<Field, int64_t>> values) {
  for (auto [field, value] : values)
    if (Status status = command.config.set(field, value); !status)
      abort();
}

static Command rows() {
  Command command;
  command.queue = 0;
  set<DmaField>(command, {{DmaField::Size2, 16},
                          {DmaField::Size3, 512},
                          {DmaField::SrcSpace, kArenaRegion},
                          {DmaField::SrcStride2, 4096},
                          {DmaField::SrcStride3, 1},
                          {DmaField::DstStride2, 512},
                          {DmaField::DstStride3, 1}});
  return command;
}

static Command convolution() {
  Command command{CommandCode::MatrixConv, 3,
                  Configuration(machine::EngineKind::Matrix)};
  using enum MatrixField;
  set<MatrixField>(command, {{OutH, 8},
                             {OutW, 32},
                             {Columns, 64},
                             {Channels, 32},
                             {KernelH, 3},
                             {KernelW, 3},
                             {BeforeH, 1},
                             {BeforeW, 1},
                             {ExtentH, 8},
                             {ExtentW, 32},
                             {InStrideH, 1024},
                             {InStrideW, 32},
                             {WeightsOffset, 65536},
                             {WeightsStrideK, 64},
                             {AccStrideH, 8192},
                             {AccStrideW, 256},
                             {Emit, 1},
                             {ParamsSpace, 0},
                             {ParamsBytes, 2048},
                             {OutOffset, 131072},
                             {OutStrideH, 2048},
                             {OutStrideW, 64}});
  return command;
}

static void decodeWords(benchmark::State &state) {
  std::mt19937_64 random(1);
  std::vector<uint32_t> words;
  for (int i = 0; i < 4096; ++i)
    words.push_back(*encode(randomInstruction(random)));
  for (auto _ : state)
    for (uint32_t word : words)
      benchmark::DoNotOptimize(*decode(word));
  state.SetItemsProcessed(state.iterations() * int64_t(words.size()));
}
BENCHMARK(decodeWords);

static void lookAt(benchmark::State &state, const Command &command) {
  if (!checkCommand(command, edge()))
    abort();
  for (auto _ : state) {
    benchmark::DoNotOptimize(bool(checkCommand(command, edge())));
    benchmark::DoNotOptimize(effects(command, edge()));
    benchmark::DoNotOptimize(cyclesOf(command, edge()));
  }
  state.SetItemsProcessed(state.iterations());
}
static void lookAtDma(benchmark::State &state) { lookAt(state, rows()); }
static void lookAtConvolution(benchmark::State &state) {
  lookAt(state, convolution());
}
BENCHMARK(lookAtDma);
BENCHMARK(lookAtConvolution);
