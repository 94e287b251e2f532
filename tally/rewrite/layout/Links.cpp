//===- Links.cpp - tensors that a permutation and its inverse link --------===//
//
// Starting at each transpose, orders spread along links and through operations
// that commute; an operation that would need one of its tensors in both orders
// stays bound. A constant takes any order at compile time, and a tensor whose
// dimensions other than 1 do not move is its own permutation, so orders do not
// spread through these.
//
// Each tensor is a net: whoever makes it and whoever reads it want it in one
// order or pay its bytes, once, however many readers there are. A reader that
// absorbs the permutation takes both.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/layout/Links.h"
#include "tally/ops/Inference.h"
#include "tally/rewrite/layout/Commute.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

static bool isConstant(Value value) {
  return isa_and_nonnull<ConstantOp>(value.getDefiningOp());
}

Links::Links(func::FuncOp function, ArrayRef<int64_t> permutation)
    : forward(permutation), backward(invertPermutationVector(permutation)) {
  for (auto transpose : function.getBody().front().getOps<TransposeOp>()) {
    tryLink(transpose);
    while (!worklist.empty())
      visit(worklist.pop_back_val());
  }
  for (BlockArgument argument : function.getArguments())
    if (isLinked(argument))
      roots.insert(argument);
  for (Operation &op : function.getBody().front())
    for (Value result : op.getResults())
      if (isLinked(result) && !links.contains(&op))
        roots.insert(result);
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

bool Links::couldBe(Value value, Colour order) const {
  return !isLinked(value) || own(value) == order;
}

void Links::assign(Value value, Colour order) {
  if (orders.insert({value, order}).second)
    worklist.push_back(value);
}

void Links::visit(Value value) {
  Colour order = own(value);
  if (Operation *op = value.getDefiningOp()) {
    if (auto transpose = dyn_cast<TransposeOp>(op))
      tryLink(transpose);
    else
      tryFree(op, order);
  }
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto transpose = dyn_cast<TransposeOp>(user))
      tryLink(transpose);
    else if (!absorbs(use, away(order)) && isPermuted(use))
      tryFree(user, order);
  }
}

/// The order of a transpose's operand if it is a link.
std::optional<Colour> Links::inputOrder(TransposeOp transpose) const {
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  bool goes = permutation == ArrayRef<int64_t>(forward);
  bool returns = permutation == ArrayRef<int64_t>(backward);
  if (!goes && !returns)
    return std::nullopt;
  if (goes && returns) { // its own inverse: the neighbours decide
    if (isLinked(transpose.getInput()))
      return own(transpose.getInput());
    if (isLinked(transpose.getOutput()))
      return other(own(transpose.getOutput()));
  }
  return goes ? Colour::First : Colour::Second;
}

void Links::tryLink(TransposeOp transpose) {
  Value input = transpose.getInput(), output = transpose.getOutput();
  auto order = inputOrder(transpose);
  if (!order || isConstant(input) || keepsBytes(shapeOf(input), forward) ||
      !couldBe(input, *order) || !couldBe(output, other(*order)))
    return;
  links.insert(transpose);
  assign(input, *order);
  assign(output, other(*order));
}

/// The tensors that must have one order for `op` to be free.
SmallVector<Value> Links::dataOf(Operation *op, Colour order) const {
  SmallVector<Value> data;
  auto add = [&](Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    if (shape.size() == forward.size() && !isConstant(value) &&
        !keepsBytes(shape, away(order)))
      data.push_back(value);
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isPermuted(operand))
      add(operand.get());
  for (OpResult result : op->getResults())
    if (isPermuted(result))
      add(result);
  return data;
}

void Links::tryFree(Operation *op, Colour order) {
  if (free.contains(op) || !commutes(op, away(order)))
    return;
  SmallVector<Value> data = dataOf(op, order);
  if (!llvm::all_of(data, [&](Value value) { return couldBe(value, order); }))
    return;
  free.insert({op, order});
  for (Value value : data)
    assign(value, order);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

TransposeOp Links::linkOf(Value value) const {
  auto transpose = dyn_cast_or_null<TransposeOp>(value.getDefiningOp());
  return transpose && links.contains(transpose) ? transpose : TransposeOp();
}

Value Links::root(Value value) const {
  while (TransposeOp link = linkOf(value))
    value = link.getInput();
  return value;
}

SmallVector<Value> Links::members(Value root) const {
  SmallVector<Value> all = {root};
  for (size_t i = 0; i < all.size(); ++i)
    for (Operation *user : all[i].getUsers())
      if (links.contains(user))
        all.push_back(user->getResult(0));
  return all;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

static int64_t byteCount(Value value) {
  return describe(tensorType(value)).byteCount();
}

static size_t boundTo(Colour order) {
  return order == Colour::First ? ColouringProblem::kFirst
                                : ColouringProblem::kSecond;
}

PlacementProblem::PlacementProblem(const Links &links)
    : links(links), scale(static_cast<int64_t>(links.free.size()) + 1) {
  for (auto &[op, order] : links.free)
    points[op] = problem.addPoint();
  for (auto &[op, order] : links.free)
    addOperation(op, order);
  for (Value root : links.roots)
    addTensor(root);
}

/// Leaving the order of the model costs one, and the bytes of operands that
/// broadcast from a lower rank, since these have no other order of their own.
void PlacementProblem::addOperation(Operation *op, Colour order) {
  size_t point = points[op], bound = boundTo(order);
  problem.nets.push_back({{bound, point}, 1});
  ArrayRef<int64_t> permutation = links.away(order);
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayRef<int64_t> shape = shapeOf(operand.get());
    if (!isPermuted(operand) || links.isLinked(operand.get()) ||
        isConstant(operand.get()) || shape.size() >= permutation.size())
      continue;
    SmallVector<int64_t> full(permutation.size() - shape.size(), 1);
    llvm::append_range(full, shape);
    if (!keepsBytes(full, permutation))
      problem.nets.push_back(
          {{bound, point}, scale * byteCount(operand.get())});
  }
}

void PlacementProblem::addTensor(Value root) {
  ColouringProblem::Net net;
  auto add = [&](Operation *op, Colour order) {
    auto point = points.find(op);
    net.points.push_back(point == points.end() ? boundTo(order)
                                               : point->second);
  };
  add(root.getDefiningOp(), links.own(root));
  for (Value member : links.members(root)) {
    Colour order = links.own(member);
    for (OpOperand &use : member.getUses()) {
      Operation *user = use.getOwner();
      if (links.links.contains(user) || absorbs(use, links.away(order)))
        continue;
      if (isPermuted(use))
        add(user, order);
      else
        net.points.push_back(boundTo(order));
    }
  }
  net.cost = scale * byteCount(root);
  nets[root] = problem.nets.size();
  problem.nets.push_back(std::move(net));
}

std::vector<Colour> PlacementProblem::asWritten() const {
  std::vector<Colour> colours(problem.points, Colour::First);
  colours[ColouringProblem::kSecond] = Colour::Second;
  for (auto &[op, order] : links.free)
    colours[points.lookup(op)] = order;
  return colours;
}

bool PlacementProblem::isCut(Value root,
                             const std::vector<Colour> &colours) const {
  ColouringProblem one = {problem.points, {problem.nets[nets.lookup(root)]}};
  one.nets[0].cost = 1;
  return colouringCost(one, colours) == 1;
}
