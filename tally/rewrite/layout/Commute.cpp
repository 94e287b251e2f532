//===- Commute.cpp - operators under another order of dimensions ----------===//
//
// Each function below says for one family which attributes the permuted form
// has, or that there is none. Why the bits stay: an operator without axes acts
// on each element alone; one with an axis acts on lines along it, in an order
// that only the axis decides. A reduction over several axes takes its terms in
// row-major order, so where the order of a sum shows (floats), the reduced
// axes must keep theirs.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/layout/Commute.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Inference.h"
#include "tally/rewrite/layout/Permutation.h"
#include "tally/rewrite/layout/Product.h"
#include "tally/rewrite/layout/Terms.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

/// Attributes to set on the permuted form; nothing when there is none.
using Changes = std::optional<NamedAttrList>;

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// Acts on each element alone, wherever it lies. (Batch normalization knows
/// dimension 1.)
static bool isElementwise(Operation *op) {
  return op->hasTrait<ElementwiseStage>() && !isa<BatchNormalizationOp>(op);
}

namespace {
/// A reduction or the place of an extreme.
struct Reduction {
  SmallVector<int64_t> axes;
  bool keepsDims;
  bool isOrdered; ///< the order of its terms shows in the bits
};
} // namespace

static std::optional<Reduction> reductionOf(Operation *op) {
  using Found = std::optional<Reduction>;
  auto reduce = [&](auto reduction) -> Found {
    bool isFloat = isa<FloatType>(elementType(reduction.getInput()));
    bool isExtreme = isa<ReduceMaxOp, ReduceMinOp>(op);
    return Reduction{llvm::to_vector(reduction.getAxes()),
                     reduction.getKeepdims(), isFloat && !isExtreme};
  };
  return TypeSwitch<Operation *, Found>(op)
      .Case<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp,
            ReduceMaxOp, ReduceMeanOp, ReduceMinOp, ReduceProdOp, ReduceSumOp,
            ReduceSumSquareOp>(reduce)
      .Case<ArgMaxOp, ArgMinOp>([](auto extreme) -> Found {
        return Reduction{{static_cast<int64_t>(extreme.getAxis())},
                         extreme.getKeepdims(),
                         false};
      })
      .Default([](Operation *) -> Found { return std::nullopt; });
}

