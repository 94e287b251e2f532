//===- Layouts.cpp - in which order each tensor is stored -----------------===//
//
// Operations are points of two colours, plain or channels last, and a tensor
// is a net that joins the one that makes it with those that read it: it costs
// its bytes once when they do not agree. Inputs, outputs and operators that
// know plain order only have the first colour, convolutions the second, and
// elementwise operators, pools and the like take what is cheapest. The
// cheapest colouring is a minimum cut.
//
//     input -> conv -> relu -> conv -> pool -> reshape -> output
//     plain    last    either  last    either  plain      plain
//
// Here everything up to the pool is channels last; if the pool leaves one pixel
// the orders of its result are one, and nothing is moved at all.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Layouts.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/Storage.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"
#include "tally/rewrite/layout/MinCut.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;
using tally::rewrite::Colour;
using tally::rewrite::ColouringProblem;

static constexpr llvm::StringLiteral kReorder = "cpu.reorder";

static eval::Shape shapeOf(Value value) {
  return nn::describe(cast<RankedTensorType>(value.getType())).shape;
}

bool tally::cpu::isReorder(Operation *op) {
  return op && op->hasAttr(kReorder);
}

Order Layouts::ofResult(Operation *op) const {
  return channelsLast.contains(op) && hasOrders(shapeOf(op->getResult(0)))
             ? Order::ChannelsLast
             : Order::Plain;
}

Order Layouts::of(Value value) const {
  return ofResult(rootOf(value).getDefiningOp());
}

//===----------------------------------------------------------------------===//
// What each operation can take
//===----------------------------------------------------------------------===//

/// An operation on old values of states may write over them.
static bool readsState(Operation *op, func::FuncOp function) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    auto argument = dyn_cast<BlockArgument>(rootOf(operand));
    return argument && argument.getArgNumber() >= nn::ownArguments(function);
  });
}

static Orders ordersOf(Operation *op, func::FuncOp function) {
  if (op->getNumResults() != 1 || readsState(op, function))
    return Orders::Plain;
  if (isAlias(op))
    return keepsChannels(shapeOf(op->getOperand(0)), shapeOf(op->getResult(0)))
               ? Orders::Either
               : Orders::Plain;
  auto lowering = dyn_cast<CpuLowering>(op);
  return lowering ? lowering.orders() : Orders::Plain;
}

static Operation *anchorOf(Operation *op) {
  auto fused = dyn_cast<nn::FusedOp>(op);
  return fused ? fused.chain().front() : op;
}

/// Whether `use` is the input of a convolution, which takes either order
/// whatever its own is.
static bool takesEither(OpOperand &use) {
  Operation *op = use.getOwner(), *anchor = anchorOf(op);
  if (!isa<nn::ConvOp>(anchor))
    return false;
  if (anchor == op)
    return use.getOperandNumber() == 0;
  auto argument = dyn_cast<BlockArgument>(anchor->getOperand(0));
  return argument && argument.getArgNumber() == use.getOperandNumber();
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

namespace {
class Choice {
public:
  explicit Choice(func::FuncOp function) : function(function) {
    for (Operation &op : function.getBody().front())
      if (!isa<nn::ConstantOp>(op))
        points[&op] = pointOf(&op);
    for (BlockArgument argument : function.getArguments())
      addNet(argument, ColouringProblem::kFirst);
    for (auto [op, point] : points)
      for (Value result : op->getResults())
        addNet(result, point);
  }

  llvm::DenseSet<Operation *> channelsLast() const {
    std::vector<Colour> colours = rewrite::cheapestColouring(problem);
    llvm::DenseSet<Operation *> chosen;
    for (auto [op, point] : points)
      if (colours[point] == Colour::Second)
        chosen.insert(op);
    return chosen;
  }

private:
  size_t pointOf(Operation *op) {
    switch (ordersOf(op, function)) {
    case Orders::Plain:
      return ColouringProblem::kFirst;
    case Orders::Either:
      return problem.addPoint();
    case Orders::ChannelsLast:
      return ColouringProblem::kSecond;
    }
    return ColouringProblem::kFirst;
  }

  void addNet(Value value, size_t point) {
    if (!hasOrders(shapeOf(value)))
      return;
    ColouringProblem::Net net = {{point}, storageBytes(value)};
    for (Operation *user : value.getUsers())
      net.points.push_back(points.lookup(user));
    problem.nets.push_back(std::move(net));
  }

  func::FuncOp function;
  ColouringProblem problem;
  llvm::MapVector<Operation *, size_t> points;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reorders
//===----------------------------------------------------------------------===//

/// Where the reorder of `value` for `uses` stands: before the first of them,
/// or, where that is the end of the function, right behind `value`, whose
/// memory is free then.
static void placeBefore(OpBuilder &builder, Value value,
                        ArrayRef<OpOperand *> uses) {
  Operation *first = uses.front()->getOwner();
  for (OpOperand *use : uses)
    if (use->getOwner()->isBeforeInBlock(first))
      first = use->getOwner();
  Operation *producer = value.getDefiningOp();
  if (first->hasTrait<OpTrait::IsTerminator>() && producer)
    return builder.setInsertionPointAfter(producer);
  builder.setInsertionPoint(first);
}

static Operation *insertReorder(Value value, ArrayRef<OpOperand *> uses) {
  OpBuilder builder(value.getContext());
  placeBefore(builder, value, uses);
  auto rank = static_cast<int64_t>(shapeOf(value).size());
  auto identity = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  auto reorder = nn::TransposeOp::create(builder, value.getLoc(),
                                         value.getType(), value, identity);
  reorder->setAttr(kReorder, builder.getUnitAttr());
  for (OpOperand *use : uses)
    use->set(reorder);
  return reorder;
}

Layouts::Layouts(func::FuncOp function) {
  channelsLast = Choice(function).channelsLast();
  auto wants = [&](OpOperand &use) {
    return channelsLast.contains(use.getOwner()) ? Order::ChannelsLast
                                                 : Order::Plain;
  };
  SmallVector<Value> values(function.getArguments());
  for (Operation &op : function.getBody().front())
    if (!isa<nn::ConstantOp>(op))
      llvm::append_range(values, op.getResults());
  for (Value value : values) {
    if (!hasOrders(shapeOf(value)))
      continue;
    Order own = ofResult(value.getDefiningOp());
    SmallVector<OpOperand *> others;
    for (OpOperand &use : value.getUses())
      if (wants(use) != own)
        others.push_back(&use);
    bool isCopiedAnyway = own == Order::Plain && others.size() == 1 &&
                          takesEither(*others.front());
    if (others.empty() || isCopiedAnyway)
      continue;
    Operation *reorder = insertReorder(value, others);
    reorders.push_back(reorder);
    if (own == Order::Plain)
      channelsLast.insert(reorder);
  }
}

Layouts::~Layouts() {
  for (Operation *reorder : llvm::reverse(reorders)) {
    reorder->getResult(0).replaceAllUsesWith(reorder->getOperand(0));
    reorder->erase();
  }
}
