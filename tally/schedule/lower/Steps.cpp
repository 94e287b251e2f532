//===- Steps.cpp - operators that take several vector commands ------------===//

#include "tally/schedule/lower/Steps.h"
#include "tally/graph/Locations.h"
#include "tally/schedule/lower/Epilogue.h"

#include <bit>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::CommandCode;
using isa::Function;
using machine::ElementType;

bool Steps::keep(Status status) {
  if (state && !status)
    state = std::move(status);
  return bool(state);
}

void Steps::refuse(const std::string &what, const std::string &hint) {
  keep(s.unsupported(what, hint));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape,
                                            int64_t bytes) {
  SmallVector<int64_t> strides(shape.size());
  for (size_t d = shape.size(); d-- > 0; bytes *= shape[d])
    strides[d] = bytes;
  return strides;
}

/// Dense strides with dimensions in the order of `like`'s, outermost first.
static SmallVector<int64_t> stridesLike(const Tensor &like, int64_t bytes) {
  auto order = llvm::to_vector(llvm::seq<size_t>(0, like.shape.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return std::abs(like.strides[a]) > std::abs(like.strides[b]);
  });
  SmallVector<int64_t> strides(order.size());
  for (size_t d : llvm::reverse(order)) {
    strides[d] = bytes;
    bytes *= like.shape[d];
  }
  return strides;
}

Tensor Steps::make(ArrayRef<int64_t> shape, ElementType type,
                   const Tensor &like, StringRef name) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape.assign(shape.begin(), shape.end());
  bool isAlike = ArrayRef<int64_t>(like.shape) == shape &&
                 !llvm::is_contained(like.strides, 0);
  tensor.strides = isAlike ? stridesLike(like, tensor.bytes())
                           : rowMajorStrides(shape, tensor.bytes());
  tensor.storage = s.storage(nn::nodeName(s.node) + "." + name.str(),
                             tensor.count() * tensor.bytes(),
                             s.machine.sram.alignment, isa::kSram);
  return tensor;
}

Tensor Steps::constant(ArrayRef<int64_t> shape, ElementType type,
                       std::vector<uint8_t> bytes) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.strides = rowMajorStrides(shape, tensor.bytes());
  auto size = int64_t(bytes.size());
  auto loaded = s.load(
      s.constant(nn::nodeName(s.node) + ".numbers", std::move(bytes)), size);
  if (!loaded)
    keep(loaded.takeError());
  else
    tensor.storage = *loaded;
  return tensor;
}

Tensor Steps::integer(int64_t value, ElementType type) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < machine::elementBytes(type); ++i)
    bytes.push_back(uint8_t(uint64_t(value) >> (8 * i)));
  auto [entry, isNew] = numbers.try_emplace({type, bytes});
  if (isNew)
    entry->second = constant({}, type, bytes);
  return entry->second;
}

