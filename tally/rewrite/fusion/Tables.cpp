//===- Tables.cpp - operators between codes become a table ----------------===//
//
// Forward, each value gets its origins: the tensors of 8-bit codes that it is a
// function of, element by element, nearest first. A tensor of codes is its own
// origin; what an operator makes has those origins that all its operands have
// in common, constants of one element aside.
//
//   x             [x]
//   a = x + 3     [a, x]        x, a and c are codes
//   b = clip a    [b, a, x]
//   c = x * b     [c, x]        b and x have x in common
//
// Then, last result first, the operators from its farthest origin on become a
// table, unless something else reads a value in between; then a nearer origin
// is tried.
//
// Cost: 256 evaluations of each operator, and the origins, which are as many as
// operators on codes follow each other.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/fusion/Tables.h"
#include "tally/ops/Folding.h"
#include "tally/ops/Lookup.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/CleanUp.h"
#include "tally/rewrite/Remarks.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

/// More operators than any activation is written with; a bound on time.
static constexpr size_t kMostOperators = 32;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool isElementwise(Operation *op) {
  return op && op->hasTrait<ElementwiseStage>() && op->getNumResults() == 1 &&
         !isa<PReluOp, BatchNormalizationOp>(op);
}

namespace {
class Tabulation {
public:
  Tabulation(func::FuncOp function, bool idealRounding)
      : block(function.getBody().front()), idealRounding(idealRounding) {}
  void run();

private:
  using Body = SmallVector<Operation *>;
  bool isConstant(Value value);
  SmallVector<Value> originsOf(Operation *op);
  bool slice(Operation *root, Value origin, Body &body);
  bool isWorthIt(const Body &body) const;
  bool replace(Operation *root, Value origin);

  Block &block;
  const bool idealRounding;
  DenseMap<Value, SmallVector<Value>> origins;
  DenseMap<Operation *, size_t> places;
  DenseSet<Value> constants; ///< of one element, or made of such
};
} // namespace

bool Tabulation::isConstant(Value value) {
  if (constants.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  bool isOne =
      op && typeOf(value).getNumElements() == 1 &&
      (isa<ConstantOp>(op) || (isElementwise(op) && op->getNumOperands() > 0 &&
                               llvm::all_of(op->getOperands(), [&](Value v) {
                                 return isConstant(v);
                               })));
  if (isOne)
    constants.insert(value);
  return isOne;
}

/// What all operands that are not constant have in common.
SmallVector<Value> Tabulation::originsOf(Operation *op) {
  std::optional<SmallVector<Value>> common;
  for (Value operand : op->getOperands()) {
    if (isConstant(operand))
      continue;
    if (typeOf(operand).getShape() != typeOf(op->getResult(0)).getShape())
      return {};
    const SmallVector<Value> &own = origins[operand];
    if (!common)
      common = own;
    else
      llvm::erase_if(*common,
                     [&](Value v) { return !llvm::is_contained(own, v); });
  }
  return common.value_or(SmallVector<Value>());
}

/// The operators from `origin` to `root` in program order; false when
/// something else reads what they make, or they are too many.
bool Tabulation::slice(Operation *root, Value origin, Body &body) {
  SmallVector<Operation *> open = {root};
  DenseSet<Operation *> members = {root};
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    body.push_back(op);
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (operand != origin && !isa<ConstantOp>(producer) &&
          members.insert(producer).second)
        open.push_back(producer);
    }
  }
  llvm::sort(body, [&](Operation *a, Operation *b) {
    return places.lookup(a) < places.lookup(b);
  });
  return body.size() <= kMostOperators &&
         llvm::all_of(body, [&](Operation *op) {
           return op == root || isConstant(op->getResult(0)) ||
                  llvm::all_of(op->getUsers(), [&](Operation *user) {
                    return members.contains(user);
                  });
         });
}

bool tally::rewrite::isSameForAllProfiles(Operation *op) {
  auto isCodes = [](Type type) { return bool(quantizedElement(type)); };
  return isa<DequantizeOp, QuantizeOp>(op) ||
         (llvm::none_of(op->getOperandTypes(), isCodes) &&
          llvm::none_of(op->getResultTypes(), isCodes));
}

/// A row of clamps and tables is left to the chains, which can leave some of
/// them out (Simplify.h). Changes of the type alone cost nothing, and a state
/// that is written over would be copied by a table.
bool Tabulation::isWorthIt(const Body &body) const {
  return body.size() > 1 && !llvm::all_of(body, llvm::IsaPred<StorageCastOp>) &&
         !llvm::all_of(body, llvm::IsaPred<TableOperator>) &&
         (idealRounding || llvm::all_of(body, isSameForAllProfiles));
}

bool Tabulation::replace(Operation *root, Value origin) {
  Body body;
  if (!slice(root, origin, body) || !isWorthIt(body))
    return false;
  auto results = evaluateOnCodes(body, origin);
  if (!results)
    return false;
  ArrayRef entries(reinterpret_cast<const int8_t *>(results->storage.get()),
                   256);
  OpBuilder builder(root);
  auto lookup =
      LookupOp::create(builder, root->getLoc(), root->getResultTypes()[0],
                       origin, builder.getDenseI8ArrayAttr(entries));
  remarkAt(body.end()[-2], RemarkCode::CodeTable) << edge(root->getResult(0));
  root->getResult(0).replaceAllUsesWith(lookup);
  for (Operation *op : llvm::reverse(body))
    if (op->use_empty()) {
      places.erase(op);
      op->erase();
    }
  return true;
}

void Tabulation::run() {
  for (Value argument : block.getArguments())
    if (hasAllBytes(argument.getType()))
      origins[argument] = {argument};
  SmallVector<Operation *> roots;
  for (Operation &op : block.without_terminator()) {
    places[&op] = places.size();
    if (isElementwise(&op))
      origins[op.getResult(0)] = originsOf(&op);
    for (Value result : op.getResults())
      if (hasAllBytes(result.getType())) {
        if (!origins[result].empty())
          roots.push_back(&op);
        origins[result].insert(origins[result].begin(), result);
      }
  }
  for (Operation *root : llvm::reverse(roots)) {
    if (!places.contains(root))
      continue; // it is in a table by now
    SmallVector<Value> candidates = origins[root->getResult(0)];
    for (Value origin : llvm::reverse(ArrayRef(candidates).drop_front()))
      if (replace(root, origin))
        break;
  }
}

void tally::rewrite::tabulate(func::FuncOp function, bool idealRounding) {
  Tabulation(function, idealRounding).run();
  removeDead(function); // constants that only tables read
}
