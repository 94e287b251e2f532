//===- Normalizations.cpp - islands of floats between codes ---------------===//

#include "tally/fuzz/Recipes.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using namespace tally::nn;

static Value lastAxis(GraphBuilder &g, Ranks ranks, int64_t &axis) {
  Value x = g.real(ranks);
  int64_t rank = tensorType(x).getRank();
  axis = g.random.chance(65) ? rank - 1 : g.random.below(rank);
  return x;
}

static FloatAttr epsilon(GraphBuilder &g) {
  return g.builder.getF32FloatAttr(g.random.pick({1e-5f, 1e-3f, 1.f}));
}

template <typename OpTy> static void softmax(GraphBuilder &g) {
  int64_t axis;
  Value x = lastAxis(g, kNotEmpty, axis);
  g.settle(g.create<OpTy>(x, g.builder.getI64IntegerAttr(axis)));
}

static void integerSoftmax(GraphBuilder &g) {
  Value x = g.codes(kNotEmpty, [](Value value) {
    return quantizedElement(value.getType()).getStorageTypeIntegralWidth() <= 8;
  });
  int64_t axis = g.random.below(tensorType(x).getRank());
  Type grid = quantizedType(g.context(), drawGrid(g.random, {0, 255}, 0,
                                                  g.random.chance(70) ? 1 : 5));
  g.publish(
      g.createAs<IntegerSoftmaxOp>(grid, x, g.builder.getI64IntegerAttr(axis)));
}

static void layerNorm(GraphBuilder &g) {
  int64_t axis;
  Value x = lastAxis(g, kNotEmpty, axis);
  ArrayRef<int64_t> row = shapeOf(x).drop_front(axis);
  Value scale = g.realConstant(row);
  Value bias = g.random.chance(70) ? g.realConstant(row) : Value();
  Value y = g.create<LayerNormalizationOp>(
      x, scale, bias, g.builder.getI64IntegerAttr(axis), epsilon(g));
  if (y && g.random.chance(15))
    g.publish(y.getDefiningOp()->getResult(g.random.between(1, 2)));
  g.settle(y);
}

static void rmsNorm(GraphBuilder &g) {
  int64_t axis;
  Value x = lastAxis(g, kNotEmpty, axis);
  g.settle(g.create<RmsNormalizationOp>(
      x, g.realConstant(shapeOf(x).drop_front(axis)),
      g.builder.getI64IntegerAttr(axis), epsilon(g)));
}

static void batchNorm(GraphBuilder &g) {
  Value x = g.real({2, 4, false});
  SmallVector<int64_t> channels = {shapeOf(x)[1]};
  Value variance = g.create<AbsOp>(g.realConstant(channels));
  g.settle(g.create<BatchNormalizationOp>(
      x, g.realConstant(channels), g.realConstant(channels),
      g.realConstant(channels), variance, epsilon(g)));
}

static void instanceNorm(GraphBuilder &g) {
  Value x = g.real(kImage);
  int64_t channels = shapeOf(x)[1];
  g.settle(g.create<InstanceNormalizationOp>(
      x, g.realConstant(channels), g.realConstant(channels), epsilon(g)));
}

static void groupNorm(GraphBuilder &g) {
  Value x = g.real(kImage);
  int64_t channels = shapeOf(x)[1];
  int64_t groups = g.random.between(1, channels);
  if (channels % groups)
    groups = channels;
  int64_t entries = g.random.chance(70) ? channels : groups;
  g.settle(g.create<GroupNormalizationOp>(
      x, g.realConstant(entries), g.realConstant(entries),
      g.builder.getI64IntegerAttr(groups), epsilon(g)));
}

static void lrn(GraphBuilder &g) {
  auto f32 = [&](float value) { return g.builder.getF32FloatAttr(value); };
  g.settle(g.create<LrnOp>(
      g.real(kImage), g.builder.getI64IntegerAttr(g.random.between(1, 5)),
      f32(g.random.pick({1e-4f, 0.5f})), f32(0.75f), f32(1)));
}

static void lpNorm(GraphBuilder &g) {
  int64_t axis;
  Value x = lastAxis(g, kNotEmpty, axis);
  g.settle(g.create<LpNormalizationOp>(
      x, g.builder.getI64IntegerAttr(axis),
      g.builder.getI64IntegerAttr(g.random.between(1, 2))));
}

ArrayRef<Recipe> fuzz::normalizationRecipes() {
  static const Recipe recipes[] = {
      {4, softmax<SoftmaxOp>},
      {1, softmax<LogSoftmaxOp>},
      {2, integerSoftmax},
      {4, layerNorm},
      {1, rmsNorm},
      {2, batchNorm},
      {1, instanceNorm},
      {1, groupNorm},
      {1, lrn},
      {1, lpNorm},
  };
  return recipes;
}