Tensor Steps::number(float value) {
  return integer(std::bit_cast<int32_t>(value), ElementType::F32);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// The operands' common shape, as numpy broadcasts them.
static SmallVector<int64_t> commonShape(ArrayRef<Tensor> operands) {
  SmallVector<int64_t> shape;
  for (const Tensor &operand : operands) {
    if (operand.shape.size() > shape.size())
      shape.insert(shape.begin(), operand.shape.size() - shape.size(), 1);
    size_t lead = shape.size() - operand.shape.size();
    for (auto [d, size] : llvm::enumerate(operand.shape))
      if (size != 1)
        shape[lead + d] = size;
  }
  return shape;
}

/// The first operand of that shape; else the first of all.
static const Tensor &likeOf(ArrayRef<Tensor> operands,
                            ArrayRef<int64_t> shape) {
  for (const Tensor &operand : operands)
    if (ArrayRef<int64_t>(operand.shape) == shape)
      return operand;
  return operands[0];
}

static bool isChannelsLast(const Tensor &tensor) {
  return tensor.rank() >= 3 && tensor.shape[1] != 1 &&
         tensor.strides[1] == tensor.bytes();
}

static std::string nameOf(const Work &work) {
  auto name = work.function ? isa::infoOf(*work.function).name
                            : isa::infoOf(work.code).name;
  return std::string(name);
}

Tensor Steps::apply(Work &work, ArrayRef<Tensor> operands, ElementType type,
                    const Tensor *out) {
  Tensor result;
  if (!state)
    return result;
  auto shape = commonShape(operands);
  result =
      out ? *out : make(shape, type, likeOf(operands, shape), nameOf(work));
  SmallVector<const Tensor *> tensors;
  for (const Tensor &operand : operands)
    tensors.push_back(&operand);
  tensors.push_back(&result);
  keep(walk(s, work, tensors));
  return result;
}

static bool compares(Function function) {
  switch (function) {
  case Function::FloatEq:
  case Function::FloatLt:
  case Function::FloatLe:
  case Function::IntEq:
  case Function::IntLt:
  case Function::IntLe:
    return true;
  default:
    return false;
  }
}

static Work workOf(CommandCode code, std::optional<Function> function = {}) {
  Work work;
  work.code = code;
  work.function = function;
  return work;
}

Tensor Steps::floats(Function function, ArrayRef<Tensor> operands,
                     const Tensor *out) {
  Work work = workOf(CommandCode::VectorFloat, function);
  return apply(work, operands,
               compares(function) ? ElementType::U8 : ElementType::F32, out);
}

Tensor Steps::integers(Function function, ArrayRef<Tensor> operands,
                       const Tensor *out) {
  Work work = workOf(CommandCode::VectorInteger, function);
  return apply(work, operands,
               compares(function) ? ElementType::U8 : operands[0].type, out);
}

Tensor Steps::select(const Tensor &truth, const Tensor &yes, const Tensor &no,
                     const Tensor *out) {
  Work work = workOf(CommandCode::VectorSelect);
  return apply(work, {truth, yes, no}, yes.type, out);
}

Tensor Steps::cast(const Tensor &from, ElementType type, const Tensor *out) {
  if (from.type == type && !out)
    return from;
  Work work = workOf(CommandCode::VectorConvert, Function::ConvertCast);
  return apply(work, from, type, out);
}

UnitWork tally::schedule::unitWork(CommandCode code,
                                   const isa::ParameterBlock &block,
                                   int32_t leastOfBlock, int32_t leastCode) {
  UnitWork unit{workOf(code), std::nullopt};
  unit.work.parameters = isa::encodeParameters(block);
  if (leastOfBlock == kBelowBytes)
    unit.lowest = leastCode;
  return unit;
}

void Steps::rescale(UnitWork &unit, ArrayRef<Tensor> operands,
                    const Tensor &out) {
  if (!unit.lowest) {
    apply(unit.work, operands, out.type, &out);
    return;
  }
  Tensor wide = apply(unit.work, operands, ElementType::I16);
  integers(Function::IntMax, {wide, integer(*unit.lowest, ElementType::I16)},
           &out);
}

static ElementType reducedType(Function function, ElementType from) {
  switch (function) {
  case Function::ReduceMin:
  case Function::ReduceMax:
    return from;
  case Function::ReduceArgMin:
  case Function::ReduceArgMax:
    return ElementType::I64;
  default:
    return from == ElementType::F32 ? from : ElementType::I64;
  }
}

Tensor Steps::reduce(Function function, const Tensor &from,
                     ArrayRef<int64_t> axes, int64_t zero, const Tensor *out) {
  Tensor result;
  if (!state)
    return result;
  auto shape = from.shape;
  for (int64_t axis : axes)
    shape[size_t(axis)] = 1;
  result = out ? *out
               : make(shape, reducedType(function, from.type), Tensor(),
                      std::string(isa::infoOf(function).name));
  keep(schedule::reduce(s, function, zero, from, result));
  return result;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// The frame's piece of every operand, and where the result's goes.
static Status runFormula(Scheduler &s, Operation *op, const Formula &formula,
                         Steps::Numbers &numbers) {
  SmallVector<Tensor> operands;
  for (Value operand : op->getOperands()) {
    auto tensor = s.value(operand);
    if (!tensor)
      return tensor.takeError();
    operands.push_back(std::move(*tensor));
  }
  Value result = op->getResult(0);
  const Tensor &like = likeOf(operands, s.shapeOf(result));
  auto out = s.allocateResult(
      result, isChannelsLast(like) ? Layout::ChannelsLast : Layout::RowMajor);
  if (!out)
    return out.takeError();
  Steps steps(s, numbers);
  formula(steps, operands, *out);
  s.bind(result, *out);
  return steps.finish();
}

PiecewiseNode tally::schedule::formulaNode(Scheduler &s, Operation *op,
                                           Formula formula,
                                           ArrayRef<int64_t> uncut,
                                           int64_t temporaries) {
  PiecewiseNode node;
  node.op = op;
  node.uncut.assign(uncut.begin(), uncut.end());
  for (Value operand : op->getOperands())
    node.reads.push_back(broadcastRead(operand));
  node.scratch = [temporaries](const Piece &result) {
    return countOf(result) * 4 * temporaries;
  };
  node.emit = [&s, op, formula = std::move(formula),
               numbers = std::make_shared<Steps::Numbers>()] {
    return runFormula(s, op, formula, *numbers);
  };
  return node;
}

Read tally::schedule::wholeRead(Value value) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  return {value, [shape](const Piece &) { return wholeOf(shape); }};
}

Tensor tally::schedule::withDimension(const Tensor &tensor, int64_t axis) {
  Tensor view = tensor;
  view.shape.insert(view.shape.begin() + axis, 1);
  view.strides.insert(view.strides.begin() + axis, 0);
  return view;
}

Tensor tally::schedule::splitDimension(const Tensor &tensor, int64_t d,
                                       int64_t outer) {
  Tensor view = tensor;
  int64_t size = tensor.shape[d] / outer;
  view.shape[d] = size;
  view.shape.insert(view.shape.begin() + d, outer);
  view.strides.insert(view.strides.begin() + d, tensor.strides[d] * size);
  return view;
}
