//===- Softmax.cpp - softmax and its logarithm on the CPU -----------------===//
//
// A share of a line is e^(x - largest) / sum. Lines go through four phases in
// groups (LineGroup.h):
//
//   1  the largest and the least element of each line, in step
//   2  one line after the other: e^(x - largest) to memory, and the sixteen
//      partial sums
//   3  of all lines the sum and its reciprocal, in step
//   4  one line after the other: shares, to the epilogue
//
// Where no x of a group is more than 50 below its line's largest, exponentials
// need no bounds (pinned::expModerate) and shares no division (Quotient.h). Of
// codes on a grid that is not wider this is known when compiled; else phase 1
// finds out. A mask's numbers far below all others take the other way, where
// an exponential is half as fast again, and a share is a division only where
// one of them is small without being 0.
//
// Cost: 24 operations of vectors for each vector of exponentials, 4 for each of
// shares. A NaN makes its whole line NaN by way of the sum, when the maximum
// overlooks it.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Quotient.h"
#include "tally/cpu/lower/LineGroup.h"
#include "tally/cpu/lower/Lowerings.h"

#include "tally/ops/Anchors.h"
#include "tally/quant/PinnedMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace pinned = tally::quant::pinned;

/// How far below the largest an element of a line is moderate: e^-50 > 2^-73.
static constexpr float kModerate = 50;
/// Lines of so many elements may have sums beyond what quotients are exact for.
static constexpr int64_t kLongLine = int64_t(1) << 20;

namespace {
class SoftmaxGroup {
public:
  SoftmaxGroup(KernelBuilder &k, const eval::Tensor &in, int64_t axis,
               bool logarithm, Value first, int64_t lines)
      : k(k), logarithm(logarithm),
        group(k, in.shape[axis], eval::stridesOf(in.shape)[axis], first, lines),
        n(group.n), pitch(paddedLine(n)),
        mayMultiply(!logarithm && hasFastQuotients(k.tier) && n < kLongLine),
        largest(numbers(lines)), sums(numbers(lines)),
        partials(numbers(lines * kLineLanes)) {
    if (logarithm)
      return;
    exponentials = numbers(lines * pitch);
    if (mayMultiply)
      reciprocals = numbers(lines);
  }
  void emit();

private:
  Value numbers(int64_t count) { return k.scratch({count}, k.f32()); }
  Value place(Value line, Value i) const {
    return k.addIndex(k.mulIndex(line, pitch), i);
  }
  Value bound(bool isLeast) const;
  llvm::SmallVector<Value> findExtremes(bool wantsLargest) const;
  bool isKnownModerate() const;
  Value findLargest();
  Value addUpLine(Value line, bool areModerate, Value least);
  void addUpModerate();
  Value addUpAny();
  void finishSums();
  Value result(Value line, Value i, int64_t lanes, bool multiplies) const;
  void store(bool multiplies);

  KernelBuilder &k;
  const bool logarithm;
  const LineGroup group;
  const int64_t n, pitch;
  /// Whether shares may be products by the reciprocal at all.
  const bool mayMultiply;
  /// By line; a logarithm keeps log(sum) for the sum.
  Value largest, sums, partials, exponentials, reciprocals;
};
} // namespace

//===----------------------------------------------------------------------===//
// Phase 1
//===----------------------------------------------------------------------===//

