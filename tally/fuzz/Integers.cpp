//===- Integers.cpp - plain integers, booleans and run-time scales --------===//

#include "tally/fuzz/Recipes.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using namespace tally::nn;

template <typename OpTy, typename... Attributes>
static void onIntegers(GraphBuilder &g, Type element, Attributes... more) {
  Value a = g.integers(element);
  Value b = g.integersOf(element, drawBroadcast(g.random, shapeOf(a)));
  g.publish(g.create<OpTy>(a, b, more...));
}

template <typename OpTy> static void arithmetic(GraphBuilder &g) {
  onIntegers<OpTy>(g, g.randomInteger());
}

static void modulo(GraphBuilder &g) {
  onIntegers<ModOp>(g, g.randomInteger(),
                    g.builder.getBoolAttr(g.random.chance(50)));
}

static void shift(GraphBuilder &g) {
  onIntegers<BitShiftOp>(g, g.integer(g.random.pick({8, 32}), false),
                         g.builder.getBoolAttr(g.random.chance(50)));
}

static void bitwiseNot(GraphBuilder &g) {
  g.publish(g.create<BitwiseNotOp>(g.integers(g.randomInteger())));
}

template <typename OpTy> static void logic(GraphBuilder &g) {
  onIntegers<OpTy>(g, g.integer(1));
}

static void logicNot(GraphBuilder &g) {
  g.publish(g.create<NotOp>(g.integers(g.integer(1))));
}

/// A comparison of reals or integers.
template <typename OpTy> static void compare(GraphBuilder &g) {
  if (g.random.chance(50))
    return onIntegers<OpTy>(g, g.randomInteger());
  Value a = g.real();
  g.publish(g.create<OpTy>(a, g.realOf(drawBroadcast(g.random, shapeOf(a)))));
}

static void cast(GraphBuilder &g) {
  Value x = g.random.chance(50) ? g.real() : g.any();
  if (isCodes(x))
    x = g.dequantized(x);
  Type to = g.random.chance(30)   ? Type(g.builder.getF32Type())
            : g.random.chance(15) ? g.integer(1)
            : g.random.chance(10) ? Type(g.builder.getF64Type())
                                  : g.randomInteger();
  g.settle(g.createAs<CastOp>(to, x));
}

/// Codes as the integers that store them, or integers as codes.
static void storageCast(GraphBuilder &g) {
  if (g.random.chance(50)) {
    Value x = g.codes({}, [](Value) { return true; });
    g.publish(g.createAs<StorageCastOp>(storageElement(elementType(x)), x));
    return;
  }
  bool isSigned = g.random.chance(50);
  Value x = g.integers(g.integer(8, isSigned));
  Codes codes = isSigned ? Codes{-128, 127} : Codes{0, 255};
  Type grid = quantizedType(g.context(), drawGrid(g.random, codes, -2, 2));
  g.publish(g.createAs<StorageCastOp>(grid, x));
}

/// Sums of 32 bits as codes, as QGemm and the like leave them.
static void wideCodes(GraphBuilder &g) {
  Value sums = g.integers(g.integer(32));
  Type grid = UniformQuantizedType::get(mlir::quant::QuantizationFlags::Signed,
                                        g.integer(32), g.builder.getF32Type(),
                                        0x1p-20, 0, INT32_MIN, INT32_MAX);
  Value codes = g.createAs<StorageCastOp>(grid, sums);
  if (codes)
    g.settle(g.create<DequantizeOp>(codes));
}

static void oneHot(GraphBuilder &g) {
  Value x = g.integers(g.integer(64), {0, 2});
  int64_t rank = tensorType(x).getRank();
  Value values = g.realConstant(2);
  g.settle(g.create<OneHotOp>(
      x, values, g.builder.getI64IntegerAttr(g.random.between(1, 6)),
      g.builder.getI64IntegerAttr(g.random.between(0, rank))));
}

//===----------------------------------------------------------------------===//
// Scales known when run
//===----------------------------------------------------------------------===//

static void dynamicQuantize(GraphBuilder &g) {
  Value codes = g.create<DynamicQuantizeLinearOp>(g.real());
  if (!codes)
    return;
  Operation *op = codes.getDefiningOp();
  g.settle(g.create<DequantizeRuntimeOp>(codes, op->getResult(1),
                                         op->getResult(2),
                                         g.builder.getI64IntegerAttr(0)));
  g.publish(codes);
}

static void runtimeScale(GraphBuilder &g) {
  Value x = g.real(kNotEmpty);
  int64_t axis = g.random.below(tensorType(x).getRank());
  SmallVector<int64_t> shape;
  if (g.random.chance(50))
    shape.push_back(shapeOf(x)[axis]);
  Value scale = g.create<AbsOp>(
      g.random.chance(50) ? g.realConstant(shape)
                          : g.input(g.type(shape, g.builder.getF32Type())));
  Type element = g.integer(g.random.pick({8, 8, 16}), g.random.chance(50));
  Value zeroPoint;
  if (g.random.chance(50))
    zeroPoint = g.constant(g.type(shape, element));
  auto axisAttr = g.builder.getI64IntegerAttr(axis);
  Value codes = g.createAs<QuantizeRuntimeOp>(element, x, scale, zeroPoint,
                                              TypeAttr::get(element), axisAttr);
  if (!codes)
    return;
  g.publish(codes);
  g.settle(g.create<DequantizeRuntimeOp>(codes, scale, zeroPoint, axisAttr));
}

ArrayRef<Recipe> fuzz::integerRecipes() {
  static const Recipe recipes[] = {
      {1, arithmetic<AddOp>},
      {1, arithmetic<SubOp>},
      {1, arithmetic<MulOp>},
      {1, arithmetic<DivOp>},
      {1, arithmetic<MaxOp>},
      {1, arithmetic<MinOp>},
      {1, arithmetic<BitwiseAndOp>},
      {1, arithmetic<BitwiseOrOp>},
      {1, arithmetic<BitwiseXorOp>},
      {1, modulo},
      {1, shift},
      {1, bitwiseNot},
      {1, logic<AndOp>},
      {1, logic<OrOp>},
      {1, logic<XorOp>},
      {1, logicNot},
      {1, compare<EqualOp>},
      {1, compare<GreaterOp>},
      {1, compare<GreaterOrEqualOp>},
      {1, compare<LessOp>},
      {1, compare<LessOrEqualOp>},
      {4, cast},
      {3, storageCast},
      {2, wideCodes},
      {1, oneHot},
      {2, dynamicQuantize},
      {2, runtimeScale},
  };
  return recipes;
}
