//===- Windows.cpp - pooling and resampling -------------------------------===//

#include "tally/fuzz/Recipes.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using namespace tally::nn;

namespace {
/// The attributes of a pool over an image.
struct Window {
  SmallVector<int64_t> kernel, strides, pads, dilations;
  bool ceil;
};
} // namespace

static Window drawWindow(Random &random, ArrayRef<int64_t> spatial) {
  Window window;
  SmallVector<int64_t> after;
  for (int64_t size : spatial) {
    int64_t kernel = random.chance(15) ? size : random.pick({1, 2, 2, 3, 3});
    int64_t dilation = random.pick({1, 1, 1, 1, 2});
    int64_t reach = dilation * (kernel - 1) + 1;
    int64_t before = random.chance(60) ? 0 : random.below(reach);
    int64_t behind = random.chance(60) ? 0 : random.below(reach);
    if (size + before + behind < reach)
      kernel = dilation = 1, before = behind = 0;
    window.kernel.push_back(kernel);
    window.dilations.push_back(dilation);
    window.pads.push_back(before);
    after.push_back(behind);
    window.strides.push_back(random.pick({1, 2, 2, 3}));
  }
  window.pads.append(after);
  window.ceil = random.chance(25);
  return window;
}

/// An image of the pool or a new one, as reals, codes or integers.
static Value image(GraphBuilder &g) {
  if (g.random.chance(8))
    return g.integers(g.randomInteger(), kImage);
  return g.real(kImage);
}

static void maxPool(GraphBuilder &g) {
  Value x = image(g);
  Window w = drawWindow(g.random, shapeOf(x).drop_front(2));
  bool hasIndices = g.random.chance(15);
  if (hasIndices)
    g.publish(g.create<MaxPoolIndicesOp>(x, g.i64s(w.kernel), g.i64s(w.strides),
                                         g.i64s(w.pads), g.i64s(w.dilations),
                                         w.ceil, g.random.chance(30)));
  g.settle(g.create<MaxPoolOp>(x, g.i64s(w.kernel), g.i64s(w.strides),
                               g.i64s(w.pads), g.i64s(w.dilations), w.ceil));
}

static void averagePool(GraphBuilder &g) {
  Value x = g.real(kImage);
  Window w = drawWindow(g.random, shapeOf(x).drop_front(2));
  g.settle(g.create<AveragePoolOp>(x, g.i64s(w.kernel), g.i64s(w.strides),
                                   g.i64s(w.pads), g.i64s(w.dilations), w.ceil,
                                   g.random.chance(40)));
}

/// Taps of a linear interpolation with weights in 256ths, of sum 1.
static void resize(GraphBuilder &g) {
  Value x = g.real(kImage);
  ArrayRef<int64_t> shape = shapeOf(x);
  SmallVector<int64_t> axes, sizes;
  SmallVector<Attribute> sources, weights;
  for (int64_t axis = 2; axis < static_cast<int64_t>(shape.size()); ++axis) {
    if (!axes.empty() && g.random.chance(40))
      continue;
    SmallVector<int64_t> from, weight;
    axes.push_back(axis);
    sizes.push_back(g.random.between(1, 2 * shape[axis]));
    for (int64_t i = 0; i < sizes.back(); ++i) {
      int64_t left = g.random.below(shape[axis]);
      int64_t part = g.random.between(0, 256);
      from.append({left, std::min(left + 1, shape[axis] - 1)});
      weight.append({(256 - part) << 15, part << 15});
    }
    sources.push_back(g.i64s(from));
    weights.push_back(g.i64s(weight));
  }
  g.settle(g.create<ResizeOp>(x, g.i64s(axes), g.i64s(sizes),
                              g.builder.getArrayAttr(sources),
                              g.builder.getArrayAttr(weights)));
}

ArrayRef<Recipe> fuzz::windowRecipes() {
  static const Recipe recipes[] = {{6, maxPool}, {6, averagePool}, {2, resize}};
  return recipes;
}
