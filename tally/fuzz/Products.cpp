//===- Products.cpp - convolutions and matrix products --------------------===//

#include "tally/fuzz/Recipes.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using namespace tally::nn;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// The spatial attributes of a convolution.
struct Taps {
  SmallVector<int64_t> kernel, strides, dilations, before, after, extra;

  SmallVector<int64_t> pads() const {
    SmallVector<int64_t> all = before;
    all.append(after);
    return all;
  }
};
} // namespace

static Taps drawTaps(Random &random, ArrayRef<int64_t> spatial) {
  Taps taps;
  for (int64_t size : spatial) {
    int64_t kernel = random.pick({1, 1, 2, 3, 3, 5});
    int64_t dilation = random.pick({1, 1, 1, 2});
    int64_t reach = dilation * (kernel - 1) + 1;
    int64_t before = random.below(kernel + 1), after = random.below(kernel + 1);
    if (random.chance(3))
      before = -1;
    if (size + before + after < reach)
      kernel = dilation = 1, before = after = 0;
    taps.kernel.push_back(kernel);
    taps.dilations.push_back(dilation);
    taps.before.push_back(before);
    taps.after.push_back(after);
    taps.strides.push_back(random.pick({1, 1, 1, 2, 3}));
    taps.extra.push_back(random.chance(20) ? random.below(std::max(
                                                 taps.strides.back(), dilation))
                                           : 0);
  }
  return taps;
}

/// 1, all channels (depthwise), or something between.
static int64_t drawGroups(Random &random, int64_t channels) {
  int64_t groups = random.chance(55)   ? 1
                   : random.chance(50) ? channels
                                       : random.between(1, channels);
  return channels % groups ? 1 : groups;
}

static void conv(GraphBuilder &g) {
  Value x = g.real(kImage);
  ArrayRef<int64_t> shape = shapeOf(x);
  Taps taps = drawTaps(g.random, shape.drop_front(2));
  int64_t groups = drawGroups(g.random, shape[1]);
  int64_t features = groups * g.random.pick({1, 1, 2, 3, 4});
  SmallVector<int64_t> kernel = {features, shape[1] / groups};
  kernel.append(taps.kernel);
  Value w = g.weight(kernel, 0);
  if (!w)
    return;
  g.settle(g.create<ConvOp>(x, w, g.bias(features, x, w), g.i64s(taps.strides),
                            g.i64s(taps.pads()), g.i64s(taps.dilations),
                            g.builder.getI64IntegerAttr(groups)));
}

static void convTranspose(GraphBuilder &g) {
  Value x = g.real(kImage);
  ArrayRef<int64_t> shape = shapeOf(x);
  Taps taps = drawTaps(g.random, shape.drop_front(2));
  int64_t groups = drawGroups(g.random, shape[1]);
  int64_t features = g.random.pick({1, 1, 2, 3});
  SmallVector<int64_t> kernel = {shape[1], features};
  kernel.append(taps.kernel);
  Value w = g.weight(kernel, 1);
  if (!w)
    return;
  g.settle(g.create<ConvTransposeOp>(x, w, g.bias(groups * features, x, w),
                                     g.i64s(taps.strides), g.i64s(taps.pads()),
                                     g.i64s(taps.dilations), g.i64s(taps.extra),
                                     g.builder.getI64IntegerAttr(groups)));
}

/// Plain bytes: the codes of a tensor, or an input; of `shape` when given.
static Value bytes(GraphBuilder &g, Type element, Ranks ranks) {
  Value codes = g.pick([&](Value value) {
    return isCodes(value) && fits(ranks, shapeOf(value)) &&
           storageElement(elementType(value)) == element;
  });
  if (codes && g.random.chance(60))
    return g.createAs<StorageCastOp>(element, codes);
  return g.integers(element, ranks);
}

/// A zero point of `count` entries, run-time, constant, or none.
static Value zeroPoint(GraphBuilder &g, Type element, ArrayRef<int64_t> shape) {
  if (g.random.chance(35))
    return {};
  auto type = g.type(shape, element);
  return g.random.chance(20) ? g.input(type) : g.constant(type);
}

