//===- SoftFma.cpp - fused multiply-add without the instruction -----------===//
//
// x * y is exact in fp64, its sum with z is not. The fp64 sum is rounded to odd
// (its last bit set whenever it was inexact), which makes the second rounding,
// to fp32, correct: 53 bits are more than 2 * 24 + 2. The inexact part of the
// sum comes from the two-sum identity. Source: Boldo and Melquiond, "Emulation
// of FMA and correctly rounded sums: proved algorithms using rounding to odd",
// 2008.
//
// These are some sixty instructions for four lanes, and an exponential has a
// dozen such steps. So vectors go through one function of four lanes:
//
//     %low = vector.shuffle %x, %x [0, 1, 2, 3]        and of %y, %z
//     %sum = call @fma4_x86_64(%low, ..)               once for each four
//
// Written out at each place, 18 softmaxes of lines of 31 took 25 s to compile
// and 1.7 MB of code, now 4.5 s and 0.28 MB, and run as fast. Four lanes of
// fp64 are half of the registers, so nothing in the function goes through
// memory. Single numbers are written out: a loop around them can become one on
// vectors.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/SoftFma.h"
#include "tally/cpu/TierParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/Sequence.h"

#include <numeric>

using namespace mlir;

static constexpr int64_t kLanes = 4;
static constexpr const char *kFunction = "fma4_x86_64";

//===----------------------------------------------------------------------===//
// The arithmetic
//===----------------------------------------------------------------------===//

/// `element` in as many lanes as `like` has.
static Type typeLike(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

static Value constantOf(ImplicitLocOpBuilder &b, Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(b, value);
}

/// Where `sum` lacks `error` and its last bit is 0, its neighbour towards
/// `error`: away from zero when both have one sign.
static Value roundedToOdd(ImplicitLocOpBuilder &b, Value sum, Value error) {
  Type i64 = typeLike(sum.getType(), b.getI64Type());
  auto integer = [&](int64_t value) {
    return constantOf(b, i64, b.getI64IntegerAttr(value));
  };
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, how, x, y);
  };
  Value zero = constantOf(b, sum.getType(), b.getF64FloatAttr(0));
  auto errorIs = [&](arith::CmpFPredicate how) -> Value {
    return arith::CmpFOp::create(b, how, error, zero);
  };
  Value bits = arith::BitcastOp::create(b, i64, sum);
  Value isEven =
      compare(arith::CmpIPredicate::eq,
              arith::AndIOp::create(b, bits, integer(1)), integer(0));
  Value isPositive = compare(arith::CmpIPredicate::sge, bits, integer(0));
  Value haveOneSign = compare(arith::CmpIPredicate::eq, isPositive,
                              errorIs(arith::CmpFPredicate::OGT));
  Value step = arith::SelectOp::create(b, haveOneSign, integer(1), integer(-1));
  Value odd = arith::BitcastOp::create(b, sum.getType(),
                                       arith::AddIOp::create(b, bits, step));
  Value moves =
      arith::AndIOp::create(b, errorIs(arith::CmpFPredicate::ONE), isEven);
  return arith::SelectOp::create(b, moves, odd, sum);
}

static Value writeFma(ImplicitLocOpBuilder &b, Value x, Value y, Value z) {
  Type f64 = typeLike(x.getType(), b.getF64Type());
  auto wide = [&](Value v) { return arith::ExtFOp::create(b, f64, v); };
  auto add = [&](Value v, Value w) { return arith::AddFOp::create(b, v, w); };
  auto sub = [&](Value v, Value w) { return arith::SubFOp::create(b, v, w); };
  Value product = arith::MulFOp::create(b, wide(x), wide(y)), addend = wide(z);
  Value sum = add(product, addend);
  // Two-sum: product + addend = sum + error exactly.
  Value ofAddend = sub(sum, product);
  Value error = add(sub(product, sub(sum, ofAddend)), sub(addend, ofAddend));
  return arith::TruncFOp::create(b, x.getType(), roundedToOdd(b, sum, error));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
class SoftFma : public PassWrapper<SoftFma, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SoftFma)
  StringRef getArgument() const override { return "tally-cpu-soft-fma"; }
  void runOnOperation() override;

private:
  func::FuncOp callee();
  Value callEach(ImplicitLocOpBuilder &b, math::FmaOp fma, int64_t lanes);
  Value replacement(math::FmaOp fma);

  func::FuncOp function; ///< of kLanes lanes, once there is a call
};
} // namespace

func::FuncOp SoftFma::callee() {
  if (function)
    return function;
  auto b = ImplicitLocOpBuilder::atBlockEnd(getOperation().getLoc(),
                                            getOperation().getBody());
  Type type = VectorType::get({kLanes}, b.getF32Type());
  function = func::FuncOp::create(b, kFunction,
                                  b.getFunctionType({type, type, type}, type));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  func::ReturnOp::create(b,
                         writeFma(b, body->getArgument(0), body->getArgument(1),
                                  body->getArgument(2)));
  return function;
}

/// Lanes [first, first + kLanes) of a vector.
static Value lanesFrom(ImplicitLocOpBuilder &b, Value vector, int64_t first) {
  auto places = llvm::to_vector(llvm::seq(first, first + kLanes));
  return vector::ShuffleOp::create(b, vector, vector, places);
}

/// `all` with kLanes lanes from `first` on replaced by `part`.
static Value withLanes(ImplicitLocOpBuilder &b, Value all, int64_t first,
                       Value part) {
  int64_t lanes = cast<VectorType>(all.getType()).getNumElements();
  SmallVector<int64_t> places(lanes, vector::ShuffleOp::kPoisonIndex);
  std::iota(places.begin(), places.begin() + kLanes, 0);
  Value widened = vector::ShuffleOp::create(b, part, part, places);
  std::iota(places.begin(), places.end(), 0);
  std::iota(places.begin() + first, places.begin() + first + kLanes, lanes);
  return vector::ShuffleOp::create(b, all, widened, places);
}

Value SoftFma::callEach(ImplicitLocOpBuilder &b, math::FmaOp fma,
                        int64_t lanes) {
  Value all = fma.getC();
  for (int64_t first = 0; first < lanes; first += kLanes) {
    SmallVector<Value> operands;
    for (Value operand : fma->getOperands())
      operands.push_back(lanesFrom(b, operand, first));
    Value part = func::CallOp::create(b, callee(), operands).getResult(0);
    all = withLanes(b, all, first, part);
  }
  return all;
}

Value SoftFma::replacement(math::FmaOp fma) {
  ImplicitLocOpBuilder b(fma.getLoc(), fma);
  auto vector = dyn_cast<VectorType>(fma.getType());
  int64_t lanes = vector ? vector.getNumElements() : 1;
  if (lanes % kLanes == 0)
    return callEach(b, fma, lanes);
  return writeFma(b, fma.getA(), fma.getB(), fma.getC());
}

void SoftFma::runOnOperation() {
  SmallVector<math::FmaOp> found;
  getOperation().walk([&](func::FuncOp caller) {
    if (tally::cpu::belongsTo(caller.getName(), tally::cpu::Tier::Baseline))
      caller.walk([&](math::FmaOp fma) { found.push_back(fma); });
  });
  for (math::FmaOp fma : found) {
    fma.replaceAllUsesWith(replacement(fma));
    fma.erase();
  }
}

std::unique_ptr<Pass> tally::cpu::createSoftFmaPass() {
  return std::make_unique<SoftFma>();
}
