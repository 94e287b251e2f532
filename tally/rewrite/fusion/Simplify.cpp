//===- Simplify.cpp - what a chain can do without -------------------------===//
//
// Looks at each operator of a chain and the one before it, and applies the
// first law that holds, until none does. Each law makes the chain shorter, or
// moves a rounding towards its start, so this ends.
//
// Example, s2 = 5 s1 and both grids of i8 with zero point 0:
//
//   conv : on s1; requantize : on s2    D1(-128), D1(127) are codes -26, 25
//     ==> conv : on s2; clip to codes -26 .. 25
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/fusion/Simplify.h"
#include "tally/graph/Locations.h"
#include "tally/rewrite/Remarks.h"
#include "tally/rewrite/fusion/GridRules.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

UniformQuantizedType tally::rewrite::codesOf(Value value) {
  return dyn_cast<UniformQuantizedType>(getElementTypeOrSelf(value.getType()));
}

bool tally::rewrite::isClamp(Operation *op) {
  return isa_and_nonnull<ReluOp, ClipOp>(op);
}

static ClampBounds boundsOf(Operation *clamp) {
  if (auto clip = dyn_cast<ClipOp>(clamp))
    return {clip.getLow().convertToFloat(), clip.getHigh().convertToFloat()};
  return {0, std::numeric_limits<float>::infinity()};
}

bool tally::rewrite::isCodeClamp(Operation *op, const FusionOptions &options) {
  if (!isClamp(op) || !codesOf(op->getOperand(0)))
    return false;
  return options.without == Predicate::clampOnSameGrid ||
         clampOnSameGrid(codesOf(op->getOperand(0)), codesOf(op->getResult(0)));
}

namespace {
class Simplifier {
public:
  Simplifier(FusedOp fused, const FusionOptions &options)
      : fused(fused), options(options), builder(fused.getContext()) {}

  /// Applies one law somewhere; whether there was one.
  bool step();

private:
  bool holds(Predicate predicate, bool value) const {
    return value || options.without == predicate;
  }
  bool removeIdentity(Operation *clamp);
  bool mergeClamps(Operation *first, Operation *second);
  bool dropRounding(Operation *first, Operation *second);
  bool mayDrop(UniformQuantizedType from, UniformQuantizedType to) const;
  void clipSaturation(Operation *first, UniformQuantizedType from,
                      UniformQuantizedType to);
  Value clip(Location loc, Value input, Type type, ClampBounds bounds);
  /// `op` is left out; what it reads stands for its tensor.
  void bypass(Operation *op);

  FusedOp fused;
  const FusionOptions &options;
  OpBuilder builder;
};
} // namespace

void Simplifier::bypass(Operation *op) {
  Value input = op->getOperand(0);
  Operation *producer = input.getDefiningOp();
  producer->setLoc(
      withOutputs(producer->getLoc(), {tensorName(op->getResult(0)).str()}));
  op->getResult(0).replaceAllUsesWith(input);
  op->erase();
}

Value Simplifier::clip(Location loc, Value input, Type type,
                       ClampBounds bounds) {
  return ClipOp::create(builder, loc, type, input,
                        builder.getF32FloatAttr(bounds.low),
                        builder.getF32FloatAttr(bounds.high));
}

//===----------------------------------------------------------------------===//
// Clamps
//===----------------------------------------------------------------------===//

bool Simplifier::removeIdentity(Operation *clamp) {
  UniformQuantizedType from = codesOf(clamp->getOperand(0));
  UniformQuantizedType to = codesOf(clamp->getResult(0));
  if (!isClamp(clamp) || !from ||
      !holds(Predicate::clampIsIdentity,
             clampIsIdentity(boundsOf(clamp), from, to)))
    return false;
  // A requantization would follow the profile, a clamp does not.
  if (from != to && !holds(Predicate::idealRounding, options.idealRounding))
    return false;
  remarkAt(clamp, RemarkCode::ClampRemoved) << edge(clamp->getResult(0));
  if (from == to) {
    bypass(clamp);
    return true;
  }
  builder.setInsertionPoint(clamp);
  Value moved =
      RequantizeOp::create(builder, clamp->getLoc(), clamp->getResultTypes()[0],
                           clamp->getOperand(0));
  clamp->getResult(0).replaceAllUsesWith(moved);
  clamp->erase();
  return true;
}

