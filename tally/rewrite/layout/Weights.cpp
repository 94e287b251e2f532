//===- Weights.cpp - constants of products, stored once -------------------===//
//
// A kernel keeps one operand of a product still, packed ahead of time: the
// right one. A constant on the left has to change sides. Product.cpp says why
// the bits stay.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/layout/Weights.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Inference.h"
#include "tally/rewrite/CleanUp.h"
#include "tally/rewrite/Remarks.h"
#include "tally/rewrite/layout/Permutation.h"
#include "tally/rewrite/layout/Product.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

//===----------------------------------------------------------------------===//
// Sides
//===----------------------------------------------------------------------===//

/// Why a product stays although there may be weights on its left.
static std::optional<Refusal> whyStays(Operation *product) {
  bool left = isWeight(product->getOperand(0));
  bool right = isWeight(product->getOperand(1));
  if (left && right)
    return Refusal{"both operands are constant", "compute it ahead of time"};
  if (!left && !right)
    return Refusal{"neither operand is constant", "make one a constant"};
  return whyNotExchanged(product);
}

static void moveToTheRight(Operation *product) {
  Value result = product->getResult(0), weight = product->getOperand(0);
  remarkAt(product, RemarkCode::WeightsToTheRight)
      << edge(weight)
      << because("kernels keep a constant right operand packed");
  OpBuilder builder(product);
  Value transposed = exchanged(builder, product);
  Permutation back =
      llvm::to_vector(llvm::seq<int64_t>(tensorType(result).getRank()));
  std::swap(back[back.size() - 1], back[back.size() - 2]);
  Value restored = permutedValue(builder, product->getLoc(), transposed, back);
  result.replaceAllUsesWith(restored);
  product->erase();
}

void tally::rewrite::weightsToTheRight(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (!isProduct(&op))
      continue;
    bool isUsual = isWeight(op.getOperand(1)) && !isWeight(op.getOperand(0));
    if (isUsual)
      continue;
    if (auto refusal = whyStays(&op))
      remarkAt(&op, RemarkCode::ProductAsItIs)
          << edge(op.getOperand(0)) << because("{0}", refusal->reason)
          << instead("{0}", refusal->suggestion);
    else
      moveToTheRight(&op);
  }
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

static ArrayRef<uint8_t> bytesOf(const eval::Tensor &tensor) {
  return {reinterpret_cast<const uint8_t *>(tensor.storage.get()),
          static_cast<size_t>(tensor.byteCount())};
}

/// Constants by type and hash of their content.
using ConstantTable =
    llvm::DenseMap<std::pair<Type, uint64_t>, SmallVector<ConstantOp, 1>>;

/// A constant before `constant` that is the same, or null.
static ConstantOp findEqual(ConstantTable &table, ConstantOp constant) {
  eval::Tensor tensor = hostTensor(constant.getValue(), constant.getType());
  ArrayRef<uint8_t> bytes = bytesOf(tensor);
  auto &alike = table[{constant.getType(), llvm::xxh3_64bits(bytes)}];
  for (ConstantOp earlier : alike) {
    eval::Tensor known = hostTensor(earlier.getValue(), earlier.getType());
    if (bytesOf(known) == bytes)
      return earlier;
  }
  alike.push_back(constant);
  return {};
}

static void shareConstants(func::FuncOp function) {
  ConstantTable table;
  for (auto constant : llvm::make_early_inc_range(
           function.getBody().front().getOps<ConstantOp>())) {
    ConstantOp earlier = findEqual(table, constant);
    if (!earlier)
      continue;
    remarkAt(constant, RemarkCode::EqualConstants)
        << edge(constant.getOutput()) << other(earlier);
    constant.getOutput().replaceAllUsesWith(earlier.getOutput());
    constant.erase();
  }
}

void tally::rewrite::shareEqual(func::FuncOp function) {
  shareConstants(function);
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

void tally::rewrite::foldTransposes(func::FuncOp function) {
  for (auto transpose : llvm::make_early_inc_range(
           function.getBody().front().getOps<TransposeOp>())) {
    auto constant = transpose.getInput().getDefiningOp<ConstantOp>();
    if (!constant)
      continue;
    if (!constant.getOutput().hasOneUse())
      remarkAt(transpose, RemarkCode::SecondCopy)
          << edge(constant.getOutput())
          << because("'{0}' needs it transposed, other readers do not",
                     nodeName(*transpose.getOutput().user_begin()))
          << instead("read it in one order everywhere");
    foldConstant(transpose);
  }
}
