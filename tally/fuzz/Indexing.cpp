//===- Indexing.cpp - operators with indices as operands ------------------===//

#include "tally/fuzz/Recipes.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using namespace tally::nn;

/// Indices of a dimension of `size`, some negative, constant or an input; an
/// input also holds some outside, which are clamped.
static Value indices(GraphBuilder &g, ArrayRef<int64_t> shape, int64_t size) {
  Type element = g.integer(g.random.chance(50) ? 32 : 64);
  if (g.random.chance(25))
    return g.integersOf(element, shape);
  eval::Tensor tensor = describe(g.type(shape, element));
  tensor.allocate();
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    eval::storeInt(tensor, i, g.random.between(-size, size - 1));
  return g.constant(tensor, element);
}

static Value data(GraphBuilder &g) {
  return g.random.chance(30) ? g.any(kNotEmpty) : g.real(kNotEmpty);
}

static void gather(GraphBuilder &g) {
  Value x = data(g);
  int64_t axis = g.random.below(tensorType(x).getRank());
  SmallVector<int64_t> shape;
  for (int64_t n = g.random.pick({0, 1, 1, 2}); n > 0; --n)
    shape.push_back(g.random.between(1, 3));
  g.settle(g.createAs<GatherOp>(elementType(x), x,
                                indices(g, shape, shapeOf(x)[axis]),
                                g.builder.getI64IntegerAttr(axis)));
}

static void gatherElements(GraphBuilder &g) {
  Value x = data(g);
  int64_t axis = g.random.below(tensorType(x).getRank());
  SmallVector<int64_t> shape;
  for (int64_t size : shapeOf(x))
    shape.push_back(g.random.between(1, size));
  g.settle(g.createAs<GatherElementsOp>(elementType(x), x,
                                        indices(g, shape, shapeOf(x)[axis]),
                                        g.builder.getI64IntegerAttr(axis)));
}

static void gatherNd(GraphBuilder &g) {
  Value x = data(g);
  int64_t length = g.random.between(1, tensorType(x).getRank());
  g.settle(g.createAs<GatherNdOp>(
      elementType(x), x,
      indices(g, {g.random.between(1, 4), length}, shapeOf(x)[0]),
      g.builder.getI64IntegerAttr(0)));
}

/// Reals or plain integers.
static Value scattered(GraphBuilder &g) {
  return g.random.chance(60) ? g.real(kNotEmpty)
                             : g.integers(g.randomInteger(), kNotEmpty);
}

static Value updates(GraphBuilder &g, Value data, ArrayRef<int64_t> shape) {
  return isReal(data) ? g.realOf(shape)
                      : g.integersOf(elementType(data), shape);
}

static StringAttr reduction(GraphBuilder &g) {
  return g.builder.getStringAttr(
      g.random.pick({"none", "none", "add", "mul", "min", "max"}));
}

static void scatterElements(GraphBuilder &g) {
  Value x = scattered(g);
  int64_t axis = g.random.below(tensorType(x).getRank());
  SmallVector<int64_t> shape;
  for (int64_t size : shapeOf(x))
    shape.push_back(g.random.between(1, size));
  g.settle(g.create<ScatterElementsOp>(
      x, indices(g, shape, shapeOf(x)[axis]), updates(g, x, shape),
      g.builder.getI64IntegerAttr(axis), reduction(g)));
}

static void scatterNd(GraphBuilder &g) {
  Value x = scattered(g);
  int64_t length = g.random.between(1, tensorType(x).getRank());
  int64_t count = g.random.between(1, 3);
  SmallVector<int64_t> shape = {count};
  shape.append(SmallVector<int64_t>(shapeOf(x).drop_front(length)));
  g.settle(g.create<ScatterNdOp>(x, indices(g, {count, length}, shapeOf(x)[0]),
                                 updates(g, x, shape), reduction(g)));
}

ArrayRef<Recipe> fuzz::indexingRecipes() {
  static const Recipe recipes[] = {
      {3, gather},          {1, gatherElements}, {1, gatherNd},
      {1, scatterElements}, {1, scatterNd},
  };
  return recipes;
}
