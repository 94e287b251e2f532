//===- KernelBuilder.cpp - writes one operator's kernel -------------------===//

#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/CodeReaders.h"
#include "tally/cpu/KernelSteps.h"
#include "tally/cpu/Layouts.h"
#include "tally/cpu/Storage.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Folding.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

#include "tally/cpu/Lowering.cpp.inc"

KernelBuilder::KernelBuilder(Operation *op, Tier tier, eval::Profile profile,
                             ModuleOp module, StringRef name)
    : op(op), tier(tier), profile(profile),
      b(UnknownLoc::get(module.getContext()), module.getContext()), whole(op) {
  b.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(b, name, b.getFunctionType({}, {}));
  function.setPrivate();
  b.setInsertionPointToStart(function.addEntryBlock());
}

//===----------------------------------------------------------------------===//
// Operands and arguments
//===----------------------------------------------------------------------===//

static Value positional(Operation *op, size_t i) {
  auto operands = cast<nn::Operator>(op).positionalOperands();
  return i < operands.size() ? operands[i] : Value();
}

size_t KernelBuilder::operandCount() const {
  return cast<nn::Operator>(op).positionalOperands().size();
}

bool KernelBuilder::hasOperand(size_t i) const {
  return positional(op, i) != nullptr;
}

eval::Tensor KernelBuilder::operandInfo(size_t i) const {
  return nn::describe(cast<RankedTensorType>(positional(op, i).getType()));
}

eval::Tensor KernelBuilder::resultInfo(size_t i) const {
  return nn::describe(cast<RankedTensorType>(op->getResult(i).getType()));
}

/// The operand of the whole operation that `value`, an argument of its region,
/// stands for; any other value stands for itself.
static Value outerValue(Operation *whole, Value value) {
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  if (!argument || argument.getOwner()->getParentOp() != whole)
    return value;
  return whole->getOperand(argument.getArgNumber());
}

Order KernelBuilder::resultOrder() const {
  return layouts ? layouts->ofResult(whole) : Order::Plain;
}

Order KernelBuilder::operandOrder(size_t i) const {
  Value value = outerValue(whole, positional(op, i));
  if (!layouts)
    return Order::Plain;
  Operation *producer = value.getDefiningOp();
  bool isStage = producer && producer->getParentOp() == whole;
  return isStage ? resultOrder() : layouts->of(value);
}

std::optional<eval::Tensor> KernelBuilder::constantOperand(size_t i) const {
  Value value = outerValue(whole, positional(op, i));
  return value ? nn::constantValue(value) : std::nullopt;
}

static bool isProduct(Operation *op) {
  if (auto fused = dyn_cast<nn::FusedOp>(op))
    op = fused.chain().front();
  return llvm::isa<nn::MatMulOp, nn::GemmOp>(op);
}

ProductSchedule KernelBuilder::scheduleOf(const ProductTask &task) {
  auto [known, isNew] = scheduled.try_emplace(task);
  if (isNew && schedules && schedules->contains(task))
    known->second = schedules->at(task);
  else if (isNew)
    known->second.schedule = cheapestOf(task);
  return known->second.schedule;
}

bool KernelBuilder::isConstantOfProducts(size_t i) const {
  Value value = outerValue(whole, positional(op, i));
  return value && value.getDefiningOp<nn::ConstantOp>() &&
         llvm::all_of(value.getUsers(), isProduct);
}

Type tally::cpu::storageType(MLIRContext *context, eval::Element element) {
  if (element == eval::Element::Bool)
    return IntegerType::get(context, 8);
  Type type = nn::typeOf(context, element);
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(context, integer.getWidth());
  return type;
}

eval::Shape tally::cpu::memrefShape(eval::Shape shape) {
  std::replace(shape.begin(), shape.end(), int64_t(0), int64_t(1));
  return shape;
}