static bool isFloatLike(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

static Value isLess(KernelBuilder &k, Value a, Value b, bool isSigned) {
  using P = arith::CmpIPredicate;
  if (isFloatLike(a))
    return arith::CmpFOp::create(k.b, arith::CmpFPredicate::OLT, a, b);
  return arith::CmpIOp::create(k.b, isSigned ? P::slt : P::ult, a, b);
}

/// Floats: a > b ? a : b is one instruction, and so is the reverse.
static Value extreme(KernelBuilder &k, bool wantsLargest, bool isSigned,
                     Value a, Value b) {
  Value isFirst =
      wantsLargest ? isLess(k, b, a, isSigned) : isLess(k, a, b, isSigned);
  return arith::SelectOp::create(k.b, isFirst, a, b);
}

/// What every element of a line is at least, or at most.
Value SoftmaxGroup::bound(bool isLeast) const {
  auto type = VectorType::get({kLineLanes}, group.storedType());
  if (!group.codes) {
    float infinity = std::numeric_limits<float>::infinity();
    return k.real(type, isLeast ? -infinity : infinity);
  }
  eval::Element element = group.codes->element;
  return k.integer(type,
                   isLeast ? eval::minValue(element) : eval::maxValue(element));
}

/// The largest or the least elements of all lines, as floats.
SmallVector<Value> SoftmaxGroup::findExtremes(bool wantsLargest) const {
  bool isSigned = group.codes && eval::isSigned(group.codes->element);
  SmallVector<Value> start(group.lines, bound(wantsLargest));
  auto found = carryAlong(k, n, start, [&](Value i, ValueRange carried) {
    SmallVector<Value> next;
    for (auto [line, best] : llvm::enumerate(carried)) {
      Value x = group.loadStored(k.index(static_cast<int64_t>(line)), i);
      next.push_back(extreme(k, wantsLargest, isSigned, best, x));
    }
    return next;
  });
  auto better = [&](FloatMath &, Value a, Value b) {
    return extreme(k, wantsLargest, isSigned, a, b);
  };
  for (Value &value : found)
    value = group.real(combineLanes(k, value, better));
  return found;
}

/// A line's codes are no farther apart than the grid is wide.
bool SoftmaxGroup::isKnownModerate() const {
  if (!group.codes)
    return false;
  eval::Element element = group.codes->element;
  auto steps =
      static_cast<float>(eval::maxValue(element) - eval::minValue(element));
  return steps * group.codes->quant->scale() <= kModerate;
}

/// Stores the largest elements and says whether all lines are moderate; null
/// where that is known.
Value SoftmaxGroup::findLargest() {
  FloatMath math(k);
  SmallVector<Value> most = findExtremes(/*wantsLargest=*/true);
  for (auto [line, value] : llvm::enumerate(most))
    k.store(value, largest, k.index(static_cast<int64_t>(line)));
  if (isKnownModerate())
    return {};
  Value areModerate = k.integer(k.i1(), 1);
  SmallVector<Value> least = findExtremes(/*wantsLargest=*/false);
  for (auto [low, high] : llvm::zip(least, most)) {
    Value isModerate = math.le(math.f32(-kModerate), math.sub(low, high));
    areModerate = math.both(areModerate, isModerate);
  }
  return areModerate;
}

//===----------------------------------------------------------------------===//
// Phase 2
//===----------------------------------------------------------------------===//

/// The smaller of `least` and those of `x` that are not 0 (nor NaN).
static Value leastPositive(FloatMath &math, Value x, Value least) {
  Value positive = math.select(math.lt(math.f32(0), x), x, math.f32(1));
  return math.select(math.lt(positive, least), positive, least);
}

/// Exponentials and partial sums of one line. Gives what is carried besides the
/// sums: of exponentials without bounds the least that is not 0, at most 1.
Value SoftmaxGroup::addUpLine(Value line, bool areModerate, Value least) {
  FloatMath math(k, kLineLanes);
  Value top = spread(k, k.load(largest, line), kLineLanes);
  SmallVector<Value> start = {math.f32(0)};
  if (least)
    start.push_back(least);
  auto sums = carryAlong(k, n, start, [&](Value i, ValueRange carried) {
    Value x = math.sub(group.load(line, i), top);
    Value power =
        areModerate ? pinned::expModerate(math, x) : pinned::exp(math, x);
    if (exponentials)
      vector::StoreOp::create(k.b, power, exponentials, place(line, i));
    SmallVector<Value> next = {math.add(carried[0], power)};
    if (least)
      next.push_back(leastPositive(math, power, carried[1]));
    return next;
  });
  vector::StoreOp::create(k.b, sums[0], partials, k.mulIndex(line, kLineLanes));
  return least ? sums[1] : Value();
}

void SoftmaxGroup::addUpModerate() {
  k.loop(group.lines, [&](Value line) {
    addUpLine(line, /*areModerate=*/true, /*least=*/{});
  });
}

/// Gives whether all exponentials are 0 or large enough for products.
Value SoftmaxGroup::addUpAny() {
  FloatMath math(k), wide(k, kLineLanes);
  if (!mayMultiply) {
    k.loop(group.lines, [&](Value line) {
      addUpLine(line, /*areModerate=*/false, /*least=*/{});
    });
    return k.integer(k.i1(), 0);
  }
  Value least =
      k.fold(group.lines, wide.f32(1), [&](Value line, Value carried) {
        return addUpLine(line, /*areModerate=*/false, carried);
      });
  auto smaller = [](FloatMath &lane, Value a, Value b) {
    return lane.select(lane.lt(a, b), a, b);
  };
  return math.le(math.f32(0x1p-80f), combineLanes(k, least, smaller));
}

//===----------------------------------------------------------------------===//
// Phases 3 and 4
//===----------------------------------------------------------------------===//

void SoftmaxGroup::finishSums() {
  FloatMath math(k);
  auto type = VectorType::get({kLineLanes}, k.f32());
  for (int64_t line = 0; line < group.lines; ++line) {
    Value partial =
        vector::LoadOp::create(k.b, type, partials, k.index(line * kLineLanes));
    Value sum = combineLanes(k, partial, [](FloatMath &lane, Value a, Value b) {
      return lane.add(a, b);
    });
    k.store(sum, sums, k.index(line));
    if (reciprocals)
      k.store(math.div(math.f32(1), sum), reciprocals, k.index(line));
  }
  if (logarithm)
    k.loop(group.lines, [&](Value line) {
      k.store(pinned::log(math, k.load(sums, line)), sums, line);
    });
}

/// Elements [i, i + lanes) of the result's line, or element i.
Value SoftmaxGroup::result(Value line, Value i, int64_t lanes,
                           bool multiplies) const {
  FloatMath math(k, lanes);
  auto ofLine = [&](Value numbers) {
    return spread(k, k.load(numbers, line), lanes);
  };
  if (logarithm)
    return math.sub(math.sub(group.load(line, i, lanes), ofLine(largest)),
                    ofLine(sums));
  FloatLine powers{exponentials, k.mulIndex(line, pitch)};
  Value power = loadLine(k, powers, i, lanes);
  if (!multiplies)
    return math.div(power, ofLine(sums));
  return quotient(math, power, ofLine(sums), ofLine(reciprocals));
}

void SoftmaxGroup::store(bool multiplies) {
  k.loop(group.lines, [&](Value line) {
    if (group.inner == 1)
      return forEachStretch(k, n, [&](Value i, int64_t count) {
        k.storeLanes(result(line, i, kLineLanes, multiplies),
                     group.element(line, i), count);
      });
    k.loop(n, [&](Value i) {
      k.storeResult(result(line, i, 0, multiplies), group.element(line, i));
    });
  });
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

/// `then` where `condition` holds, else `otherwise`; each gives a value of
/// `types`, which are none or one.
static ValueRange choose(KernelBuilder &k, TypeRange types, Value condition,
                         llvm::function_ref<Value()> then,
                         llvm::function_ref<Value()> otherwise) {
  auto branch = scf::IfOp::create(k.b, types, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  auto fill = [&](Region &region, llvm::function_ref<Value()> body) {
    k.b.setInsertionPointToStart(&region.front());
    Value value = body();
    scf::YieldOp::create(k.b, value ? ValueRange(value) : ValueRange());
  };
  fill(branch.getThenRegion(), then);
  fill(branch.getElseRegion(), otherwise);
  return branch.getResults();
}

void SoftmaxGroup::emit() {
  Value areModerate = findLargest(), mayBeProducts;
  if (areModerate)
    mayBeProducts = choose(
        k, k.i1(), areModerate,
        [&] {
          addUpModerate();
          return k.integer(k.i1(), 1);
        },
        [&] { return addUpAny(); })[0];
  else
    addUpModerate();
  finishSums();
  if (!mayMultiply || !mayBeProducts)
    return store(mayMultiply);
  auto storing = [&](bool multiplies) {
    return [this, multiplies] {
      store(multiplies);
      return Value();
    };
  };
  choose(k, {}, mayBeProducts, storing(true), storing(false));
}

static Status lowerSoftmax(KernelBuilder &k, int64_t axis, bool logarithm) {
  eval::Tensor in = k.operandInfo(0);
  if (in.element != eval::Element::F32 || in.isQuantized())
    return k.unsupported(std::string(eval::name(in.element)) + " operands");
  int64_t n = in.shape[axis];
  if (in.count())
    forEachGroup(k, in.count() / n, n, [&](Value first, int64_t lines) {
      SoftmaxGroup(k, in, axis, logarithm, first, lines).emit();
    });
  return Status::success();
}

namespace {
template <typename OpTy, bool logarithm>
struct SoftmaxLowering
    : CpuLowering::ExternalModel<SoftmaxLowering<OpTy, logarithm>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    return lowerSoftmax(k, cast<OpTy>(op).getAxis(), logarithm);
  }

  bool takesEpilogue(Operation *op) const { return nn::isFusionAnchor(op); }
};
} // namespace

void tally::cpu::registerSoftmaxLowerings(MLIRContext &context) {
  nn::SoftmaxOp::attachInterface<SoftmaxLowering<nn::SoftmaxOp, false>>(
      context);
  nn::LogSoftmaxOp::attachInterface<SoftmaxLowering<nn::LogSoftmaxOp, true>>(
      context);
}
