//===- Floats.cpp - f32 functions of the vector engine --------------------===//

#include "tally/quant/NativeMath.h"
#include "tally/quant/PinnedMath.h"
#include "tally/run/simulator/kernels/FloatOrder.h"
#include "tally/run/simulator/kernels/Kernels.h"
#include "tally/run/simulator/kernels/Rows.h"

#include <cmath>

using namespace tally;
using namespace tally::simulator;
using isa::Function;
namespace pinned = quant::pinned;

static float canonical(float x) { return std::isnan(x) ? pinned::quietNan : x; }

static float sign(float x) {
  return std::isnan(x) ? x : float(x > 0) - float(x < 0);
}

/// The nearest integer, ties to even: the default rounding mode.
static float nearest(float x) { return std::nearbyint(x); }

using UnaryFn = float (*)(float);

static UnaryFn unaryOf(Function function) {
  switch (function) {
  case Function::FloatNeg:
    return [](float x) { return -x; };
  case Function::FloatAbs:
    return [](float x) { return std::fabs(x); };
  case Function::FloatSign:
    return sign;
  case Function::FloatRelu:
    return [](float x) { return larger(x, 0.0f); };
  case Function::FloatFloor:
    return [](float x) { return std::floor(x); };
  case Function::FloatCeil:
    return [](float x) { return std::ceil(x); };
  case Function::FloatRound:
    return nearest;
  case Function::FloatSqrt:
    return [](float x) { return std::sqrt(x); };
  case Function::FloatReciprocal:
    return [](float x) { return 1.0f / x; };
  case Function::FloatRsqrt:
    return pinned::rsqrt;
  case Function::FloatExp:
    return pinned::exp;
  case Function::FloatExpm1:
    return pinned::expm1;
  case Function::FloatLog:
    return pinned::log;
  case Function::FloatLog1p:
    return pinned::log1p;
  case Function::FloatSigmoid:
    return pinned::sigmoid;
  case Function::FloatTanh:
    return pinned::tanh;
  case Function::FloatSoftplus:
    return pinned::softplus;
  case Function::FloatErf:
    return pinned::erf;
  case Function::FloatGeluErf:
    return pinned::geluErf;
  case Function::FloatGeluTanh:
    return pinned::geluTanh;
  case Function::FloatSin:
    return pinned::sin;
  case Function::FloatCos:
    return pinned::cos;
  default:
    return nullptr;
  }
}

using BinaryFn = float (*)(float, float);

static BinaryFn binaryOf(Function function) {
  switch (function) {
  case Function::FloatAdd:
    return [](float x, float y) { return x + y; };
  case Function::FloatSub:
    return [](float x, float y) { return x - y; };
  case Function::FloatMul:
    return [](float x, float y) { return x * y; };
  case Function::FloatDiv:
    return [](float x, float y) { return x / y; };
  case Function::FloatMin:
    return smaller;
  case Function::FloatMax:
    return larger;
  case Function::FloatPow:
    return pinned::pow;
  default:
    return nullptr;
  }
}

static bool compare(Function function, float x, float y) {
  return function == Function::FloatEq   ? x == y
         : function == Function::FloatLt ? x < y
                                         : x <= y;
}

KernelFault tally::simulator::runFloats(const isa::Command &command,
                                        Memory &memory,
                                        const machine::Machine &machine) {
  VectorOperands v(command);
  const isa::FunctionInfo &info =
      *isa::findFunction(command.code, command.get(isa::VectorField::Function));
  UnaryFn unary = unaryOf(info.function);
  BinaryFn binary = binaryOf(info.function);
  auto length = size_t(v.rowLength());
  std::vector<float> a(length), b(info.arity == 2 ? length : 0);
  std::vector<int64_t> truth(unary || binary ? 0 : length);
  v.forEachRow(memory, [&](int64_t i0, int64_t i1, int64_t i2) {
    load(memory, v.a.row(i0, i1, i2), a);
    if (info.arity == 2) // the fields of b mean nothing otherwise
      load(memory, v.b.row(i0, i1, i2), b);
    Row out = v.out.row(i0, i1, i2);
    if (!unary && !binary) {
      for (size_t i = 0; i < length; ++i)
        truth[i] = compare(info.function, a[i], b[i]);
      return store(memory, out, truth);
    }
    for (size_t i = 0; i < length; ++i)
      a[i] = canonical(unary ? unary(a[i]) : binary(a[i], b[i]));
    store(memory, out, a);
  });
  return std::nullopt;
}
