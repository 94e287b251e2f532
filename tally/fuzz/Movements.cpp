//===- Movements.cpp - operators that only move elements ------------------===//

#include "tally/fuzz/Recipes.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using namespace tally::nn;

//===----------------------------------------------------------------------===//
// One operand, the same element type
//===----------------------------------------------------------------------===//

/// As Squeeze, Unsqueeze, Flatten, and one or two dimensions for all.
static Value reshape(GraphBuilder &g, Value x) {
  SmallVector<int64_t> shape(shapeOf(x));
  auto rank = static_cast<int64_t>(shape.size());
  switch (g.random.below(4)) {
  case 0:
    if (rank >= 2) { // joins two neighbours
      int64_t at = g.random.below(rank - 1);
      shape[at] *= shape[at + 1];
      shape.erase(shape.begin() + at + 1);
    }
    break;
  case 1:
    shape.insert(shape.begin() + g.random.between(0, rank), 1);
    break;
  case 2:
    llvm::erase(shape, 1);
    break;
  default: // splits the last dimension
    if (rank && shape.back() % 2 == 0 && shape.back()) {
      shape.back() /= 2;
      shape.insert(shape.end() - g.random.below(2), 2);
    } else {
      shape = {tensorType(x).getNumElements()};
    }
  }
  return g.create<ReshapeOp>(x, g.i64s(shape));
}

static Value transpose(GraphBuilder &g, Value x) {
  int64_t rank = tensorType(x).getRank();
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (rank == 4 && g.random.chance(40)) // channels last, and back
    return g.create<TransposeOp>(x, g.random.chance(50) ? g.i64s({0, 2, 3, 1})
                                                        : g.i64s({0, 3, 1, 2}));
  for (int64_t i = rank - 1; i > 0; --i)
    std::swap(permutation[i], permutation[g.random.between(0, i)]);
  return g.create<TransposeOp>(x, g.i64s(permutation));
}

static Value slice(GraphBuilder &g, Value x) {
  SmallVector<int64_t> starts, sizes, steps;
  for (int64_t size : shapeOf(x)) {
    bool isWhole = size == 0 || g.random.chance(50);
    int64_t start = isWhole ? 0 : g.random.below(size);
    int64_t end = isWhole ? size : g.random.between(start + 1, size);
    int64_t step = isWhole ? 1 : g.random.pick({1, 1, 1, 2, -1});
    int64_t count = step == 2 ? (end - start + 1) / 2 : end - start;
    starts.push_back(step == -1 ? end - 1 : start);
    sizes.push_back(g.random.chance(1) ? 0 : count);
    steps.push_back(step);
  }
  return g.create<SliceOp>(x, g.i64s(starts), g.i64s(sizes), g.i64s(steps));
}

static Value expand(GraphBuilder &g, Value x) {
  SmallVector<int64_t> shape(shapeOf(x));
  for (int64_t &size : shape)
    if (size == 1 && g.random.chance(60))
      size = g.random.between(1, 4);
  if (g.random.chance(20) && shape.size() < 4)
    shape.insert(shape.begin(), 2);
  return g.create<ExpandOp>(x, g.i64s(shape));
}

/// As Gather with constant indices, or padding that repeats elements.
static Value select(GraphBuilder &g, Value x) {
  SmallVector<int64_t> axes;
  SmallVector<Attribute> segments;
  for (auto [axis, size] : llvm::enumerate(shapeOf(x))) {
    if (size == 0 || !g.random.chance(50))
      continue;
    SmallVector<int64_t> list;
    for (int64_t n = g.random.between(1, 3); n > 0; --n) {
      int64_t first = g.random.below(size);
      bool isDown = g.random.chance(30);
      int64_t most = isDown ? first + 1 : size - first;
      list.append({first, g.random.between(1, most), isDown ? -1 : 1});
    }
    axes.push_back(static_cast<int64_t>(axis));
    segments.push_back(g.i64s(list));
  }
  return g.create<SelectOp>(x, g.i64s(axes), g.builder.getArrayAttr(segments));
}

static Value reverseSequence(GraphBuilder &g, Value x) {
  if (tensorType(x).getRank() < 2)
    return {};
  bool isFirst = g.random.chance(50);
  SmallVector<int64_t> lengths;
  for (int64_t i = 0; i < shapeOf(x)[!isFirst]; ++i)
    lengths.push_back(g.random.between(0, shapeOf(x)[isFirst]));
  return g.create<ReverseSequenceOp>(x, g.builder.getI64IntegerAttr(!isFirst),
                                     g.builder.getI64IntegerAttr(isFirst),
                                     g.i64s(lengths));
}

