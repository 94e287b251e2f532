//===- GraphBuilder.cpp - a random graph, operator by operator ------------===//

#include "tally/fuzz/GraphBuilder.h"
#include "tally/eval/Evaluator.h"
#include "tally/graph/Locations.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using namespace tally::nn;

bool fuzz::isCodes(Value value) {
  auto grid = dyn_cast<UniformQuantizedType>(elementType(value));
  return grid && grid.getStorageTypeIntegralWidth() <= 16;
}

bool fuzz::isReal(Value value) { return elementType(value).isF32(); }

bool fuzz::fits(Ranks ranks, ArrayRef<int64_t> shape) {
  auto rank = static_cast<int64_t>(shape.size());
  return ranks.least <= rank && rank <= ranks.most &&
         (ranks.mayBeEmpty || !llvm::is_contained(shape, 0));
}

GraphBuilder::GraphBuilder(func::FuncOp function, Random &random)
    : random(random),
      builder(OpBuilder::atBlockEnd(&function.getBody().front())),
      function(function) {}

Type GraphBuilder::integer(unsigned bits, bool isSigned) {
  return IntegerType::get(context(), bits,
                          isSigned ? IntegerType::Signless
                                   : IntegerType::Unsigned);
}

Type GraphBuilder::randomInteger() {
  return integer(random.pick({8, 8, 16, 32, 32, 32, 64, 64}),
                 random.chance(75));
}

//===----------------------------------------------------------------------===//
// Inputs and constants
//===----------------------------------------------------------------------===//

static void fill(Random &random, eval::Tensor &tensor, bool isWild) {
  tensor.allocate();
  if (eval::isFloat(tensor.element))
    fillReals(random, tensor, isWild);
  else
    fillIntegers(random, tensor);
}

Value GraphBuilder::input(RankedTensorType type) {
  eval::Tensor tensor = describe(type);
  fill(random, tensor, random.chance(6));
  unsigned index = function.getNumArguments();
  auto name = builder.getStringAttr("x" + std::to_string(index));
  auto attributes =
      builder.getDictionaryAttr(builder.getNamedAttr("nn.name", name));
  (void)function.insertArgument(index, type, attributes,
                                builder.getUnknownLoc());
  Value value = function.getArgument(index);
  values[value] = std::move(tensor);
  return value;
}

Value GraphBuilder::constant(const eval::Tensor &tensor, Type element) {
  std::string name = "c" + std::to_string(number_++);
  Value value = ConstantOp::create(
      builder, nodeLocation(context(), name, "", {name}),
      type(tensor.shape, element), elementsAttr(context(), tensor, name));
  values[value] = tensor;
  return value;
}

Value GraphBuilder::constant(RankedTensorType type) {
  eval::Tensor tensor = describe(type);
  fill(random, tensor, /*isWild=*/random.chance(1));
  return constant(tensor, type.getElementType());
}

Value GraphBuilder::realConstant(ArrayRef<int64_t> shape) {
  return constant(type(shape, builder.getF32Type()));
}

