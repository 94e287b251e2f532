//===- Pools.cpp - windows of the vector engine ---------------------------===//
//
// A row of results, along dimension 3, at a time: the rows of its taps are
// loaded in the order of taps and reduced number by number.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/PinnedMath.h"
#include "tally/run/simulator/kernels/FloatOrder.h"
#include "tally/run/simulator/kernels/Kernels.h"
#include "tally/run/simulator/kernels/Rows.h"
#include "tally/run/simulator/kernels/Stages.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::simulator;
using isa::Function;
using isa::VectorField;
namespace pinned = quant::pinned;

namespace {
/// Where the taps of a window are.
struct WindowAxis {
  int64_t kernel, step, dilation, before, extent;
  bool isInside(int64_t index) const { return 0 <= index && index < extent; }
  int64_t index(int64_t at, int64_t tap) const {
    return at * step + tap * dilation - before;
  }
};

class Pool {
public:
  Pool(const isa::Command &command, Memory &memory,
       const machine::Machine &machine);
  KernelFault run();

private:
  template <class Number>
  size_t loadTaps(int64_t i0, int64_t i1, int64_t i2,
                  std::vector<std::vector<Number>> &taps);
  KernelFault poolIntegers(int64_t i0, int64_t i1, int64_t i2);
  KernelFault poolFloats(int64_t i0, int64_t i1, int64_t i2);
  KernelFault average(size_t taps, std::span<int64_t> sums);
  float reduceFloats(size_t column, size_t inside) const;

  const isa::Command &command;
  Memory &memory;
  const machine::Machine &machine;
  VectorOperands v;
  Function function;
  int64_t zero;
  WindowAxis h, w;
  isa::RequantizeBlock records; ///< of an average of integers
  /// One row for each tap; those that lie outside are empty.
  std::vector<std::vector<int64_t>> integers;
  std::vector<std::vector<float>> floats;
};
} // namespace

static const char *const kNoTap = "a window has no tap inside the input";

Pool::Pool(const isa::Command &command, Memory &memory,
           const machine::Machine &machine)
    : command(command), memory(memory), machine(machine), v(command),
      function(
          isa::findFunction(command.code, command.get(VectorField::Function))
              ->function),
      zero(command.get(VectorField::Zero)),
      h{command.get(VectorField::KernelH), command.get(VectorField::StepH),
        command.get(VectorField::DilationH), command.get(VectorField::BeforeH),
        command.get(VectorField::ExtentH)},
      w{command.get(VectorField::KernelW), command.get(VectorField::StepW),
        command.get(VectorField::DilationW), command.get(VectorField::BeforeW),
        command.get(VectorField::ExtentW)} {}

/// Loads the rows of all taps; returns how many lie in the input.
template <class Number>
size_t Pool::loadTaps(int64_t i0, int64_t i1, int64_t i2,
                      std::vector<std::vector<Number>> &taps) {
  taps.resize(size_t(h.kernel * w.kernel));
  size_t inside = 0, tap = 0;
  for (int64_t r = 0; r < h.kernel; ++r)
    for (int64_t s = 0; s < w.kernel; ++s, ++tap) {
      int64_t y = h.index(i1, r), x = w.index(i2, s);
      bool isInside = h.isInside(y) && w.isInside(x);
      taps[tap].resize(isInside ? size_t(v.rowLength()) : 0);
      inside += isInside;
      if (isInside)
        load(memory, v.a.row(i0, y, x), std::span<Number>(taps[tap]));
    }
  return inside;
}

/// The record for windows of `taps` taps inside the input.
KernelFault Pool::average(size_t taps, std::span<int64_t> sums) {
  if (taps == 0) {
    std::ranges::fill(sums, records.zero);
    return std::nullopt;
  }
  return requantize(records, {int64_t(taps) - 1, 0}, sums);
}

KernelFault Pool::poolIntegers(int64_t i0, int64_t i1, int64_t i2) {
  size_t inside = loadTaps(i0, i1, i2, integers);
  bool isMax = function == Function::PoolMax;
  if (isMax && inside == 0)
    return kNoTap;
  std::vector<int64_t> row(size_t(v.rowLength()), isMax ? INT64_MIN : 0);
  for (const std::vector<int64_t> &tap : integers)
    for (size_t i = 0; i < tap.size(); ++i)
      row[i] = isMax ? std::max(row[i], tap[i]) : row[i] + (tap[i] - zero);
  if (function == Function::PoolAverage)
    if (KernelFault fault = average(inside, row))
      return fault;
  store(memory, v.out.row(i0, i1, i2), row);
  return std::nullopt;
}

float Pool::reduceFloats(size_t column, size_t inside) const {
  auto term = [&](size_t tap) {
    return floats[tap].empty() ? 0.0f : floats[tap][column];
  };
  if (function != Function::PoolMax) {
    float sum = pinned::sumPinned(floats.size(), term);
    return function == Function::PoolSum ? sum : sum / float(inside);
  }
  float result = -pinned::inf;
  for (const std::vector<float> &tap : floats)
    if (!tap.empty())
      result = larger(result, tap[column]);
  return result;
}

KernelFault Pool::poolFloats(int64_t i0, int64_t i1, int64_t i2) {
  size_t inside = loadTaps(i0, i1, i2, floats);
  if (function == Function::PoolMax && inside == 0)
    return kNoTap;
  std::vector<float> row(static_cast<size_t>(v.rowLength()));
  for (size_t i = 0; i < row.size() && memory.isGood(); ++i) {
    row[i] = reduceFloats(i, inside);
    row[i] = std::isnan(row[i]) ? pinned::quietNan : row[i];
  }
  store(memory, v.out.row(i0, i1, i2), row);
  return std::nullopt;
}

KernelFault Pool::run() {
  bool isFloat = v.a.type == machine::ElementType::F32;
  if (!isFloat && function == Function::PoolAverage)
    if (KernelFault fault = readBlock(command, memory, machine, records))
      return fault;
  KernelFault fault;
  v.forEachRow(memory, [&](int64_t i0, int64_t i1, int64_t i2) {
    if (!fault)
      fault = isFloat ? poolFloats(i0, i1, i2) : poolIntegers(i0, i1, i2);
  });
  return fault;
}

KernelFault tally::simulator::runPools(const isa::Command &command,
                                       Memory &memory,
                                       const machine::Machine &machine) {
  return Pool(command, memory, machine).run();
}