Value fuzz::moved(GraphBuilder &g, Value x) {
  switch (g.random.below(15)) {
  case 0:
  case 1:
  case 2:
  case 3:
    return reshape(g, x);
  case 4:
  case 5:
  case 6:
  case 7:
    return transpose(g, x);
  case 8:
  case 9:
    return slice(g, x);
  case 10:
  case 11:
    return expand(g, x);
  case 12:
  case 13:
    return select(g, x);
  default:
    return reverseSequence(g, x);
  }
}

/// Publishes what was made of `x`: floats from codes go back onto their grid in
/// most cases, as models do it around a movement.
static void settleMoved(GraphBuilder &g, Value x, Value y) {
  if (!y)
    return;
  auto dequantize = x.getDefiningOp<DequantizeOp>();
  if (!dequantize || !g.random.chance(60))
    return g.settle(y);
  Type grid = quantizedElement(dequantize.getInput().getType());
  if (isa<UniformQuantizedType>(grid))
    g.publish(g.quantized(y, grid));
}

static void movement(GraphBuilder &g) {
  Value x = g.random.chance(50) ? g.real() : g.any();
  Value y = moved(g, x);
  if (y && g.random.chance(25))
    if (Value z = moved(g, y))
      y = z;
  settleMoved(g, x, y);
}

/// A transpose, an elementwise operator, and the transpose back.
static void sandwich(GraphBuilder &g) {
  Value x = g.real({2, 4});
  Value y = transpose(g, x);
  if (!y)
    return;
  auto made = y.getDefiningOp<TransposeOp>();
  SmallVector<int64_t> inverse(made.getPermutation().size());
  for (auto [to, from] : llvm::enumerate(made.getPermutation()))
    inverse[from] = static_cast<int64_t>(to);
  Value z = unary(g, y);
  if (!z)
    return;
  Value codes = g.quantized(z, g.gridFor(z));
  if (!codes)
    return;
  if (g.random.chance(50))
    return g.publish(g.create<TransposeOp>(codes, g.i64s(inverse)));
  Value back = g.create<TransposeOp>(g.dequantized(codes), g.i64s(inverse));
  g.settle(back);
}

//===----------------------------------------------------------------------===//
// Several operands
//===----------------------------------------------------------------------===//

static void concat(GraphBuilder &g) {
  Value first = g.real({1, 4});
  int64_t axis = g.random.below(tensorType(first).getRank());
  SmallVector<Value> operands = {first};
  for (int64_t n = g.random.between(1, 3); n > 0; --n) {
    SmallVector<int64_t> shape(shapeOf(first));
    if (g.random.chance(50))
      shape[axis] = g.random.between(1, 3);
    Value next = g.random.chance(15) ? g.weight(shape, -1) : g.realOf(shape);
    if (next)
      operands.push_back(next);
  }
  g.settle(g.create<ConcatOp>(operands, g.builder.getI64IntegerAttr(axis)));
}

static void pad(GraphBuilder &g) {
  Value x = g.real({1, 4});
  SmallVector<int64_t> before, after;
  for (int64_t size : shapeOf(x)) {
    before.push_back(g.random.chance(50) ? 0 : g.random.between(0, 2));
    after.push_back(g.random.chance(50) ? 0 : g.random.between(-1, 2));
    if (size + before.back() + after.back() < 0)
      after.back() = 0;
  }
  Value value = g.random.chance(50) ? g.number(-0.5f) : Value();
  settleMoved(g, x, g.create<PadOp>(x, value, g.i64s(before), g.i64s(after)));
}

static void trilu(GraphBuilder &g) {
  Value x = g.random.chance(60) ? g.real({2, 4})
                                : g.integers(g.randomInteger(), {2, 3});
  g.settle(
      g.create<TriluOp>(x, g.builder.getI64IntegerAttr(g.random.between(-2, 2)),
                        g.builder.getBoolAttr(g.random.chance(50))));
}

ArrayRef<Recipe> fuzz::movementRecipes() {
  static const Recipe recipes[] = {
      {18, movement}, {6, sandwich}, {6, concat}, {4, pad}, {1, trilu}};
  return recipes;
}
