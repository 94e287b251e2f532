//===- Softmax.cpp - softmax and its logarithm on the CPU -----------------===//
//
// A share of a line is e^(x - largest) / sum. Lines go through four phases in
// groups (LineGroup.h):
//
//   1  the largest element of each line, in step
//   2  one line after the other: e^(x - largest) to memory, and the sixteen
//      partial sums
//   3  of all lines the sum and its reciprocal, in step
//   4  one line after the other: shares, to the epilogue
//
// Where every x of a group is at most 50 below its line's largest, or so far
// that its exponential is 0 (a mask's), exponentials need no bounds
// (pinned::expModerate), and shares no division (Quotient.h). Of codes on a
// grid that is no wider this is known when compiled; else phase 2 takes it to
// be so and looks, and is done again with any numbers in the rare case.
//
// Cost: 23 operations of vectors for each vector of exponentials, 27 where
// phase 2 looks; 4 for each of shares. A NaN makes its whole line NaN by way of
// the sum, when the maximum overlooks it.
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

/// How far below the largest an element of a line is moderate: e^-50 > 2^-73;
/// and from where its exponential is 0.
static constexpr float kModerate = 50, kMasked = 104;
/// Lines of so many elements may have sums beyond what quotients are exact for.
static constexpr int64_t kLongLine = int64_t(1) << 20;

namespace {
/// What is known of the elements of a line.
enum class LineRange {
  Moderate, ///< all are moderate
  Masked,   ///< each is moderate or has an exponential of 0
  Any
};

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
  Value lowest() const;
  bool isKnownModerate() const;
  void findLargest();
  Value addUpLine(Value line, LineRange range, Value least);
  Value addUpLooking();
  void addUp(LineRange range);
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

/// a > b ? a : b, of floats one instruction.
static Value larger(KernelBuilder &k, bool isSigned, Value a, Value b) {
  if (!isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return isSigned ? arith::MaxSIOp::create(k.b, a, b).getResult()
                    : arith::MaxUIOp::create(k.b, a, b).getResult();
  Value isFirst = arith::CmpFOp::create(k.b, arith::CmpFPredicate::OLT, b, a);
  return arith::SelectOp::create(k.b, isFirst, a, b);
}

/// What every element of a line is at least.
Value SoftmaxGroup::lowest() const {
  auto type = VectorType::get({kLineLanes}, group.storedType());
  if (!group.codes)
    return k.real(type, -std::numeric_limits<float>::infinity());
  return k.integer(type, eval::minValue(group.codes->element));
}

void SoftmaxGroup::findLargest() {
  bool isSigned = group.codes && eval::isSigned(group.codes->element);
  SmallVector<Value> start(group.lines, lowest());
  auto found =
      carryAlong(k, n, start, [&](Value i, int64_t, ValueRange carried) {
        SmallVector<Value> next;
        for (auto [line, best] : llvm::enumerate(carried)) {
          Value x = group.loadStored(k.index(static_cast<int64_t>(line)), i);
          next.push_back(larger(k, isSigned, best, x));
        }
        return next;
      });
  for (auto [line, value] : llvm::enumerate(found)) {
    Value most = combineLanes(k, value, [&](FloatMath &, Value a, Value b) {
      return larger(k, isSigned, a, b);
    });
    k.store(group.real(most), largest, k.index(static_cast<int64_t>(line)));
  }
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

//===----------------------------------------------------------------------===//
// Phase 2
//===----------------------------------------------------------------------===//

/// e^x; where lines are masked, x becomes 0 where that is 0.
static Value exponential(FloatMath &math, Value &x, LineRange range) {
  if (range == LineRange::Any)
    return pinned::exp(math, x);
  Value power = pinned::expModerate(math, x);
  if (range == LineRange::Moderate)
    return power;
  Value isMasked = math.lt(x, math.f32(-kMasked)), zero = math.f32(0);
  x = math.select(isMasked, zero, x);
  return math.select(isMasked, zero, power);
}

static Value sum(FloatMath &math, Value a, Value b) { return math.add(a, b); }

static Value smaller(FloatMath &math, Value a, Value b) {
  return math.select(math.lt(b, a), b, a);
}

/// Exponentials and partial sums of one line. Gives `least`, where there is
/// one, or what is less of an element whose exponential is not 0.
Value SoftmaxGroup::addUpLine(Value line, LineRange range, Value least) {
  Value top = k.load(largest, line);
  SmallVector<Value> start = {FloatMath(k, kLineLanes).f32(0)};
  if (least)
    start.push_back(least);
  auto step = [&](Value i, int64_t lanes, ValueRange carried) {
    FloatMath math(k, lanes);
    Value x = math.sub(group.load(line, i, lanes), spread(k, top, lanes));
    Value power = exponential(math, x, range);
    if (exponentials)
      vector::StoreOp::create(k.b, power, exponentials, place(line, i));
    SmallVector<Value> next = {foldLanes(k, carried[0], power, sum)};
    if (least)
      next.push_back(foldLanes(k, carried[1], x, smaller));
    return next;
  };
  // What looks at each element has no registers to spare.
  int64_t most =
      range == LineRange::Moderate ? lanesOfLongSteps(k.tier) : kLineLanes;
  auto carried = carryAlong(k, n, start, step, most);
  vector::StoreOp::create(k.b, carried[0], partials,
                          k.mulIndex(line, kLineLanes));
  return least ? carried[1] : Value();
}

void SoftmaxGroup::addUp(LineRange range) {
  k.loop(group.lines,
         [&](Value line) { addUpLine(line, range, /*least=*/{}); });
}

/// Takes lines to be masked and gives whether one is not.
Value SoftmaxGroup::addUpLooking() {
  FloatMath math(k), wide(k, kLineLanes);
  Value least =
      k.fold(group.lines, wide.f32(0), [&](Value line, Value carried) {
        return addUpLine(line, LineRange::Masked, carried);
      });
  least = combineLanes(k, least, smaller);
  return math.lt(least, math.f32(-kModerate));
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
    Value total = combineLanes(k, partial, sum);
    k.store(total, sums, k.index(line));
    if (reciprocals)
      k.store(math.div(math.f32(1), total), reciprocals, k.index(line));
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
                     group.element(line, i), count, n);
      });
    k.loop(n, [&](Value i) {
      k.storeResult(result(line, i, 0, multiplies), group.element(line, i));
    });
  });
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

/// `then` where `condition` holds, else `otherwise`, which may be null.
static void choose(KernelBuilder &k, Value condition,
                   llvm::function_ref<void()> then,
                   llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(k.b, condition, bool(otherwise));
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!otherwise)
    return;
  k.b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

void SoftmaxGroup::emit() {
  findLargest();
  Value isFar;
  if (isKnownModerate()) {
    addUp(LineRange::Moderate);
  } else {
    isFar = addUpLooking();
    choose(k, isFar, [&] { addUp(LineRange::Any); }, nullptr);
  }
  finishSums();
  if (!mayMultiply || !isFar)
    return store(mayMultiply);
  choose(k, isFar, [&] { store(false); }, [&] { store(true); });
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
