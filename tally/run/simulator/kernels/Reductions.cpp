//===- Reductions.cpp - sums, extremes and their places -------------------===//
//
// For each index of the dimensions that stay, the elements along the others are
// gathered in row-major order, and the whole list is reduced at once.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/NativeMath.h"
#include "tally/quant/PinnedMath.h"
#include "tally/run/simulator/kernels/FloatOrder.h"
#include "tally/run/simulator/kernels/Kernels.h"
#include "tally/run/simulator/kernels/Rows.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::simulator;
using isa::Function;
using isa::VectorField;
namespace pinned = quant::pinned;

//===----------------------------------------------------------------------===//
// Lists of numbers
//===----------------------------------------------------------------------===//

/// Modulo 2^64, over x - zero.
template <class Step>
static int64_t accumulate(std::span<const int64_t> terms, int64_t zero,
                          uint64_t start, Step step) {
  for (int64_t x : terms)
    start = step(start, uint64_t(x) - uint64_t(zero));
  return int64_t(start);
}

static int64_t reduce(Function function, std::span<const int64_t> terms,
                      int64_t zero) {
  switch (function) {
  case Function::ReduceSum:
    return accumulate(terms, zero, 0,
                      [](uint64_t sum, uint64_t x) { return sum + x; });
  case Function::ReduceSumSquare:
    return accumulate(terms, zero, 0,
                      [](uint64_t sum, uint64_t x) { return sum + x * x; });
  case Function::ReduceSumAbs:
    return accumulate(terms, zero, 0, [](uint64_t sum, uint64_t x) {
      return sum + (int64_t(x) < 0 ? 0 - x : x);
    });
  case Function::ReduceProd:
    return accumulate(terms, zero, 1,
                      [](uint64_t product, uint64_t x) { return product * x; });
  case Function::ReduceMin:
    return *std::ranges::min_element(terms);
  case Function::ReduceMax:
    return *std::ranges::max_element(terms);
  case Function::ReduceArgMin:
    return std::ranges::min_element(terms) - terms.begin();
  default:
    return std::ranges::max_element(terms) - terms.begin();
  }
}

/// Whether x is beyond y in the direction: NaN is beyond everything but NaN.
static bool isBeyond(Function function, float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && !std::isnan(y);
  return function == Function::ReduceArgMin ? x < y : x > y;
}

static int64_t placeOf(Function function, std::span<const float> terms) {
  size_t best = 0;
  for (size_t i = 1; i < terms.size(); ++i)
    if (isBeyond(function, terms[i], terms[best]))
      best = i;
  return int64_t(best);
}

static float product(std::span<const float> terms) {
  float result = 1;
  for (float x : terms)
    result *= x;
  return result;
}

static float extreme(std::span<const float> terms, float (*of)(float, float)) {
  float result = terms[0];
  for (float x : terms.subspan(1))
    result = of(result, x);
  return result;
}

static float reduce(Function function, std::span<const float> terms) {
  auto term = [&](size_t i) { return terms[i]; };
  switch (function) {
  case Function::ReduceSum:
    return pinned::sumPinned(terms.size(), term);
  case Function::ReduceSumSquare:
    return pinned::reducePinned(terms.size(), 0.0f, [&](float p, size_t i) {
      return std::fma(terms[i], terms[i], p);
    });
  case Function::ReduceSumAbs:
    return pinned::sumPinned(terms.size(),
                             [&](size_t i) { return std::fabs(terms[i]); });
  case Function::ReduceProd:
    return product(terms);
  case Function::ReduceMin:
    return extreme(terms, smaller);
  default:
    return extreme(terms, larger);
  }
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

namespace {
class Reduction {
public:
  Reduction(const isa::Command &command, Memory &memory)
      : memory(memory), v(command),
        function(
            isa::findFunction(command.code, command.get(VectorField::Function))
                ->function),
        zero(command.get(VectorField::Zero)) {
    for (size_t d = 0; d < 4; ++d) {
      bool isReduced = command.get(VectorField::Axes) >> d & 1;
      kept[d] = isReduced ? 1 : v.sizes[d];
      reduced[d] = isReduced ? v.sizes[d] : 1;
    }
  }

  void run();

private:
  template <class Number> std::vector<Number> gather(std::array<int64_t, 4> at);
  void reduceAt(std::array<int64_t, 4> at);

  Memory &memory;
  VectorOperands v;
  Function function;
  int64_t zero;
  std::array<int64_t, 4> kept, reduced; ///< sizes; 1 where the other has it
};
} // namespace

template <class Number>
std::vector<Number> Reduction::gather(std::array<int64_t, 4> at) {
  std::vector<Number> terms;
  std::vector<Number> row(static_cast<size_t>(reduced[3]));
  for (int64_t i0 = 0; i0 < reduced[0]; ++i0)
    for (int64_t i1 = 0; i1 < reduced[1]; ++i1)
      for (int64_t i2 = 0; i2 < reduced[2] && memory.isGood(); ++i2) {
        Row from = v.a.row(at[0] + i0, at[1] + i1, at[2] + i2);
        from.offset += at[3] * from.stride;
        load(memory, from, std::span<Number>(row));
        terms.insert(terms.end(), row.begin(), row.end());
      }
  return terms;
}

void Reduction::reduceAt(std::array<int64_t, 4> at) {
  Row to = v.out.row(at[0], at[1], at[2]);
  to.offset += at[3] * to.stride;
  int64_t place;
  if (v.a.type != machine::ElementType::F32) {
    place = reduce(function, gather<int64_t>(at), zero);
  } else {
    std::vector<float> terms = gather<float>(at);
    if (function != Function::ReduceArgMin &&
        function != Function::ReduceArgMax) {
      float result = reduce(function, terms);
      result = std::isnan(result) ? pinned::quietNan : result;
      return store(memory, to, std::span<const float>(&result, 1));
    }
    place = placeOf(function, terms);
  }
  store(memory, to, std::span<const int64_t>(&place, 1));
}

void Reduction::run() {
  std::array<int64_t, 4> i;
  for (i[0] = 0; i[0] < kept[0]; ++i[0])
    for (i[1] = 0; i[1] < kept[1]; ++i[1])
      for (i[2] = 0; i[2] < kept[2]; ++i[2])
        for (i[3] = 0; i[3] < kept[3]; ++i[3]) {
          if (!memory.isGood())
            return;
          reduceAt(i);
        }
}

KernelFault tally::simulator::runReductions(const isa::Command &command,
                                            Memory &memory,
                                            const machine::Machine &machine) {
  Reduction(command, memory).run();
  return std::nullopt;
}