MemRefType KernelBuilder::memrefOf(const eval::Tensor &info, Order order) {
  eval::Shape shape = memrefShape(info.shape);
  if (order == Order::Plain)
    return MemRefType::get(shape, storage(info.element));
  auto layout = StridedLayoutAttr::get(b.getContext(), /*offset=*/0,
                                       stridesIn(order, shape));
  return MemRefType::get(shape, storage(info.element), layout);
}

Value KernelBuilder::addArgument(MemRefType type, KernelArgument argument) {
  unsigned i = function.getNumArguments();
  auto noalias = b.getDictionaryAttr(
      b.getNamedAttr(LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr()));
  (void)function.insertArgument(i, type, noalias, b.getLoc());
  arguments.push_back(std::move(argument));
  return function.getArgument(i);
}

Value KernelBuilder::tensorArgument(KernelArgument::Kind kind, size_t i,
                                    const eval::Tensor &info, Order order) {
  for (auto [position, argument] : llvm::enumerate(arguments))
    if (argument.kind == kind && argument.index == static_cast<int64_t>(i))
      return function.getArgument(position);
  return addArgument(memrefOf(info, order),
                     {kind, static_cast<int64_t>(i), {}, 0});
}

Value KernelBuilder::operand(size_t i) {
  auto argument = dyn_cast<BlockArgument>(positional(op, i));
  bool isInner = argument && argument.getOwner()->getParentOp() == whole;
  size_t position = isInner ? argument.getArgNumber() : i;
  // One argument for one memory: arguments do not alias.
  if (position < shared.size() && shared[position])
    return *shared[position] == 0 ? result() : copy(*shared[position] - 1);
  auto codes = operandCodes(*this, i);
  return tensorArgument(KernelArgument::Kind::Operand, position,
                        codes ? *codes : operandInfo(i), operandOrder(i));
}

Value KernelBuilder::copy(size_t i) {
  auto type = cast<RankedTensorType>(whole->getResult(0).getType());
  return tensorArgument(KernelArgument::Kind::Copy, i, nn::describe(type),
                        resultOrder());
}

Value KernelBuilder::result(size_t i) {
  auto type = cast<RankedTensorType>(whole->getResult(i).getType());
  return tensorArgument(KernelArgument::Kind::Result, i, nn::describe(type),
                        resultOrder());
}

Value KernelBuilder::flatOnce(Value argument) {
  Value &result = flattened[argument];
  if (!result) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    result = flat(argument);
  }
  return result;
}

Value KernelBuilder::flatOperand(size_t i) { return flatOnce(operand(i)); }
Value KernelBuilder::flatResult() { return flatOnce(result()); }

void KernelBuilder::storeEverywhere(llvm::function_ref<void(Value)> store) {
  store(flatResult());
  for (size_t i = 0; i < copies; ++i)
    store(flatOnce(copy(i)));
}

void KernelBuilder::storeResult(Value value, Value element) {
  for (const ElementStage &stage : epilogue)
    value = stage(value, element);
  storeEverywhere([&](Value memref) { store(value, memref, element); });
}

void KernelBuilder::within(Operation *inner, llvm::function_ref<void()> body) {
  llvm::SaveAndRestore<Operation *> scope(op, inner);
  body();
}

Value KernelBuilder::constant(const eval::Tensor &tensor) {
  KernelArgument argument{KernelArgument::Kind::Constant, 0, tensor, 0};
  return addArgument(memrefOf(tensor), std::move(argument));
}

Value KernelBuilder::scratch(ArrayRef<int64_t> shape, Type element) {
  int64_t bytes = (element.getIntOrFloatBitWidth() + 7) / 8;
  for (int64_t dim : shape)
    bytes *= dim;
  auto type =
      MemRefType::get(memrefShape({shape.begin(), shape.end()}), element);
  if (!splitLoop)
    return addArgument(type, {KernelArgument::Kind::Scratch, 0, {}, bytes});
  // One behind the other, no two parts in one line of the cache.
  int64_t pitch =
      llvm::alignTo(std::max<int64_t>(bytes, 1), uint64_t(kArenaAlignment));
  Value all =
      addArgument(MemRefType::get({parts * pitch}, i8()),
                  {KernelArgument::Kind::Scratch, 0, {}, parts * pitch});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(splitLoop);
  return memref::ViewOp::create(b, type, all, mulIndex(part, pitch),
                                ValueRange());
}

