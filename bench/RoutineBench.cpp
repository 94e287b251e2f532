//===- RoutineBench.cpp - how fast routines become code -------------------===//
//
// A routine of n tiles: each issues a copy whose offset changes, signals, and
// keeps an addend in flight until the next tile; every eighth tile is a loop of
// rows. Recording, planning, layout and the verifier are one; one core.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/routine/Commands.h"
#include "tally/emit/routine/Scalars.h"
#include "tally/emit/routine/Verifier.h"
#include "tally/machine/ShippedMachines.h"

#include <benchmark/benchmark.h>

using namespace tally;
using namespace tally::emit;

static isa::Command copyTile(int64_t offset) {
  CopySide source{isa::kArenaRegion, offset, {0, 0, 64, 1}};
  CopySide destination{isa::kSram, 0, {0, 0, 64, 1}};
  return *copyCommand(0, {1, 1, 4, 16}, 1, source, destination);
}

static void record(Routine &routine, int64_t tiles) {
  Scope scope(routine, "tiles");
  std::optional<Pending> last;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    Scope own(routine, "tile");
    if (tile % 8 == 7) {
      loop(own, 4, "rows", [&](Scope &body) {
        waitFor(body, issue(body, copyTile(tile * 4096)));
      });
      continue;
    }
    Pending now = issue(own, copyTile(tile * 4096), {},
                        Addend::of(own, static_cast<int32_t>(tile)));
    signal(own, 0, 1);
    if (last)
      waitFor(own, *last);
    last = now;
  }
}

static Result<Code> emitTiles(const machine::Machine &machine, int64_t tiles) {
  Routine routine(machine);
  record(routine, tiles);
  return routine.finish();
}

static void routine(benchmark::State &state) {
  machine::Machine machine = *machine::findMachine("edge");
  Result<Code> code = emitTiles(machine, state.range(0));
  for (auto _ : state)
    code = emitTiles(machine, state.range(0));
  if (!code)
    return state.SkipWithError(code.error().str().c_str());
  state.counters["instructions"] = static_cast<double>(code->lines.size());
  state.SetComplexityN(state.range(0));
}

static void verifier(benchmark::State &state) {
  machine::Machine machine = *machine::findMachine("edge");
  Result<Code> code = emitTiles(machine, state.range(0));
  for (auto _ : state)
    if (!code || !findViolation(*code, machine).empty())
      state.SkipWithError("the code is wrong");
  state.SetComplexityN(state.range(0));
}

static void sizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->Unit(benchmark::kMillisecond)
      ->Arg(10)
      ->Arg(100)
      ->Arg(1000)
      ->Arg(4000)
      ->Complexity();
}
BENCHMARK(routine)->Apply(sizes);
BENCHMARK(verifier)->Apply(sizes);