static void convInteger(GraphBuilder &g) {
  Type byte = g.integer(8, g.random.chance(50));
  Value x = bytes(g, byte, kImage);
  if (!x)
    return;
  ArrayRef<int64_t> shape = shapeOf(x);
  Taps taps = drawTaps(g.random, shape.drop_front(2));
  int64_t groups = drawGroups(g.random, shape[1]);
  int64_t features = groups * g.random.pick({1, 2, 3});
  SmallVector<int64_t> kernel = {features, shape[1] / groups};
  kernel.append(taps.kernel);
  Type weightByte = g.integer(8, g.random.chance(50));
  Value w = g.constant(g.type(kernel, weightByte));
  SmallVector<int64_t> perChannel;
  if (g.random.chance(40))
    perChannel.push_back(features);
  g.settle(g.create<ConvIntegerOp>(
      x, w, zeroPoint(g, byte, {}), zeroPoint(g, weightByte, perChannel),
      g.i64s(taps.strides), g.i64s(taps.pads()), g.i64s(taps.dilations),
      g.builder.getI64IntegerAttr(groups)));
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> matrix(Random &random, ArrayRef<int64_t> batch,
                                   int64_t rows, int64_t columns) {
  SmallVector<int64_t> shape;
  if (random.chance(40))
    for (int64_t size : batch)
      shape.push_back(random.chance(80) ? size : 1);
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

/// `value` with its last two dimensions exchanged.
static Value exchanged(GraphBuilder &g, Value value) {
  if (!value)
    return {};
  int64_t rank = tensorType(value).getRank();
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  return g.create<TransposeOp>(value, g.i64s(permutation));
}

/// The other factor of shape [.., rows, columns], as weights with a grid along
/// dimension rank + `axis`, computed, or computed and transposed.
static Value factor(GraphBuilder &g, ArrayRef<int64_t> batch, int64_t rows,
                    int64_t columns, int64_t axis) {
  if (g.random.chance(65)) {
    auto shape = matrix(g.random, batch, rows, columns);
    return g.weight(shape, static_cast<int64_t>(shape.size()) + axis);
  }
  if (g.random.chance(50))
    return g.realOf(matrix(g.random, batch, rows, columns));
  return exchanged(g, g.realOf(matrix(g.random, batch, columns, rows)));
}

static void matMul(GraphBuilder &g) {
  Value x = g.real({2, 4, false});
  ArrayRef<int64_t> shape = shapeOf(x);
  ArrayRef<int64_t> batch = shape.drop_back(2);
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  int64_t other = g.random.pick({1, 2, 3, 4, 5, 8, 16, 17});
  bool isLeft = g.random.chance(60);
  bool transX = g.random.chance(12), transOther = g.random.chance(12);
  // x' [rows, columns] as the product reads it.
  if (transX)
    std::swap(rows, columns);
  if (isLeft) {
    Value b = transOther ? factor(g, batch, other, columns, -2)
                         : factor(g, batch, columns, other, -1);
    return g.settle(g.create<MatMulOp>(x, b, transX, transOther));
  }
  Value a = transOther ? factor(g, batch, rows, other, -1)
                       : factor(g, batch, other, rows, -2);
  g.settle(g.create<MatMulOp>(a, x, transOther, transX));
}

static Value addend(GraphBuilder &g, int64_t rows, int64_t columns, Value a,
                    Value b) {
  switch (g.random.below(12)) {
  case 0:
    return g.realConstant({rows, columns});
  case 1:
    return g.number(1.5f);
  case 2:
    return g.realConstant({rows, 1});
  case 3:
    return g.bias({1, columns}, a, b);
  default:
    return g.bias(columns, a, b);
  }
}

static void gemm(GraphBuilder &g) {
  Value x = g.real({2, 2, false});
  bool transX = g.random.chance(25), transW = g.random.chance(40);
  bool isLeft = g.random.chance(80);
  int64_t rows = shapeOf(x)[0], columns = shapeOf(x)[1];
  if (transX)
    std::swap(rows, columns);
  int64_t other = g.random.pick({1, 2, 3, 4, 5, 8, 16, 17});
  float alpha = g.random.pick({1.f, 1.f, 1.f, 1.f, 0.5f, 1 / 3.f, -2.f});
  float beta = g.random.pick({1.f, 1.f, 1.f, 1.f, 0.5f, 0.3f, 0.f});
  Value a = x, b, c;
  if (isLeft) {
    b = transW ? g.weight({other, columns}, 0) : g.weight({columns, other}, 1);
    if (b)
      c = addend(g, rows, other, a, b);
  } else {
    b = x;
    a = transW ? g.weight({rows, other}, 1) : g.weight({other, rows}, 0);
    std::swap(transX, transW);
    c = g.random.chance(50) ? g.realConstant({columns}) : Value();
  }
  if (a && b)
    g.settle(g.create<GemmOp>(a, b, c, g.builder.getF32FloatAttr(alpha),
                              g.builder.getF32FloatAttr(beta),
                              g.builder.getBoolAttr(transX),
                              g.builder.getBoolAttr(transW)));
}

static void matMulInteger(GraphBuilder &g) {
  Type byteA = g.integer(8, g.random.chance(50));
  Type byteB = g.integer(8, g.random.chance(50));
  Value a = bytes(g, byteA, {2, 3, false});
  if (!a)
    return;
  int64_t rows = shapeOf(a)[shapeOf(a).size() - 2], inner = shapeOf(a).back();
  int64_t columns = g.random.pick({1, 2, 3, 5, 16});
  bool transB = g.random.chance(20);
  auto type = transB ? g.type({columns, inner}, byteB)
                     : g.type({inner, columns}, byteB);
  Value b = g.random.chance(70) ? g.constant(type) : g.input(type);
  auto perAxis = [&](int64_t count) {
    return g.random.chance(30) ? SmallVector<int64_t>{count}
                               : SmallVector<int64_t>{};
  };
  g.settle(g.create<MatMulIntegerOp>(a, b, zeroPoint(g, byteA, perAxis(rows)),
                                     zeroPoint(g, byteB, perAxis(columns)),
                                     false, transB));
}

ArrayRef<Recipe> fuzz::productRecipes() {
  static const Recipe recipes[] = {
      {12, conv},   {4, convTranspose}, {2, convInteger},
      {12, matMul}, {6, gemm},          {2, matMulInteger},
  };
  return recipes;
}
