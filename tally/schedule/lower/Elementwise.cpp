//===- Elementwise.cpp - operators on each element alone ------------------===//
//
// The vector engine walks boxes of four dimensions; operands that broadcast
// have a stride of 0. On codes the parameters are those of the operator's
// contract; on floats the function is the pinned one.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Types.h"
#include "tally/ops/CodeProblems.h"
#include "tally/ops/Contract.h"
#include "tally/ops/QuantizedGroup.h"
#include "tally/quant/UnaryBlockBytes.h"
#include "tally/schedule/lower/CodeTables.h"
#include "tally/schedule/lower/Epilogue.h"
#include "tally/schedule/lower/FloatFunctions.h"
#include "tally/schedule/lower/Grids.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Numbers.h"
#include "tally/schedule/lower/Views.h"
#include "tally/schedule/lower/Walk.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::CommandCode;
using isa::Function;

/// The commands of the frame's piece: `work` on the tensors of `operands`.
static Status compute(Scheduler &s, Value result, ArrayRef<Value> operands,
                      Work &work) {
  SmallVector<Tensor> inputs;
  for (Value operand : operands) {
    auto tensor = s.value(operand);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  auto shape = s.shapeOf(result);
  const Tensor *like = llvm::find_if(
      inputs, [&](const Tensor &tensor) { return tensor.shape == shape; });
  auto out = s.allocateInPlace(
      result, like == inputs.end() ? Layout::RowMajor : layoutLike(*like));
  if (!out)
    return out.takeError();
  SmallVector<const Tensor *> tensors;
  for (const Tensor &input : inputs)
    tensors.push_back(&input);
  tensors.push_back(&*out);
  if (Status status = walk(s, work, tensors); !status)
    return status;
  s.bind(result, *out);
  return Status::success();
}

/// `op` as `work` on the elements of `operands`, which broadcast.
static PiecewiseNode pieceNode(Scheduler &s, Operation *op,
                               ArrayRef<Value> operands, Work work) {
  PiecewiseNode node;
  node.op = op;
  node.worksInPlace = true;
  for (Value operand : operands)
    node.reads.push_back(broadcastRead(operand));
  node.emit = [&s, result = op->getResult(0),
               operands = SmallVector<Value>(operands),
               work = std::move(work)]() mutable {
    return compute(s, result, operands, work);
  };
  return node;
}

static PiecewiseNode pieceNode(Scheduler &s, Operation *op, Work work) {
  return pieceNode(s, op, llvm::to_vector(op->getOperands()), std::move(work));
}

//===----------------------------------------------------------------------===//
// Between floats and codes
//===----------------------------------------------------------------------===//

static std::optional<eval::Quantization> gridOf(Value value) {
  auto element = nn::quantizedElement(value.getType());
  if (!element)
    return std::nullopt;
  return nn::gridOf(element);
}

static Work conversion(Function function, const eval::Quantization &grid,
                       int64_t channel = 0) {
  Work work;
  work.code = CommandCode::VectorConvert;
  work.function = function;
  work.zero = grid.zeroPoint(channel);
  work.scale = grid.scale(channel);
  return work;
}

/// A command for each channel of the grid, along its axis.
static PiecewiseNode channelConversion(Scheduler &s, Operation *op,
                                       const eval::Quantization &grid,
                                       Function function) {
  auto axis = size_t(grid.axis);
  return formulaNode(
      s, op,
      [=](Steps &v, auto in, auto &out) {
        for (int64_t c = 0; c < out.shape[axis]; ++c) {
          Work work = conversion(function, grid, c);
          Tensor to = indicesOf(out, axis, c, 1);
          v.apply(work, indicesOf(in[0], axis, c, 1), out.type, &to);
        }
      },
      int64_t(axis), /*temporaries=*/0);
}

static Result<PiecewiseNode> lowerConversion(Scheduler &s, Operation *op,
                                             Value codes, Function function) {
  auto grid = gridOf(codes);
  if (!grid)
    return s.unsupported("these element types");
  if (!grid->perTensor())
    return channelConversion(s, op, *grid, function);
  return pieceNode(s, op, conversion(function, *grid));
}

/// Codes that leave out values of their bytes: the unit saturates to bytes.
static Result<PiecewiseNode>
lowerNarrowQuantize(Scheduler &s, Operation *op,
                    const eval::Quantization &grid) {
  if (!grid.perTensor())
    return s.unsupported("codes that leave out values of their bytes, on a "
                         "grid that differs by channel");
  Work work = conversion(Function::ConvertQuantize, grid);
  return formulaNode(s, op, [=](Steps &v, auto in, auto &out) mutable {
    v.apply(work, in, out.type, &out);
    v.integers(Function::IntMax, {out, v.integer(grid.qmin, out.type)}, &out);
    v.integers(Function::IntMin, {out, v.integer(grid.qmax, out.type)}, &out);
  });
}

static Result<PiecewiseNode> lowerQuantize(Scheduler &s, Operation *op) {
  auto grid = gridOf(op->getResult(0));
  auto element = elementTypeOf(op->getResult(0).getType());
  if (!grid || !element || machine::elementBytes(*element) > 2)
    return s.unsupported("codes of more than 16 bits",
                         "quantize to 8 or 16 bits");
  int64_t values = int64_t(1) << (8 * machine::elementBytes(*element));
  if (grid->qmax - grid->qmin + 1 != values)
    return lowerNarrowQuantize(s, op, *grid);
  return lowerConversion(s, op, op->getResult(0), Function::ConvertQuantize);
}

static Result<PiecewiseNode> lowerDequantize(Scheduler &s, Operation *op) {
  return lowerConversion(s, op, op->getOperand(0), Function::ConvertDequantize);
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

static tally::Diagnostic refused(Scheduler &s,
                                 const tally::Diagnostic &failure) {
  return s.unsupported(failure.message + " [" + failure.rule + "]");
}

static Result<PiecewiseNode> lowerTable(Scheduler &s, Operation *op) {
  auto block = unitUnary(s, op);
  if (!block)
    return block.takeError();
  Work work;
  work.code = CommandCode::VectorBlock;
  work.parameters = tally::quant::encodeBlock(*block);
  return pieceNode(s, op, std::move(work));
}

/// In one command where the unit for the result's codes runs the block.
static PiecewiseNode unitNode(Scheduler &s, Operation *op, UnitWork unit) {
  if (!unit.lowest)
    return pieceNode(s, op, std::move(unit.work));
  return formulaNode(
      s, op, [unit = std::move(unit)](Steps &v, auto in, auto &out) mutable {
        v.rescale(unit, in, out);
      });
}

PiecewiseNode tally::schedule::tableNode(Scheduler &s, const CodeTable &table) {
  Operation *root = table.root();
  tally::quant::Table256Block block;
  block.input = nn::codeType(*gridOf(table.input));
  block.result = nn::codeType(*gridOf(root->getResult(0)));
  block.entries = table.entries;
  Work work;
  work.code = CommandCode::VectorBlock;
  work.parameters = tally::quant::encodeBlock(tally::quant::UnaryBlock(block));
  PiecewiseNode node = pieceNode(s, root, table.input, std::move(work));
  node.body = table.body;
  return node;
}

static Result<PiecewiseNode> lowerLinear(Scheduler &s, Operation *op) {
  auto block = unitLinear(s, op);
  if (!block)
    return block.takeError();
  auto least = int32_t(gridOf(op->getResult(0))->qmin);
  return unitNode(
      s, op, unitWork(CommandCode::VectorLinear, *block, block->lo, least));
}

static Result<PiecewiseNode> lowerCodeProduct(Scheduler &s, Operation *op) {
  auto block = unitProduct(s, op);
  if (!block)
    return block.takeError();
  auto least = int32_t(gridOf(op->getResult(0))->qmin);
  return unitNode(s, op,
                  unitWork(CommandCode::VectorProduct, *block,
                           block->requantize.lo, least));
}

/// Rounding keeps the order, so the extreme of the rounded codes is the rounded
/// extreme.
static Result<PiecewiseNode> lowerCodeExtreme(Scheduler &s, Operation *op) {
  Type grid = op->getResult(0).getType();
  auto left = gridChange(s, op->getOperand(0).getType(), grid);
  if (!left)
    return left.takeError();
  auto right = gridChange(s, op->getOperand(1).getType(), grid);
  if (!right)
    return right.takeError();
  Function function =
      llvm::isa<nn::MaxOp>(op) ? Function::IntMax : Function::IntMin;
  return formulaNode(s, op,
                     [function, left = *left,
                      right = *right](Steps &v, auto in, auto &out) mutable {
                       Tensor a =
                           left ? v.apply(*left, in[0], out.type) : in[0];
                       Tensor b =
                           right ? v.apply(*right, in[1], out.type) : in[1];
                       v.integers(function, {a, b}, &out);
                     });
}

//===----------------------------------------------------------------------===//
// PRelu
//===----------------------------------------------------------------------===//

/// The slope's element as a factor of a unit above 0.
static tally::quant::RealSlope slopeAt(const eval::Tensor &slope, int64_t i) {
  if (!slope.isQuantized()) {
    auto value = static_cast<float>(eval::loadFloat(slope, i));
    return {value < 0 ? -1.0F : float(value > 0),
            value == 0 ? 1 : std::abs(value)};
  }
  int64_t channel = eval::AxisIndex(slope.shape, slope.quant->axis)(i);
  int64_t steps = eval::loadInt(slope, i) - slope.quant->zeroPoint(channel);
  return {float(steps), slope.quant->scale(channel)};
}

/// The one dimension of the result along which the slope differs; nothing if
/// there are several. A slope of one element has none, which is `rank`.
static std::optional<size_t> slopeDimension(ArrayRef<int64_t> slope,
                                            size_t rank) {
  std::optional<size_t> found;
  for (auto [d, size] : llvm::enumerate(slope)) {
    if (size == 1)
      continue;
    if (found)
      return std::nullopt;
    found = rank - slope.size() + d;
  }
  return found.value_or(rank);
}

static Result<PiecewiseNode> lowerPRelu(Scheduler &s, Operation *op) {
  auto prelu = cast<nn::PReluOp>(op);
  auto in = gridOf(prelu.getInput()), out = gridOf(prelu.getResult());
  auto constant = prelu.getSlope().getDefiningOp<nn::ConstantOp>();
  if (!in || !out || !in->perTensor() || !constant || !nn::isFinite(constant))
    return s.unsupported("anything but codes of one grid and a constant, "
                         "finite slope");
  auto type = cast<RankedTensorType>(prelu.getResult().getType());
  eval::Tensor slope = nn::hostTensor(
      constant.getValue(), cast<RankedTensorType>(constant.getType()));
  auto dimension = slopeDimension(slope.shape, size_t(type.getRank()));
  if (!dimension)
    return s.unsupported("a slope that differs along two dimensions");
  std::vector<tally::quant::RealSlope> slopes;
  slopes.reserve(size_t(slope.count()));
  for (int64_t i = 0; i < slope.count(); ++i)
    slopes.push_back(slopeAt(slope, i));
  auto block = tally::quant::TwoSlopeBlock::derive(slopes, nn::quantGrid(*in),
                                                   nn::quantGrid(*out));
  if (!block)
    return refused(s, block.error());
  Work work;
  work.code = CommandCode::VectorBlock;
  work.parameters = tally::quant::encodeBlock(*block);
  if (*dimension < size_t(type.getRank()))
    work.channel = *dimension;
  PiecewiseNode node = pieceNode(s, op, prelu.getInput(), work);
  if (work.channel) // its indices choose parameters
    node.uncut.push_back(int64_t(*work.channel));
  return node;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static std::optional<Function> floatFunction(StringRef name) {
  return llvm::StringSwitch<std::optional<Function>>(name)
      .Case("abs", Function::FloatAbs)
      .Case("add", Function::FloatAdd)
      .Case("ceil", Function::FloatCeil)
      .Case("cos", Function::FloatCos)
      .Case("div", Function::FloatDiv)
      .Case("erf", Function::FloatErf)
      .Case("exp", Function::FloatExp)
      .Case("floor", Function::FloatFloor)
      .Case("log", Function::FloatLog)
      .Case("max", Function::FloatMax)
      .Case("min", Function::FloatMin)
      .Case("mul", Function::FloatMul)
      .Case("neg", Function::FloatNeg)
      .Case("reciprocal", Function::FloatReciprocal)
      .Case("relu", Function::FloatRelu)
      .Case("round", Function::FloatRound)
      .Case("sigmoid", Function::FloatSigmoid)
      .Case("sign", Function::FloatSign)
      .Case("sin", Function::FloatSin)
      .Case("softplus", Function::FloatSoftplus)
      .Case("sqrt", Function::FloatSqrt)
      .Case("sub", Function::FloatSub)
      .Case("tanh", Function::FloatTanh)
      .Default(std::nullopt);
}

static Result<PiecewiseNode> lowerFloat(Scheduler &s, Operation *op) {
  auto function = floatFunction(op->getName().stripDialect());
  FloatFormula formula = findFloatFormula(op->getName().stripDialect());
  if (formula)
    return formulaNode(s, op, [op, formula](Steps &v, auto in, auto &out) {
      formula(v, op, in, out);
    });
  if (!function)
    return s.unsupported("this operator on floats",
                         "quantize the node, or compile for the CPU");
  Work work;
  work.code = CommandCode::VectorFloat;
  work.function = *function;
  return pieceNode(s, op, std::move(work));
}

static bool areFloats(TypeRange types) {
  return llvm::all_of(
      types, [](Type type) { return getElementTypeOrSelf(type).isF32(); });
}

static Result<PiecewiseNode> lowerPlain(Scheduler &s, Operation *op) {
  if (areFloats(op->getOperandTypes()) && areFloats(op->getResultTypes()))
    return lowerFloat(s, op);
  auto isCode = [](Value value) { return gridOf(value).has_value(); };
  if (llvm::any_of(op->getOperands(), isCode) || isCode(op->getResult(0)))
    return s.unsupported("codes beside plain numbers");
  return lowerIntegers(s, op);
}

static Result<PiecewiseNode> lowerElementwise(Scheduler &s, Operation *op) {
  if (llvm::isa<nn::PReluOp>(op) && gridOf(op->getOperand(0)))
    return lowerPRelu(s, op);
  auto isCode = [](Value value) { return gridOf(value).has_value(); };
  bool areCodes =
      llvm::all_of(op->getOperands(), isCode) && isCode(op->getResult(0));
  if (!areCodes)
    return lowerPlain(s, op);
  if (op->getNumOperands() == 1)
    return lowerTable(s, op);
  if (llvm::isa<nn::AddOp, nn::SubOp>(op))
    return lowerLinear(s, op);
  if (llvm::isa<nn::MulOp>(op))
    return lowerCodeProduct(s, op);
  if (llvm::isa<nn::MaxOp, nn::MinOp>(op))
    return lowerCodeExtreme(s, op);
  return s.unsupported("this operator on codes");
}

llvm::ArrayRef<LoweringRow> tally::schedule::elementwiseLowerings() {
  static const LoweringRow rows[] = {
      {"nn.abs", lowerElementwise},
      {"nn.add", lowerElementwise},
      {"nn.ceil", lowerElementwise},
      {"nn.celu", lowerElementwise},
      {"nn.clip", lowerElementwise},
      {"nn.cos", lowerElementwise},
      {"nn.dequantize", lowerDequantize},
      {"nn.div", lowerElementwise},
      {"nn.elu", lowerElementwise},
      {"nn.erf", lowerElementwise},
      {"nn.exp", lowerElementwise},
      {"nn.floor", lowerElementwise},
      {"nn.gelu", lowerElementwise},
      {"nn.hard_sigmoid", lowerElementwise},
      {"nn.hard_swish", lowerElementwise},
      {"nn.leaky_relu", lowerElementwise},
      {"nn.log", lowerElementwise},
      {"nn.max", lowerElementwise},
      {"nn.min", lowerElementwise},
      {"nn.mish", lowerElementwise},
      {"nn.mul", lowerElementwise},
      {"nn.neg", lowerElementwise},
      {"nn.pow", lowerElementwise},
      {"nn.prelu", lowerElementwise},
      {"nn.quantize", lowerQuantize},
      {"nn.reciprocal", lowerElementwise},
      {"nn.relu", lowerElementwise},
      {"nn.requantize", lowerElementwise},
      {"nn.round", lowerElementwise},
      {"nn.selu", lowerElementwise},
      {"nn.sigmoid", lowerElementwise},
      {"nn.sign", lowerElementwise},
      {"nn.sin", lowerElementwise},
      {"nn.softplus", lowerElementwise},
      {"nn.softsign", lowerElementwise},
      {"nn.sqrt", lowerElementwise},
      {"nn.sub", lowerElementwise},
      {"nn.swish", lowerElementwise},
      {"nn.tanh", lowerElementwise},
      {"nn.thresholded_relu", lowerElementwise},
  };
  return rows;
}
