//===- RealMath.h - arithmetic on any float element -------------*- C++ -*-===//
//
// Elementwise kernels compute f64 in f64 and every other float in f32: f16 and
// bf16 are widened when loaded and rounded once when stored. The conversions
// are made of integer operations, since a tier without the instruction would
// call a library. Values are scalars or vectors.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_REALMATH_H
#define TALLY_CPU_LOWER_REALMATH_H

#include "tally/cpu/FloatMath.h"

namespace tally::cpu {

class RealMath {
public:
  /// Computes in f64 for F64, else in f32; `lanes` > 0: on vectors of that
  /// many.
  RealMath(KernelBuilder &kernel, eval::Element element, int64_t lanes = 0);

  KernelBuilder &k;
  mlir::ImplicitLocOpBuilder &b;
  const eval::Element element;

  mlir::Type type() const { return computing; }
  Value real(double value) { return k.real(computing, value); }
  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return mlir::arith::NegFOp::create(b, x); }
  Value abs(Value x);
  Value sqrt(Value x);
  Value floor(Value x) { return roundDown(k, x); }
  Value ceil(Value x) { return roundUp(k, x); }
  Value roundeven(Value x) { return roundHalfToEven(k, x); }
  Value trunc(Value x);
  /// Ordered comparisons: false when either is NaN.
  Value lt(Value x, Value y);
  Value le(Value x, Value y);
  Value eq(Value x, Value y);
  Value isNan(Value x);
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }

  /// An element in memory as a number to compute with, and back.
  Value load(Value memref, Value i) { return widen(k.load(memref, i)); }
  void store(Value value, Value memref, Value i) {
    k.store(narrow(value), memref, i);
  }
  Value widen(Value stored);
  Value narrow(Value value);

private:
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y);
  mlir::Type computing;
};

/// Conversions of half precision, exact in the widening direction and rounded
/// once to nearest even in the other. A NaN stays one. Here and below, a
/// vector's lanes each by itself.
Value halfToFloat(KernelBuilder &k, Value half);
Value floatToHalf(KernelBuilder &k, Value value);
Value bfloatToFloat(KernelBuilder &k, Value bfloat);
Value floatToBfloat(KernelBuilder &k, Value value);

/// An f64 rounded to f32 so that another rounding, to fewer bits, is correct:
/// toward the neighbour with an odd last bit unless exact.
Value roundToOdd(KernelBuilder &k, Value value);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_REALMATH_H