/// `axes` of the plain tensor as axes of the permuted one.
static SmallVector<int64_t> movedAxes(ArrayRef<int64_t> axes,
                                      ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse = invertPermutationVector(permutation), moved;
  for (int64_t axis : axes)
    moved.push_back(inverse[axis]);
  return moved;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static NamedAttrList one(Operation *op, StringRef name, Attribute value) {
  NamedAttrList list;
  list.append(StringAttr::get(op->getContext(), name), value);
  return list;
}

static Changes movedAxis(Operation *op, int64_t axis,
                         ArrayRef<int64_t> permutation) {
  Builder builder(op->getContext());
  return one(op, "axis",
             builder.getI64IntegerAttr(movedAxes({axis}, permutation)[0]));
}

/// A reduction's axes in the permuted operand, or nothing when an order of
/// terms would change.
static Changes reducedAxes(Operation *op, const Reduction &reduction,
                           ArrayRef<int64_t> permutation) {
  if (isa<ArgMaxOp, ArgMinOp>(op))
    return movedAxis(op, reduction.axes[0], permutation);
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  SmallVector<int64_t> axes = movedAxes(reduction.axes, permutation), visible;
  for (auto [from, to] : llvm::zip(reduction.axes, axes))
    if (shape[from] != 1)
      visible.push_back(to);
  if (reduction.isOrdered && !llvm::is_sorted(visible))
    return std::nullopt;
  llvm::sort(axes);
  return one(op, "axes", Builder(op->getContext()).getDenseI64ArrayAttr(axes));
}

/// Attributes with one entry per dimension.
static NamedAttrList permutedLists(Operation *op, ArrayRef<StringRef> names,
                                   ArrayRef<int64_t> permutation) {
  Builder builder(op->getContext());
  NamedAttrList list;
  for (StringRef name : names) {
    auto entries = op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef();
    list.append(
        builder.getStringAttr(name),
        builder.getDenseI64ArrayAttr(applyPermutation(entries, permutation)));
  }
  return list;
}

static Changes changesOf(SelectOp op, ArrayRef<int64_t> permutation) {
  using Entry = std::pair<int64_t, Attribute>;
  SmallVector<Entry> entries;
  for (auto [axis, segments] :
       llvm::zip(movedAxes(op.getAxes(), permutation), op.getSegments()))
    entries.emplace_back(axis, segments);
  llvm::sort(entries, llvm::less_first());
  Builder builder(op.getContext());
  NamedAttrList list = one(op, "axes",
                           builder.getDenseI64ArrayAttr(llvm::map_to_vector(
                               entries, [](Entry e) { return e.first; })));
  list.append(builder.getStringAttr("segments"),
              builder.getArrayAttr(llvm::map_to_vector(
                  entries, [](Entry e) { return e.second; })));
  return list;
}

/// Interpolation goes along the axes one after the other.
static Changes changesOf(ResizeOp op, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> axes = movedAxes(op.getAxes(), permutation);
  if (!llvm::is_sorted(axes))
    return std::nullopt;
  return one(op, "axes", Builder(op.getContext()).getDenseI64ArrayAttr(axes));
}

static Changes changesOf(ExpandOp op, ArrayRef<int64_t> permutation) {
  if (op.getInput().getType().getRank() != op.getType().getRank())
    return std::nullopt;
  return permutedLists(op, {"shape"}, permutation);
}

static Changes changesOf(Operation *op, ArrayRef<int64_t> permutation) {
  if (isElementwise(op) || isa<DynamicQuantizeLinearOp>(op))
    return NamedAttrList();
  if (op->hasTrait<AlongAxis>())
    return movedAxis(op, op->getAttrOfType<IntegerAttr>("axis").getInt(),
                     permutation);
  if (auto reduction = reductionOf(op))
    return reduction->keepsDims ? reducedAxes(op, *reduction, permutation)
                                : std::nullopt;
  return TypeSwitch<Operation *, Changes>(op)
      .Case<DequantizeRuntimeOp, QuantizeRuntimeOp>([&](auto axis) -> Changes {
        if (axis.getBlockSize() > 0)
          return std::nullopt;
        return movedAxis(op, axis.getAxis(), permutation);
      })
      .Case([&](SliceOp) {
        return permutedLists(op, {"starts", "sizes", "steps"}, permutation);
      })
      .Case([&](PadOp) {
        return permutedLists(op, {"before", "after"}, permutation);
      })
      .Case<ExpandOp, ResizeOp, SelectOp>(
          [&](auto other) { return changesOf(other, permutation); })
      .Default([](Operation *) -> Changes { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Commuting
//===----------------------------------------------------------------------===//

/// A product of run-time operands can give its result transposed.
static bool commutesAsProduct(Operation *product,
                              ArrayRef<int64_t> permutation) {
  auto gemm = dyn_cast<GemmOp>(product);
  return exchangesMatrix(permutation) && !isWeight(product->getOperand(1)) &&
         !whyNotExchanged(product) && !(gemm && gemm.getC());
}

bool tally::rewrite::commutes(Operation *op, ArrayRef<int64_t> permutation) {
  if (!isa<Operator>(op) || op->getNumResults() == 0 ||
      cast<RankedTensorType>(op->getResult(0).getType()).getRank() !=
          static_cast<int64_t>(permutation.size()))
    return false;
  if (isProduct(op))
    return commutesAsProduct(op, permutation);
  return changesOf(op, permutation).has_value();
}

bool tally::rewrite::isPermuted(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isProduct(op))
    return false;
  bool onlyFirst = isa<DequantizeRuntimeOp, PadOp, QuantizeRuntimeOp>(op);
  return !onlyFirst || operand.getOperandNumber() == 0;
}

bool tally::rewrite::isPermuted(OpResult result) {
  return !isa<DynamicQuantizeLinearOp>(result.getOwner()) ||
         result.getResultNumber() == 0;
}

Operation *tally::rewrite::permutedCopy(OpBuilder &builder, Operation *op,
                                        ArrayRef<int64_t> permutation,
                                        ValueRange operands) {
  if (isProduct(op))
    return exchanged(builder, op).getDefiningOp();
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  NamedAttrList changes = *changesOf(op, permutation);
  for (const NamedAttribute &change : changes)
    copy->setAttr(change.getName(), change.getValue());
  for (OpResult result : copy->getResults())
    if (isPermuted(result))
      result.setType(
          permutedType(cast<RankedTensorType>(result.getType()), permutation));
  SmallVector<std::string> unnamed(op->getNumResults());
  copy->setLoc(withOutputs(op->getLoc(), unnamed));
  return copy;
}

//===----------------------------------------------------------------------===//
// Absorbing
//===----------------------------------------------------------------------===//

/// The kept dimensions of a reduction that drops the others, in the order in
/// which the permuted operand has them.
static bool keepsOrder(const Reduction &reduction,
                       ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> kept;
  for (int64_t axis : permutation)
    if (!llvm::is_contained(reduction.axes, axis))
      kept.push_back(axis);
  return llvm::is_sorted(kept);
}

static Changes absorbingChanges(Operation *op, ArrayRef<int64_t> permutation) {
  auto reduction = reductionOf(op);
  if (!reduction || reduction->keepsDims ||
      !keepsOrder(*reduction, permutation))
    return std::nullopt;
  return reducedAxes(op, *reduction, permutation);
}

bool tally::rewrite::absorbs(OpOperand &operand,
                             ArrayRef<int64_t> permutation) {
  if (isFactor(operand))
    return exchangesMatrix(permutation);
  if (auto reshape = dyn_cast<ReshapeOp>(operand.getOwner()))
    return canReorderTerms(reshape, permutation);
  return absorbingChanges(operand.getOwner(), permutation).has_value();
}

void tally::rewrite::absorb(OpOperand &operand, ArrayRef<int64_t> permutation,
                            Value permuted) {
  if (isFactor(operand))
    return readTransposed(operand, permuted);
  if (auto reshape = dyn_cast<ReshapeOp>(operand.getOwner()))
    return reorderTerms(reshape, permutation, permuted);
  Operation *op = operand.getOwner();
  NamedAttrList changes = *absorbingChanges(op, permutation);
  for (const NamedAttribute &change : changes)
    op->setAttr(change.getName(), change.getValue());
  operand.set(permuted);
}
