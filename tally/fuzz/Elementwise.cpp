//===- Elementwise.cpp - operators that keep elements in place ------------===//

#include "tally/fuzz/Recipes.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using namespace tally::nn;

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

eval::Shape fuzz::drawBroadcast(Random &random, ArrayRef<int64_t> shape) {
  eval::Shape result(shape);
  if (random.chance(55))
    return result;
  if (random.chance(30))
    result.erase(result.begin(),
                 result.begin() + random.between(0, result.size()));
  for (int64_t &size : result)
    if (random.chance(40))
      size = 1;
  return result;
}

/// The second operand for `a`: a itself, another tensor or a constant.
static Value partner(GraphBuilder &g, Value a) {
  if (g.random.chance(6))
    return a;
  eval::Shape shape = drawBroadcast(g.random, shapeOf(a));
  return g.random.chance(30) ? g.weight(shape, -1) : g.realOf(shape);
}

template <typename OpTy> static void binary(GraphBuilder &g) {
  Value a = g.real(), b = partner(g, a);
  if (g.random.chance(30))
    std::swap(a, b);
  g.settle(g.create<OpTy>(a, b));
}

static void mod(GraphBuilder &g) {
  Value a = g.real();
  g.settle(g.create<ModOp>(a, partner(g, a), g.builder.getBoolAttr(true)));
}

static void pow(GraphBuilder &g) {
  float exponent = g.random.pick({2.f, 3.f, 0.5f, -1.f, 1.f, 0.f, 1.7f, -0.5f});
  g.settle(g.create<PowOp>(g.real(), g.number(exponent)));
}

static void prelu(GraphBuilder &g) {
  Value x = g.real();
  SmallVector<int64_t> slope;
  // One slope per channel (dimension 1), as models have it, or one for all.
  ArrayRef<int64_t> shape = shapeOf(x);
  if (shape.size() >= 2 && g.random.chance(60)) {
    slope.assign(shape.size() - 1, 1);
    slope[0] = shape[1];
  }
  Value values = g.realConstant(slope);
  if (g.random.chance(40))
    values = g.dequantized(g.quantized(values, g.gridFor(values)));
  g.settle(g.create<PReluOp>(x, values));
}

/// A condition: a comparison, or booleans that are there.
static Value condition(GraphBuilder &g, ArrayRef<int64_t> shape) {
  if (g.random.chance(50))
    return g.integersOf(g.integer(1), shape);
  Value a = g.realOf(shape);
  return g.create<GreaterOp>(a, partner(g, a));
}

