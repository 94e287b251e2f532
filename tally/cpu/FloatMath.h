//===- FloatMath.h - float operations every tier can do ---------*- C++ -*-===//
//
// fp32 operations with one meaning on every tier. Where a tier lacks an
// instruction (rounding on plain SSE2, and fused multiply-add, which SoftFma.h
// replaces) the same result is made of what it has, since generated code may
// not call a C library.
//
// Also the builder that the pinned functions (quant/PinnedMath.h) are
// instantiated with: their operation sequences become MLIR operations. Values
// may be scalars or vectors.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_FLOATMATH_H
#define TALLY_CPU_FLOATMATH_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// Roundings of f32 or f64 numbers, scalars or vectors, to an integer, half to
/// even, down or up; the sign of a zero stays.
Value roundHalfToEven(KernelBuilder &k, Value x);
Value roundDown(KernelBuilder &k, Value x);
Value roundUp(KernelBuilder &k, Value x);

class FloatMath {
public:
  using F32 = Value;
  using I32 = Value;
  using Bool = Value;

  /// `lanes` > 0: operate on vectors of that many lanes.
  explicit FloatMath(KernelBuilder &kernel, int64_t lanes = 0)
      : k(kernel), b(kernel.b), lanes(lanes) {}

  // The pinned functions' builder (quant/pinned/Builder.h).
  Value f32(float value);
  Value i32(int32_t value);
  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z);
  Value sqrt(Value x);
  Value roundeven(Value x) { return roundHalfToEven(k, x); }
  Value neg(Value x) { return mlir::arith::NegFOp::create(b, x); }
  Value abs(Value x);
  Value lt(Value x, Value y);
  Value le(Value x, Value y);
  Value eq(Value x, Value y);
  Value isNan(Value x);
  Value ilt(Value x, Value y);
  Value ieq(Value x, Value y);
  Value both(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  Value bits(Value x);
  Value fromBits(Value x);
  Value iadd(Value x, Value y) { return mlir::arith::AddIOp::create(b, x, y); }
  Value isub(Value x, Value y) { return mlir::arith::SubIOp::create(b, x, y); }
  Value imul(Value x, Value y) { return mlir::arith::MulIOp::create(b, x, y); }
  Value iand(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value ior(Value x, Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  Value ixor(Value x, Value y) { return mlir::arith::XOrIOp::create(b, x, y); }
  Value imulhu(Value x, Value y);
  Value shl(Value x, Value y) { return mlir::arith::ShLIOp::create(b, x, y); }
  Value lshr(Value x, Value y) { return mlir::arith::ShRUIOp::create(b, x, y); }
  Value ashr(Value x, Value y) { return mlir::arith::ShRSIOp::create(b, x, y); }
  Value toFloat(Value x);

  // More that kernels need.
  /// min(max(x, low), high); NaN gives low.
  Value clamp(Value x, double low, double high);
  Value isFinite(Value x);
  /// NaN when either is.
  Value maximum(Value x, Value y) {
    return mlir::arith::MaximumFOp::create(b, x, y);
  }
  Value minimum(Value x, Value y) {
    return mlir::arith::MinimumFOp::create(b, x, y);
  }
  /// An integer-valued float to i32; out of range and NaN give INT32_MIN, as
  /// the x86 conversion does.
  Value toInt32LikeX86(Value x);

private:
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y);
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y);
  /// `element` or a vector of it.
  mlir::Type typeFor(mlir::Type element);
  Value splat(mlir::TypedAttr scalar);

  KernelBuilder &k;
  mlir::ImplicitLocOpBuilder &b;
  int64_t lanes;
};

} // namespace tally::cpu

#endif // TALLY_CPU_FLOATMATH_H
