//===- Integers.cpp - integer functions of the vector engine --------------===//
//
// Elements are 64-bit numbers here and wrap when they are stored, so sums and
// products are done modulo 2^64.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/kernels/Kernels.h"
#include "tally/run/simulator/kernels/Rows.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::simulator;
using isa::Function;
using machine::ElementType;

namespace {
/// The type of a: shifts and quotients depend on it.
struct IntegerType {
  int64_t bits;
  bool isSigned;
  explicit IntegerType(ElementType type)
      : bits(8 * machine::elementBytes(type)),
        isSigned(type != ElementType::U8 && type != ElementType::U16) {}
};
} // namespace

/// Modulo 2^64.
static int64_t wrapped(__int128 value) { return int64_t(uint64_t(value)); }

static int64_t divideEven(int64_t a, int64_t b) {
  __int128 n = b < 0 ? -__int128(a) : a, d = b < 0 ? -__int128(b) : b;
  __int128 q = n / d - (n % d < 0), rest = n - q * d; // floor, 0 <= rest < d
  if (2 * rest > d || (2 * rest == d && (q & 1)))
    ++q;
  return wrapped(q);
}

static int64_t floorModulo(int64_t a, int64_t b) {
  __int128 rest = __int128(a) % b;
  return wrapped(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

static int64_t shiftRight(int64_t a, int64_t b, IntegerType type) {
  bool isBeyond = b < 0 || b >= type.bits;
  if (isBeyond)
    return type.isSigned && a < 0 ? -1 : 0;
  return a >> b; // an unsigned element is not negative as a 64-bit number
}

static int64_t root(int64_t a) {
  if (a <= 0)
    return 0;
  auto r = int64_t(std::sqrt(double(a)));
  while (__int128(r) * r > a)
    --r;
  while (__int128(r + 1) * (r + 1) <= a)
    ++r;
  return r;
}

template <class Fn>
static void apply(std::span<int64_t> a, std::span<const int64_t> b, Fn fn) {
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = fn(a[i], b[i]);
}
template <class Fn> static void apply(std::span<int64_t> a, Fn fn) {
  for (int64_t &x : a)
    x = fn(x);
}

static void applyDivision(Function function, std::span<int64_t> a,
                          std::span<const int64_t> b) {
  apply(a, b, [&](int64_t x, int64_t y) -> int64_t {
    if (y == 0)
      return 0;
    switch (function) {
    case Function::IntDiv:
      return wrapped(__int128(x) / y);
    case Function::IntDivEven:
      return divideEven(x, y);
    case Function::IntRem:
      return wrapped(__int128(x) % y);
    default:
      return floorModulo(x, y);
    }
  });
}

static void applyBinary(Function function, IntegerType type,
                        std::span<int64_t> a, std::span<const int64_t> b) {
  using I = int64_t;
  switch (function) {
  case Function::IntAdd:
    return apply(a, b, [](I x, I y) { return wrapped(__int128(x) + y); });
  case Function::IntSub:
    return apply(a, b, [](I x, I y) { return wrapped(__int128(x) - y); });
  case Function::IntMul:
    return apply(a, b, [](I x, I y) { return I(uint64_t(x) * uint64_t(y)); });
  case Function::IntMin:
    return apply(a, b, [](I x, I y) { return std::min(x, y); });
  case Function::IntMax:
    return apply(a, b, [](I x, I y) { return std::max(x, y); });
  case Function::IntAnd:
    return apply(a, b, [](I x, I y) { return x & y; });
  case Function::IntOr:
    return apply(a, b, [](I x, I y) { return x | y; });
  case Function::IntXor:
    return apply(a, b, [](I x, I y) { return x ^ y; });
  case Function::IntShl:
    return apply(a, b, [&](I x, I y) {
      return y < 0 || y >= type.bits ? 0 : I(uint64_t(x) << y);
    });
  case Function::IntShr:
    return apply(a, b, [&](I x, I y) { return shiftRight(x, y, type); });
  case Function::IntEq:
    return apply(a, b, [](I x, I y) { return I(x == y); });
  case Function::IntLt:
    return apply(a, b, [](I x, I y) { return I(x < y); });
  case Function::IntLe:
    return apply(a, b, [](I x, I y) { return I(x <= y); });
  default:
    return applyDivision(function, a, b);
  }
}

static void applyUnary(Function function, std::span<int64_t> a) {
  using I = int64_t;
  switch (function) {
  case Function::IntNeg:
    return apply(a, [](I x) { return wrapped(-__int128(x)); });
  case Function::IntAbs:
    return apply(a, [](I x) { return wrapped(x < 0 ? -__int128(x) : x); });
  case Function::IntSign:
    return apply(a, [](I x) { return I(x > 0) - I(x < 0); });
  case Function::IntNot:
    return apply(a, [](I x) { return ~x; });
  default:
    return apply(a, [](I x) { return root(x); });
  }
}

KernelFault tally::simulator::runIntegers(const isa::Command &command,
                                          Memory &memory,
                                          const machine::Machine &machine) {
  VectorOperands v(command);
  const isa::FunctionInfo &info =
      *isa::findFunction(command.code, command.get(isa::VectorField::Function));
  std::vector<int64_t> a(static_cast<size_t>(v.rowLength())),
      b(info.arity == 2 ? a.size() : 0);
  v.forEachRow(memory, [&](int64_t i0, int64_t i1, int64_t i2) {
    load(memory, v.a.row(i0, i1, i2), a);
    if (info.arity == 2) // the fields of b mean nothing otherwise
      load(memory, v.b.row(i0, i1, i2), b);
    if (!memory.isGood())
      return;
    if (info.arity == 2)
      applyBinary(info.function, IntegerType(v.a.type), a, b);
    else
      applyUnary(info.function, a);
    store(memory, v.out.row(i0, i1, i2), a);
  });
  return std::nullopt;
}
