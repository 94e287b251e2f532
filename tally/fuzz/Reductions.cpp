//===- Reductions.cpp - sums, extremes and orders -------------------------===//

#include "tally/fuzz/Recipes.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using namespace tally::nn;

/// Some dimensions in ascending order; of an image often all spatial ones.
static SmallVector<int64_t> drawAxes(Random &random, int64_t rank) {
  SmallVector<int64_t> axes;
  bool isGlobal = rank >= 3 && random.chance(40);
  for (int64_t axis = 0; axis < rank; ++axis)
    if (isGlobal ? axis >= 2 : random.chance(45))
      axes.push_back(axis);
  return axes;
}

template <typename OpTy> static void reduce(GraphBuilder &g) {
  Value x =
      g.random.chance(10) ? g.integers(g.randomInteger(), kNotEmpty) : g.real();
  g.settle(g.create<OpTy>(x,
                          g.i64s(drawAxes(g.random, tensorType(x).getRank())),
                          g.random.chance(60)));
}

/// A tensor with an order: reals, codes or integers, and one of its axes.
static Value ordered(GraphBuilder &g, int64_t &axis) {
  Value x = g.random.chance(40) ? g.real(kNotEmpty)
            : g.random.chance(60)
                ? g.codes(kNotEmpty, [](Value) { return true; })
                : g.integers(g.randomInteger(), kNotEmpty);
  axis = g.random.below(tensorType(x).getRank());
  return x;
}

template <typename OpTy> static void extreme(GraphBuilder &g) {
  int64_t axis;
  Value x = ordered(g, axis);
  g.publish(g.create<OpTy>(x, axis, g.random.chance(50), g.random.chance(40)));
}

static void topK(GraphBuilder &g) {
  int64_t axis;
  Value x = ordered(g, axis);
  int64_t k = g.random.between(1, shapeOf(x)[axis]);
  Value values = g.create<TopKOp>(x, k, axis, g.random.chance(60));
  if (!values)
    return;
  g.publish(values.getDefiningOp()->getResult(1));
  g.settle(values);
}

static void cumSum(GraphBuilder &g) {
  Value x = g.random.chance(40) ? g.integers(g.randomInteger(), kNotEmpty)
                                : g.real(kNotEmpty);
  int64_t axis = g.random.below(tensorType(x).getRank());
  g.settle(g.create<CumSumOp>(x, g.builder.getI64IntegerAttr(axis),
                              g.builder.getBoolAttr(g.random.chance(30)),
                              g.builder.getBoolAttr(g.random.chance(30))));
}

ArrayRef<Recipe> fuzz::reductionRecipes() {
  static const Recipe recipes[] = {
      {6, reduce<ReduceMeanOp>},
      {4, reduce<ReduceSumOp>},
      {3, reduce<ReduceMaxOp>},
      {3, reduce<ReduceMinOp>},
      {1, reduce<ReduceProdOp>},
      {1, reduce<ReduceL1Op>},
      {1, reduce<ReduceL2Op>},
      {1, reduce<ReduceLogSumOp>},
      {1, reduce<ReduceLogSumExpOp>},
      {1, reduce<ReduceSumSquareOp>},
      {2, extreme<ArgMaxOp>},
      {1, extreme<ArgMinOp>},
      {2, topK},
      {2, cumSum},
  };
  return recipes;
}