static void where(GraphBuilder &g) {
  Value x = g.real(), y = partner(g, x);
  if (y)
    g.settle(g.create<WhereOp>(condition(g, shapeOf(x)), x, y));
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

namespace {
using MakeUnary = Value (*)(GraphBuilder &, Value);
} // namespace

template <typename OpTy> static Value plain(GraphBuilder &g, Value x) {
  return g.create<OpTy>(x);
}

/// A parameter of a unary operator; mostly of a common size.
static FloatAttr parameter(GraphBuilder &g) {
  float value = g.random.chance(70)
                    ? g.random.pick({0.01f, 0.1f, 0.2f, 0.5f, 1.f, 1.6f})
                    : static_cast<float>(g.random.real(-3, 3));
  return g.builder.getF32FloatAttr(value);
}

template <typename OpTy> static Value one(GraphBuilder &g, Value x) {
  return g.create<OpTy>(x, parameter(g));
}

template <typename OpTy> static Value two(GraphBuilder &g, Value x) {
  FloatAttr first = parameter(g);
  return g.create<OpTy>(x, first, parameter(g));
}

static Value gelu(GraphBuilder &g, Value x) {
  return g.create<GeluOp>(x, g.builder.getBoolAttr(g.random.chance(50)));
}

static Value clip(GraphBuilder &g, Value x) {
  float low = g.random.pick({0.f, 0.f, -1.f, -0.3f, 1.f});
  float high = g.random.pick({6.f, 1.f, 0.9f, 3.f, 127.f});
  return g.create<ClipOp>(x, g.builder.getF32FloatAttr(low),
                          g.builder.getF32FloatAttr(high));
}

Value fuzz::unary(GraphBuilder &g, Value x) {
  static const MakeUnary makers[] = {
      plain<AbsOp>,
      plain<CeilOp>,
      plain<CosOp>,
      plain<ErfOp>,
      plain<ExpOp>,
      plain<FloorOp>,
      plain<HardSwishOp>,
      plain<LogOp>,
      plain<MishOp>,
      plain<NegOp>,
      plain<ReciprocalOp>,
      plain<ReluOp>,
      plain<RoundOp>,
      plain<SigmoidOp>,
      plain<SignOp>,
      plain<SinOp>,
      plain<SoftplusOp>,
      plain<SoftsignOp>,
      plain<SqrtOp>,
      plain<TanhOp>,
      one<CeluOp>,
      one<EluOp>,
      one<LeakyReluOp>,
      one<SwishOp>,
      one<ThresholdedReluOp>,
      two<HardSigmoidOp>,
      two<SeluOp>,
      gelu,
      clip,
  };
  return g.random.pick(ArrayRef(makers))(g, x);
}

static void unaryRecipe(GraphBuilder &g) { g.settle(unary(g, g.real())); }

/// Several in a row, each on its own grid or all on one.
static void chain(GraphBuilder &g) {
  Value x = g.real();
  Type grid = g.random.chance(40) ? g.gridFor(x) : Type();
  for (int64_t n = g.random.between(2, 4); x && n > 0; --n) {
    Value y = unary(g, x);
    if (!y)
      return;
    Value codes = g.quantized(y, grid ? grid : g.gridFor(y));
    x = codes ? g.dequantized(codes) : y;
    if (n == 1)
      g.publish(codes ? codes : y);
  }
}

void fuzz::follow(GraphBuilder &g) {
  Value last = g.published().back();
  if (!isCodes(last) && !isReal(last))
    return;
  Value x = isCodes(last) ? g.create<DequantizeOp>(last) : last;
  if (x && g.random.chance(15))
    if (Value view = moved(g, x))
      x = view;
  if (!x)
    return;
  int64_t kind = g.random.below(10);
  Value y = kind < 3   ? g.create<ReluOp>(x)
            : kind < 5 ? g.create<AddOp>(x, g.realOf(shapeOf(x)))
            : kind < 6 ? x
                       : unary(g, x);
  if (y && g.random.chance(15))
    return g.publish(y);
  if (y)
    g.publish(g.quantized(y, g.gridFor(y)));
}

static void classify(GraphBuilder &g) {
  Value x = g.real();
  if (g.random.chance(50))
    return g.publish(g.create<IsNanOp>(x));
  bool negative = g.random.chance(70);
  g.publish(g.create<IsInfOp>(
      x, g.builder.getBoolAttr(negative),
      g.builder.getBoolAttr(!negative || g.random.chance(50))));
}

/// An island of half-precision floats.
static void half(GraphBuilder &g) {
  Type narrow = g.random.chance(70) ? Type(g.builder.getF16Type())
                                    : Type(g.builder.getBF16Type());
  Value x = g.createAs<CastOp>(narrow, g.real());
  if (x && g.random.chance(50))
    x = unary(g, x);
  if (x && g.random.chance(50))
    x = g.create<AddOp>(
        x,
        g.random.chance(50)
            ? x
            : g.constant(g.type(drawBroadcast(g.random, shapeOf(x)), narrow)));
  if (x && g.random.chance(50))
    x = unary(g, x);
  if (x && g.random.chance(10))
    return g.publish(x);
  if (x)
    g.settle(g.createAs<CastOp>(g.builder.getF32Type(), x));
}

/// Codes onto another grid.
static void requantize(GraphBuilder &g) {
  Value x = g.dequantized(g.codes({}, [](Value) { return true; }));
  if (g.random.chance(30))
    if (Value y = moved(g, x))
      x = y;
  g.publish(g.quantized(x, g.gridFor(x)));
}

/// x times a function of x: two readers, and a dependency between them.
static void gate(GraphBuilder &g) {
  Value x = g.real();
  Value y = unary(g, x);
  if (!y)
    return;
  Value codes = g.quantized(y, g.gridFor(y));
  if (codes)
    g.settle(g.create<MulOp>(x, g.dequantized(codes)));
}

ArrayRef<Recipe> fuzz::elementwiseRecipes() {
  static const Recipe recipes[] = {
      {10, binary<AddOp>},
      {5, binary<SubOp>},
      {6, binary<MulOp>},
      {2, binary<DivOp>},
      {3, binary<MaxOp>},
      {3, binary<MinOp>},
      {1, mod},
      {2, pow},
      {3, prelu},
      {3, where},
      {20, unaryRecipe},
      {8, chain},
      {1, classify},
      {3, half},
      {4, requantize},
      {3, gate},
  };
  return recipes;
}