bool Simplifier::mergeClamps(Operation *first, Operation *second) {
  if (!isClamp(first) || !codesOf(first->getOperand(0)) ||
      !isCodeClamp(second, options))
    return false;
  remarkAt(second, RemarkCode::ClampsMerged)
      << edge(first->getResult(0)) << other(first);
  builder.setInsertionPoint(second);
  Value merged =
      clip(second->getLoc(), first->getOperand(0), second->getResultTypes()[0],
           composed(boundsOf(first), boundsOf(second)));
  second->getResult(0).replaceAllUsesWith(merged);
  second->erase();
  first->erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Roundings
//===----------------------------------------------------------------------===//

/// Whether `op` means an exact real, rounded once, on whatever grid its result
/// has.
static bool roundsOnce(Operation *op, UniformQuantizedType to) {
  if (isa<RequantizeOp>(op))
    return true;
  auto core = dyn_cast<Quantizable>(op);
  if (!core)
    return false;
  SmallVector<RankedTensorType> operands;
  for (Value operand : cast<Operator>(op).positionalOperands())
    operands.push_back(operand ? cast<RankedTensorType>(operand.getType())
                               : RankedTensorType());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return core.hasQuantizedMeaning(operands, type.clone(Type(to)));
}

/// Whether `second` only moves or clamps the codes of `first` onto another
/// grid.
static bool isSecondRounding(Operation *first, Operation *second) {
  UniformQuantizedType from = codesOf(second->getOperand(0));
  UniformQuantizedType to = codesOf(second->getResult(0));
  return from && to && from != to &&
         (isa<RequantizeOp>(second) || isClamp(second)) &&
         second->getOperand(0).getDefiningOp() == first &&
         roundsOnce(first, to);
}

bool Simplifier::mayDrop(UniformQuantizedType from,
                         UniformQuantizedType to) const {
  return holds(Predicate::idealRounding, options.idealRounding) &&
         holds(Predicate::ratioKeepsRounding, ratioKeepsRounding(from, to)) &&
         saturationBounds(from, to);
}

void Simplifier::clipSaturation(Operation *first, UniformQuantizedType from,
                                UniformQuantizedType to) {
  if (holds(Predicate::saturatesAlike, saturatesAlike(from, to)))
    return;
  builder.setInsertionPointAfter(first);
  Value result = first->getResult(0);
  Value clipped = clip(first->getLoc(), result, result.getType(),
                       *saturationBounds(from, to));
  result.replaceAllUsesExcept(clipped, clipped.getDefiningOp());
}

bool Simplifier::dropRounding(Operation *first, Operation *second) {
  if (!isSecondRounding(first, second))
    return false;
  UniformQuantizedType from = codesOf(first->getResult(0));
  UniformQuantizedType to = codesOf(second->getResult(0));
  if (!mayDrop(from, to))
    return false;
  remarkAt(first, RemarkCode::RoundingDropped)
      << edge(first->getResult(0)) << other(second)
      << because("the second scale is {0} times the first",
                 ratioText(from, to));
  first->getResult(0).setType(second->getResult(0).getType());
  first->setLoc(withOutputs(first->getLoc(), {std::string()}));
  clipSaturation(first, from, to);
  if (isa<RequantizeOp>(second))
    bypass(second);
  return true;
}

/// Why two roundings stay, and what would change that.
static std::pair<std::string, const char *>
whyKept(UniformQuantizedType from, UniformQuantizedType to, bool isIdeal) {
  std::string ratio =
      "the second scale is " + ratioText(from, to) + " times the first";
  if (!ratioKeepsRounding(from, to))
    return {ratio, "quantize once, or choose scales whose ratio is 1, 5, 9 .."};
  if (!isIdeal)
    return {ratio + ", but the numerics profile rounds otherwise",
            "compile with --numerics=ideal"};
  return {ratio + ", but fp32 does not reach where the first saturates",
          "choose smaller scales"};
}

bool Simplifier::step() {
  SmallVector<Operation *> chain = fused.chain();
  for (size_t i = 1; i < chain.size(); ++i)
    if (removeIdentity(chain[i]) || mergeClamps(chain[i - 1], chain[i]) ||
        dropRounding(chain[i - 1], chain[i]))
      return true;
  return false;
}

void tally::rewrite::simplify(FusedOp fused, const FusionOptions &options) {
  Simplifier simplifier(fused, options);
  while (simplifier.step()) {
  }
}

void tally::rewrite::reportRoundings(FusedOp fused,
                                     const FusionOptions &options) {
  SmallVector<Operation *> chain = fused.chain();
  for (size_t i = 1; i < chain.size(); ++i) {
    if (!isSecondRounding(chain[i - 1], chain[i]))
      continue;
    auto [reason, suggestion] =
        whyKept(codesOf(chain[i]->getOperand(0)),
                codesOf(chain[i]->getResult(0)), options.idealRounding);
    remarkAt(chain[i - 1], RemarkCode::RoundingKept)
        << edge(chain[i]->getOperand(0)) << other(chain[i])
        << because("{0}", reason) << instead("{0}", suggestion);
  }
}