//===----------------------------------------------------------------------===//
// Values and loops
//===----------------------------------------------------------------------===//

Value KernelBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

/// A constant of `type`, in every lane of a vector.
static Value spreadConstant(ImplicitLocOpBuilder &b, Type type,
                            TypedAttr scalar) {
  if (auto lanes = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(lanes, scalar));
  return arith::ConstantOp::create(b, scalar);
}

Value KernelBuilder::integer(Type type, int64_t value) {
  auto scalar = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  return spreadConstant(b, type, scalar);
}

Value KernelBuilder::real(Type type, double value) {
  auto scalar = b.getFloatAttr(getElementTypeOrSelf(type), value);
  return spreadConstant(b, type, scalar);
}

void KernelBuilder::loop(int64_t count, llvm::function_ref<void(Value)> body) {
  if (count == 1)
    return body(index(0));
  auto loop = scf::ForOp::create(b, index(0), index(count), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

static void nest(KernelBuilder &kernel, ArrayRef<int64_t> shape,
                 SmallVector<Value> &indices,
                 llvm::function_ref<void(ValueRange)> body) {
  if (indices.size() == shape.size())
    return body(indices);
  kernel.loop(shape[indices.size()], [&](Value iv) {
    indices.push_back(iv);
    nest(kernel, shape, indices, body);
    indices.pop_back();
  });
}

void KernelBuilder::loops(ArrayRef<int64_t> shape,
                          llvm::function_ref<void(ValueRange)> body) {
  SmallVector<Value> indices;
  nest(*this, shape, indices, body);
}

//===----------------------------------------------------------------------===//
// Split loops
//===----------------------------------------------------------------------===//

bool KernelBuilder::canSplitHere() {
  return parts > 1 && !splitLoop &&
         b.getInsertionBlock() == &function.getBody().front();
}

Value KernelBuilder::partMark(const char *mark, int64_t value) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  Value constant = index(value);
  constant.getDefiningOp()->setAttr(mark, b.getUnitAttr());
  return constant;
}

/// Where part `p` of `blocks` begins: floor(blocks * p / parts).
Value KernelBuilder::partBound(Value p, int64_t blocks) {
  return arith::DivUIOp::create(b, mulIndex(p, blocks), partCount);
}

void KernelBuilder::parallelLoop(int64_t count,
                                 llvm::function_ref<void(Value)> body,
                                 int64_t grain) {
  if (!canSplitHere() || count <= grain)
    return loop(count, body);
  if (!part) {
    part = partMark(kPart, 0);
    partCount = partMark(kParts, 1);
  }
  int64_t blocks = (count + grain - 1) / grain;
  Value begin = mulIndex(partBound(part, blocks), grain);
  Value end = mulIndex(partBound(addIndex(part, index(1)), blocks), grain);
  end = arith::MinUIOp::create(b, end, index(count));
  auto loop = scf::ForOp::create(b, begin, end, index(1));
  loop->setAttr(kSplitLoop, b.getUnitAttr());
  llvm::SaveAndRestore<Operation *> scope(splitLoop, loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Iterations per part that let parts be nearly equal.
static constexpr int64_t kPartRounds = 8;
/// Iterations of the last dimension that stay together at most.
static constexpr int64_t kPartElements = 64;
/// So many iterations of a nest are pieces of work, not elements.
static constexpr int64_t kFewIterations = 2048;

/// The indices of element `flat` of a shape.
static SmallVector<Value> indicesOf(KernelBuilder &k, Value flat,
                                    ArrayRef<int64_t> shape) {
  SmallVector<Value> indices(shape.size(), k.index(0));
  while (!shape.empty() && shape.front() == 1)
    shape = shape.drop_front();
  size_t lead = indices.size() - shape.size();
  for (size_t d = shape.size(); d-- > 1;) {
    Value size = k.index(shape[d]);
    indices[lead + d] = arith::RemUIOp::create(k.b, flat, size);
    flat = arith::DivUIOp::create(k.b, flat, size);
  }
  if (!shape.empty())
    indices[lead] = flat;
  return indices;
}

void KernelBuilder::parallelLoops(ArrayRef<int64_t> shape,
                                  llvm::function_ref<void(ValueRange)> body) {
  if (!canSplitHere() || shape.empty())
    return loops(shape, body);
  // Dimensions [0, split) are one loop. The last one stays a loop of its own,
  // for the vectoriser, unless there are few iterations or no other dimension.
  int64_t wanted = kPartRounds * parts, count = 1, grain = 1;
  size_t split = 0;
  while (split + 1 < shape.size() && count < wanted)
    count *= shape[split++];
  bool areFew = count < wanted && count * shape.back() <= kFewIterations;
  if (count == 1 || areFew) {
    count *= shape[split++];
    grain = std::clamp<int64_t>(count / wanted, 1, kPartElements);
  }
  parallelLoop(
      count,
      [&](Value flat) {
        auto indices = indicesOf(*this, flat, shape.take_front(split));
        nest(*this, shape, indices, body);
      },
      grain);
}

Value KernelBuilder::fold(int64_t count, Value start,
                          llvm::function_ref<Value(Value, Value)> step) {
  auto loop = scf::ForOp::create(b, index(0), index(count), index(1), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value next = step(loop.getInductionVar(), loop.getRegionIterArg(0));
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

Value KernelBuilder::flat(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t count = type.getNumElements();
  if (type.getRank() == 1 && type.getLayout().isIdentity())
    return memref;
  auto flatType = MemRefType::get({count}, type.getElementType());
  return memref::ReinterpretCastOp::create(b, flatType, memref, /*offset=*/0,
                                           /*sizes=*/ArrayRef<int64_t>{count},
                                           /*strides=*/ArrayRef<int64_t>{1});
}

Value KernelBuilder::addIndex(Value a, Value b2) {
  return arith::AddIOp::create(b, a, b2);
}

Value KernelBuilder::mulIndex(Value a, int64_t factor) {
  return arith::MulIOp::create(b, a, index(factor));
}

Value KernelBuilder::toIndex(Value integer, bool isSigned) {
  if (isSigned)
    return arith::IndexCastOp::create(b, b.getIndexType(), integer);
  return arith::IndexCastUIOp::create(b, b.getIndexType(), integer);
}

/// `scalar`, or a vector of it with as many lanes as `value` has.
static Type withLanesOf(Value value, Type scalar) {
  if (auto lanes = dyn_cast<VectorType>(value.getType()))
    return lanes.clone(scalar);
  return scalar;
}

Value KernelBuilder::widen(Value code, eval::Element element, Type wide) {
  wide = withLanesOf(code, getElementTypeOrSelf(wide));
  if (code.getType() == wide)
    return code;
  if (eval::isSigned(element))
    return arith::ExtSIOp::create(b, wide, code);
  return arith::ExtUIOp::create(b, wide, code);
}

Value KernelBuilder::narrow(Value value, eval::Element element) {
  Type type = withLanesOf(value, storage(element));
  if (value.getType() == type)
    return value;
  return arith::TruncIOp::create(b, type, value);
}

Value KernelBuilder::clamp(Value value, int64_t low, int64_t high) {
  Value bounded =
      arith::MaxSIOp::create(b, value, integer(value.getType(), low));
  return arith::MinSIOp::create(b, bounded, integer(value.getType(), high));
}

void KernelBuilder::finish() { func::ReturnOp::create(b); }

tally::Diagnostic KernelBuilder::unsupported(const std::string &what) const {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "CPU-1";
  failure.node = nn::nodeName(op);
  failure.message =
      "no CPU code for " + what + " of " + op->getName().getStringRef().str();
  failure.hint = "`tally run --target eval` runs it on the exact evaluator";
  return failure;
}
