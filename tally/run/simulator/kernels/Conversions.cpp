//===- Conversions.cpp - from one element type to another -----------------===//

#include "tally/quant/PinnedMath.h"
#include "tally/run/simulator/kernels/Half.h"
#include "tally/run/simulator/kernels/Kernels.h"
#include "tally/run/simulator/kernels/Rows.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace tally;
using namespace tally::simulator;
using isa::Function;
using isa::VectorField;
using machine::ElementType;
namespace pinned = quant::pinned;

static bool isFloat(ElementType type) {
  return type == ElementType::F16 || type == ElementType::F32;
}

/// A whole number as an integer of the type, saturated.
static int64_t saturated(double whole, ElementType type) {
  auto [low, high] = rangeOf(type);
  if (whole <= double(low))
    return low;
  // double(high) of 64 bits is 2^63, which is out of range itself.
  return whole >= double(high) ? high : int64_t(whole);
}

static int64_t truncated(double value, ElementType type) {
  return std::isnan(value) ? 0 : saturated(std::trunc(value), type);
}

namespace {
/// One conversion command; `convert` does a row.
class Conversion {
public:
  Conversion(const isa::Command &command, Memory &memory)
      : memory(memory), v(command),
        function(
            isa::findFunction(command.code, command.get(VectorField::Function))
                ->function),
        zero(command.get(VectorField::Zero)),
        scale(std::bit_cast<float>(uint32_t(command.get(VectorField::Scale)))),
        integers(size_t(v.rowLength())), reals(size_t(v.rowLength())),
        singles(size_t(v.rowLength())) {}

  void run() {
    v.forEachRow(memory, [&](int64_t i0, int64_t i1, int64_t i2) {
      convert(v.a.row(i0, i1, i2), v.out.row(i0, i1, i2));
    });
  }

private:
  void convert(const Row &from, const Row &to);
  void cast(const Row &from, const Row &to);
  void toFloat(const Row &from, const Row &to);
  void storeReals(const Row &to);
  template <class Fn> void fromReals(const Row &from, const Row &to, Fn fn);

  Memory &memory;
  VectorOperands v;
  Function function;
  int64_t zero;
  float scale;
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::vector<float> singles;
};
} // namespace

/// Loads numbers as f64, which holds every f16 and f32, and stores fn of each.
template <class Fn>
void Conversion::fromReals(const Row &from, const Row &to, Fn fn) {
  load(memory, from, reals);
  for (size_t i = 0; i < reals.size(); ++i)
    integers[i] = fn(reals[i]);
  store(memory, to, integers);
}

/// To f32 from an integer directly: by way of f64 it would round twice.
void Conversion::toFloat(const Row &from, const Row &to) {
  if (isFloat(from.type)) {
    load(memory, from, reals);
    for (size_t i = 0; i < reals.size(); ++i)
      singles[i] = float(reals[i]);
  } else {
    load(memory, from, integers);
    for (size_t i = 0; i < integers.size(); ++i)
      singles[i] = float(integers[i]);
  }
  for (float &x : singles)
    x = std::isnan(x) ? pinned::quietNan : x;
  store(memory, to, singles);
}

void Conversion::cast(const Row &from, const Row &to) {
  if (to.type == ElementType::F32)
    return toFloat(from, to);
  if (to.type == ElementType::F16)
    return fromReals(from, to, [](double x) { return halfOf(x); });
  if (isFloat(from.type))
    return fromReals(from, to, [&](double x) { return truncated(x, to.type); });
  load(memory, from, integers);
  store(memory, to, integers);
}

void Conversion::convert(const Row &from, const Row &to) {
  switch (function) {
  case Function::ConvertBoolean:
    return fromReals(from, to, [](double x) { return int64_t(x != 0); });
  case Function::ConvertDequantize:
    load(memory, from, integers);
    for (size_t i = 0; i < integers.size(); ++i)
      singles[i] = float(integers[i] - zero) * scale;
    return store(memory, to, singles);
  case Function::ConvertQuantize:
    return fromReals(from, to, [&](double x) {
      float steps = float(x) / scale;
      return std::isnan(steps)
                 ? rangeOf(to.type).first
                 : saturated(std::nearbyint(double(steps)) + double(zero),
                             to.type);
    });
  default:
    return cast(from, to);
  }
}

KernelFault tally::simulator::runConversions(const isa::Command &command,
                                             Memory &memory,
                                             const machine::Machine &machine) {
  Conversion(command, memory).run();
  return std::nullopt;
}