Value GraphBuilder::number(float value) {
  eval::Tensor tensor;
  tensor.allocate();
  eval::storeFloat(tensor, 0, value);
  return constant(tensor, builder.getF32Type());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value GraphBuilder::pick(function_ref<bool(Value)> fits) {
  SmallVector<Value> found(llvm::make_filter_range(pool, fits));
  if (found.empty())
    return {};
  auto count = static_cast<int64_t>(found.size());
  return found[std::max(random.below(count), random.below(count))];
}

eval::Shape GraphBuilder::drawShapeOf(Ranks ranks) {
  if (ranks.least >= 3)
    return drawImageShape(random);
  eval::Shape shape;
  do
    shape = drawShape(random, random.between(ranks.least, ranks.most));
  while (!fits(ranks, shape));
  return shape;
}

Value GraphBuilder::newReal(ArrayRef<int64_t> shape) {
  if (random.chance(12))
    return input(type(shape, builder.getF32Type()));
  if (random.chance(4))
    return realConstant(shape);
  double size = std::exp2(static_cast<double>(random.between(-3, 4)));
  Type grid = quantizedType(context(),
                            drawGrid(random, drawCodes(random), -size, size));
  auto codes = type(shape, grid);
  return dequantized(random.chance(8) ? constant(codes) : input(codes));
}

Value GraphBuilder::asReal(Value value) {
  return isReal(value) ? value : dequantized(value);
}

Value GraphBuilder::real(Ranks ranks) {
  Value found;
  if (random.chance(85))
    found = pick([&](Value value) {
      return (isCodes(value) || isReal(value)) && fits(ranks, shapeOf(value));
    });
  return found ? asReal(found) : newReal(drawShapeOf(ranks));
}

Value GraphBuilder::realOf(ArrayRef<int64_t> shape) {
  Value found;
  if (random.chance(70))
    found = pick([&](Value value) {
      return (isCodes(value) || isReal(value)) && shapeOf(value) == shape;
    });
  return found ? asReal(found) : newReal(shape);
}

Value GraphBuilder::any(Ranks ranks) {
  Value found;
  if (random.chance(90))
    found = pick([&](Value value) { return fits(ranks, shapeOf(value)); });
  if (found)
    return found;
  if (random.chance(25))
    return integers(randomInteger(), ranks);
  Value value = newReal(drawShapeOf(ranks));
  if (auto dequantize = value.getDefiningOp<DequantizeOp>())
    return dequantize.getInput();
  return value;
}

Value GraphBuilder::integersOf(Type element, ArrayRef<int64_t> shape) {
  Value found;
  if (random.chance(60))
    found = pick([&](Value value) {
      return elementType(value) == element && shapeOf(value) == shape;
    });
  if (found)
    return found;
  return random.chance(20) ? constant(type(shape, element))
                           : input(type(shape, element));
}

Value GraphBuilder::integers(Type element, Ranks ranks) {
  Value found;
  if (random.chance(70))
    found = pick([&](Value value) {
      return elementType(value) == element && fits(ranks, shapeOf(value));
    });
  return found ? found : integersOf(element, drawShapeOf(ranks));
}

Value GraphBuilder::codes(Ranks ranks, function_ref<bool(Value)> accepts) {
  Value found = pick([&](Value value) {
    return isCodes(value) && fits(ranks, shapeOf(value)) && accepts(value);
  });
  if (found)
    return found;
  Type grid = quantizedType(
      context(),
      drawGrid(random, random.chance(50) ? Codes{-128, 127} : Codes{0, 255}, -2,
               2));
  return input(type(drawShapeOf(ranks), grid));
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

Value GraphBuilder::dequantized(Value codes) {
  if (!codes)
    return {};
  if (random.chance(50))
    for (Operation *user : codes.getUsers())
      if (auto dequantize = dyn_cast<DequantizeOp>(user))
        return dequantize.getResult();
  return create<DequantizeOp>(codes);
}

Value GraphBuilder::quantized(Value value, Type grid) {
  return value ? createAs<QuantizeOp>(grid, value) : Value();
}

namespace {
struct Range {
  double low = 0, high = 0;
};
} // namespace

/// Of the finite elements of a float tensor, and 0.
static Range rangeOf(const eval::Tensor &tensor) {
  Range range;
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    double value = eval::loadFloat(tensor, i);
    if (!std::isfinite(value))
      continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

Type GraphBuilder::gridFor(Value value) {
  Value other = random.chance(30) ? pick(isCodes) : Value();
  if (other) {
    eval::Quantization grid = gridOf(quantizedElement(other.getType()));
    // Multiples 1 mod 4 are those after which one rounding is left out.
    float scale = grid.scales[0] * random.pick({1.0f, 1.0f, 1.0f, 1.0f, 2.0f,
                                                3.0f, 5.0f, 9.0f, 0.5f});
    if (std::isfinite(scale) && scale > 0)
      grid.scales[0] = scale;
    if (random.chance(20))
      grid.zeroPoints[0] = random.between(grid.qmin, grid.qmax);
    return quantizedType(context(), grid);
  }
  Range range = rangeOf(values[value]);
  return quantizedType(
      context(), drawGrid(random, drawCodes(random), range.low, range.high));
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

Value GraphBuilder::weightCodes(ArrayRef<int64_t> shape, int64_t axis) {
  Codes range = drawCodes(random);
  double size = std::exp2(static_cast<double>(random.between(-4, 1)));
  eval::Quantization grid =
      axis >= 0 && random.chance(50)
          ? drawAxisGrid(random, range, axis, shape[axis], size)
          : drawGrid(random, range, -size, size);
  return constant(type(shape, quantizedType(context(), grid)));
}

Value GraphBuilder::weight(ArrayRef<int64_t> shape, int64_t axis) {
  if (random.chance(5))
    return realConstant(shape);
  if (random.chance(8)) { // quantized when run, folded when compiled
    Value floats = realConstant(shape);
    return dequantized(quantized(floats, gridFor(floats)));
  }
  if (shape.size() < 2 || random.chance(85))
    return dequantized(weightCodes(shape, axis));
  // Stored with two dimensions exchanged, and transposed before or after the
  // Dequantize.
  auto rank = static_cast<int64_t>(shape.size());
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[random.below(rank)], permutation[rank - 1]);
  SmallVector<int64_t> stored;
  for (int64_t from : permutation)
    stored.push_back(shape[from]);
  Value codes = weightCodes(stored, axis < 0 ? -1 : permutation[axis]);
  if (random.chance(50))
    return create<TransposeOp>(dequantized(codes), i64s(permutation));
  return dequantized(create<TransposeOp>(codes, i64s(permutation)));
}

/// The grid below a Dequantize, or nothing.
static std::optional<eval::Quantization> gridBelow(Value real) {
  if (auto dequantize = real.getDefiningOp<DequantizeOp>())
    return gridOf(quantizedElement(dequantize.getInput().getType()));
  return std::nullopt;
}

Value GraphBuilder::bias(ArrayRef<int64_t> shape, Value x, Value weight) {
  auto gridX = gridBelow(x), gridW = gridBelow(weight);
  if (random.chance(35))
    return {};
  if (!gridX || !gridW || !gridX->perTensor() || random.chance(15))
    return realConstant(shape);
  eval::Quantization grid;
  grid.qmin = INT32_MIN;
  grid.qmax = INT32_MAX;
  // Scales of the transposed convolution's weight serve each group alike.
  int64_t count = gridW->perTensor() ? 1 : shape.back();
  for (int64_t i = 0; i < count; ++i)
    grid.scales.push_back(
        gridX->scale() *
        gridW->scales[i % static_cast<int64_t>(gridW->scales.size())]);
  if (random.chance(10))
    grid.scales.assign(count, 0.3f);
  grid.zeroPoints.assign(count, 0);
  grid.axis = gridW->perTensor() ? -1 : static_cast<int>(shape.size()) - 1;
  if (!llvm::all_of(grid.scales, [](float scale) {
        return std::isfinite(scale) && scale > 0;
      }))
    return {};
  Type element = quantizedType(context(), grid);
  eval::Tensor tensor = describe(type(shape, element));
  tensor.allocate();
  int64_t limit = int64_t(1) << random.pick({4, 10, 10, 14, 24});
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    eval::storeInt(tensor, i, random.between(-limit, limit));
  return dequantized(constant(tensor, element));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

bool GraphBuilder::accept(Operation *op) {
  std::vector<const eval::Tensor *> operands;
  for (Value operand : cast<Operator>(op).positionalOperands())
    operands.push_back(operand ? &values[operand] : nullptr);
  bool isLarge = llvm::any_of(op->getResultTypes(), [](Type type) {
    return cast<RankedTensorType>(type).getNumElements() > 4 * kMaxElements;
  });
  if (!isLarge && succeeded(verify(op)))
    if (auto results = eval::evaluateOperation(op, operands)) {
      for (auto [value, tensor] : llvm::zip(op->getResults(), *results))
        values[value] = std::move(tensor);
      return true;
    }
  ++dropped;
  op->erase();
  return false;
}

Value GraphBuilder::finish(OperationState &state, Type element,
                           LogicalResult inferred,
                           ArrayRef<ShapedTypeComponents> components) {
  if (failed(inferred)) {
    ++dropped;
    return {};
  }
  for (const ShapedTypeComponents &result : components) {
    Type type =
        state.types.empty() && element ? element : result.getElementType();
    assert(type && "the recipe states the result's element type");
    state.addTypes(RankedTensorType::get(result.getDims(), type));
  }
  StringRef opName = state.name.stripDialect();
  std::string name = (opName + Twine(number_++)).str();
  SmallVector<std::string> outputs;
  for (size_t i = 0; i < components.size(); ++i)
    outputs.push_back(name + (i ? "_" + std::to_string(i) : ""));
  state.location = nodeLocation(context(), name, opName, outputs);
  Operation *op = builder.create(state);
  return accept(op) ? op->getResult(0) : Value();
}

Value GraphBuilder::clamped(Value value) {
  if (random.chance(45))
    return create<ReluOp>(value);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Range range = rangeOf(values[value]);
  auto bound = [&](double low, double high) {
    return static_cast<float>(random.real(low, high));
  };
  float low = random.chance(40)   ? 0
              : random.chance(15) ? -infinity
                                  : bound(range.low, range.high);
  float high = random.chance(15)   ? infinity
               : random.chance(30) ? 6
                                   : bound(low, 1.2 * range.high + 1);
  if (std::isnan(high))
    high = 1;
  if (random.chance(3))
    std::swap(low, high);
  return create<ClipOp>(value, builder.getF32FloatAttr(low),
                        builder.getF32FloatAttr(high));
}

Value GraphBuilder::onCodes(Value value) {
  Operation *op = value.getDefiningOp();
  auto core = dyn_cast_or_null<Quantizable>(op);
  if (!core || op->getNumResults() != 1)
    return {};
  SmallVector<Value> operands;
  SmallVector<RankedTensorType> types;
  for (Value operand : cast<Operator>(op).positionalOperands()) {
    types.push_back({});
    if (!operand)
      continue;
    if (auto dequantize = operand.getDefiningOp<DequantizeOp>())
      operand = dequantize.getInput();
    else if (isReal(operand) && !operand.getDefiningOp<ConstantOp>())
      return {};
    operands.push_back(operand);
    types.back() = tensorType(operand);
  }
  auto result = cast<RankedTensorType>(tensorType(value).clone(gridFor(value)));
  if (!core.hasQuantizedMeaning(types, result))
    return {};
  nn::CapturedRejection rejection(context());
  Operation *copy = builder.insert(op->clone());
  copy->setOperands(operands);
  copy->getResult(0).setType(result);
  return accept(copy) ? copy->getResult(0) : Value();
}

void GraphBuilder::settle(Value value) {
  if (!value || !isReal(value))
    return publish(value);
  bool isSeen = random.chance(12);
  if (isSeen)
    publish(value);
  if (!random.chance(85))
    return isSeen ? void() : publish(value);
  if (random.chance(25))
    if (Value codes = onCodes(value)) {
      publish(codes);
      if (value.use_empty() && !isSeen)
        value.getDefiningOp()->erase();
      return;
    }
  while (random.chance(30))
    if (Value next = clamped(value)) {
      value = next;
      if (random.chance(8))
        publish(value);
    }
  publish(quantized(value, gridFor(value)));
}
