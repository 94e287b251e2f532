//===- Scheduler.cpp - from nn operators to commands ----------------------===//

#include "tally/schedule/Scheduler.h"
#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/schedule/Pieces.h"
#include "tally/schedule/lower/Views.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using machine::Direction;
using machine::ElementType;
using machine::EngineKind;

int64_t Tensor::count() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

static bool isGlobal(Value storage) {
  return isa::isRegion(
      int64_t(storage.getDefiningOp<npu::StorageOp>().getSpace()));
}

bool Tensor::isGlobal() const { return ::isGlobal(storage); }

std::optional<ElementType> schedule::elementTypeOf(Type type) {
  auto element = nn::elementOf(getElementTypeOrSelf(type));
  if (!element)
    return std::nullopt;
  switch (*element) {
  case eval::Element::I8:
    return ElementType::I8;
  case eval::Element::U8:
  case eval::Element::Bool:
    return ElementType::U8;
  case eval::Element::I16:
    return ElementType::I16;
  case eval::Element::U16:
    return ElementType::U16;
  case eval::Element::I32:
    return ElementType::I32;
  case eval::Element::I64:
    return ElementType::I64;
  case eval::Element::F16:
    return ElementType::F16;
  case eval::Element::F32:
    return ElementType::F32;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

CommandWriter::CommandWriter(Scheduler &scheduler, isa::CommandCode code,
                             uint32_t queue)
    : scheduler(scheduler), code(code), queue(queue),
      config(isa::infoOf(code).kind) {}

CommandWriter &CommandWriter::setField(uint32_t field, int64_t value) {
  if (state)
    state = config.set(field, value);
  return *this;
}

CommandWriter &CommandWriter::setNamed(const std::string &name, int64_t value) {
  if (auto field = isa::findField(config.kind(), name))
    return setField(*field, value);
  return *this;
}

CommandWriter &CommandWriter::place(StringRef prefix, Value storage,
                                    int64_t offset) {
  storages.push_back(storage);
  prefixes.push_back(prefix);
  steps.push_back(0);
  auto root = storage.getDefiningOp<npu::StorageOp>();
  setNamed((prefix + ".space").str(), int64_t(root.getSpace()));
  return setNamed((prefix + ".offset").str(), offset);
}

CommandWriter &CommandWriter::box(StringRef prefix, const Tensor &tensor,
                                  ArrayRef<int64_t> strides, int64_t offset) {
  place(prefix, tensor.storage, offset);
  if (tensor.moving) {
    moving = tensor.moving;
    steps.back() = tensor.moving->step;
  }
  for (auto [d, stride] : llvm::enumerate(strides))
    setNamed((prefix + ".stride" + llvm::Twine(d)).str(), stride);
  return setNamed((prefix + ".type").str(), int64_t(tensor.type));
}

/// The fields that differ from their initial values, without spaces.
static DictionaryAttr changedFields(OpBuilder &builder,
                                    const isa::Configuration &config) {
  SmallVector<NamedAttribute> fields;
  auto all = isa::allFields(config.kind());
  for (uint32_t i = 0; i < all.size(); ++i) {
    StringRef name = all[i].name;
    if (config.get(i) != all[i].initial && !name.ends_with(".space"))
      fields.push_back(
          builder.getNamedAttr(name, builder.getI64IntegerAttr(config.get(i))));
  }
  return builder.getDictionaryAttr(fields);
}

/// The vector engine computes with the types of all operands.
Status CommandWriter::checkTypes() const {
  const machine::Engine &engine = scheduler.machine.engineOf(queue);
  if (engine.kind != EngineKind::Vector)
    return Status::success();
  for (StringRef prefix : prefixes) {
    auto field = isa::findField(engine.kind, (prefix + ".type").str());
    if (!field)
      continue;
    auto type = ElementType(config.get(*field));
    if (!engine.takes(type))
      return scheduler.unsupported(
          "engine '" + engine.name + "' does not take " +
              std::string(machine::elementTypeName(type)),
          "give the network inputs and outputs of types that it takes, or "
          "name another machine");
  }
  return Status::success();
}

Status CommandWriter::issue() {
  if (Status types = checkTypes(); !types)
    return types;
  if (!state) {
    tally::Diagnostic diagnostic = state.takeError();
    return scheduler.unsupported(diagnostic.message,
                                 "make the tensor smaller, or split the node");
  }
  OpBuilder &builder = scheduler.builder;
  auto kind = machine::engineKindName(isa::infoOf(code).kind);
  auto numbers = [&](ArrayRef<int64_t> list) {
    return builder.getDenseI64ArrayAttr(list);
  };
  DenseI64ArrayAttr none;
  npu::CommandOp::create(
      builder, scheduler.node->getLoc(),
      builder.getStringAttr(StringRef(kind.data(), kind.size())),
      builder.getI64IntegerAttr(int64_t(code)),
      builder.getI64IntegerAttr(queue), storages,
      builder.getStrArrayAttr(prefixes), changedFields(builder, config),
      builder.getI64IntegerAttr(scheduler.step), DenseI64ArrayAttr(),
      DenseI64ArrayAttr(), DenseI64ArrayAttr(), DenseI64ArrayAttr(), UnitAttr(),
      moving ? numbers({moving->counter, moving->most}) : none,
      moving ? numbers(steps) : none);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Storages
//===----------------------------------------------------------------------===//

Scheduler::Scheduler(const machine::Machine &machine, const Choices &choices,
                     OpBuilder &builder)
    : machine(machine), choices(choices), builder(builder) {}

tally::Diagnostic Scheduler::unsupported(const std::string &what,
                                         const std::string &hint) const {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "NPU-10";
  // Inputs and outputs are moved at the end of the function.
  bool isNode = !node->hasTrait<OpTrait::IsTerminator>();
  failure.node = isNode ? nn::nodeName(node) : "";
  failure.message =
      "'" + machine.name + "' cannot " +
      (isNode ? "run " + node->getName().stripDialect().str()
              : std::string("take the network's inputs and outputs")) +
      ": " + what;
  failure.hint = hint;
  return failure;
}

Value Scheduler::storage(StringRef name, int64_t bytes, int64_t alignment,
                         int64_t space) {
  return npu::StorageOp::create(
      builder, node ? node->getLoc() : builder.getUnknownLoc(),
      npu::StorageType::get(builder.getContext()), builder.getStringAttr(name),
      builder.getI64IntegerAttr(std::max<int64_t>(bytes, 1)),
      builder.getI64IntegerAttr(alignment), builder.getI64IntegerAttr(space),
      IntegerAttr(), ElementsAttr());
}

Value Scheduler::constant(StringRef name, std::vector<uint8_t> bytes) {
  auto type =
      RankedTensorType::get({int64_t(bytes.size())}, builder.getIntegerType(8));
  AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyInferAlign(
      ArrayRef<uint8_t>(bytes), /*dataIsMutable=*/false);
  auto contents = DenseResourceElementsAttr::get(type, name, std::move(blob));
  return npu::StorageOp::create(
      builder, node->getLoc(), npu::StorageType::get(builder.getContext()),
      builder.getStringAttr(name), builder.getI64IntegerAttr(bytes.size()),
      builder.getI64IntegerAttr(machine.sram.alignment),
      builder.getI64IntegerAttr(isa::kConstantsRegion), IntegerAttr(),
      contents);
}

/// Strides in bytes of dimensions that lie in `order`, outermost first.
static SmallVector<int64_t> stridesIn(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> order, int64_t bytes) {
  SmallVector<int64_t> strides(shape.size());
  for (int64_t dimension : llvm::reverse(order)) {
    strides[dimension] = bytes;
    bytes *= shape[dimension];
  }
  return strides;
}

static SmallVector<int64_t> orderOf(Layout layout, int64_t rank) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (layout == Layout::ChannelsLast && rank >= 3)
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

static Result<Tensor> describe(const Scheduler &scheduler,
                               RankedTensorType type, Layout layout) {
  auto element = elementTypeOf(type);
  if (!element)
    return scheduler.unsupported("tensors of this element type");
  if (type.getNumElements() == 0)
    return scheduler.unsupported("a tensor without elements");
  Tensor tensor;
  tensor.type = *element;
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  tensor.strides =
      stridesIn(tensor.shape, orderOf(layout, type.getRank()), tensor.bytes());
  return tensor;
}

Result<Tensor> Scheduler::allocate(StringRef name, RankedTensorType type,
                                   Layout layout) {
  return allocateAt(name, type, layout, false);
}

Result<Tensor> Scheduler::allocateAt(StringRef name, RankedTensorType type,
                                     Layout layout, bool inGlobal) {
  auto tensor = describe(*this, type, layout);
  if (!tensor)
    return tensor;
  tensor->storage =
      storage(name, tensor->count() * tensor->bytes(),
              inGlobal ? machine.global.alignment : machine.sram.alignment,
              inGlobal ? isa::kArenaRegion : isa::kSram);
  return tensor;
}

Tensor Scheduler::compact(StringRef name, const Tensor &like) {
  Tensor tensor = like;
  tensor.offset = 0;
  tensor.strides = stridesIn(like.shape, memoryOrder(like), like.bytes());
  tensor.storage = storage(name, like.count() * like.bytes(),
                           machine.sram.alignment, isa::kSram);
  return tensor;
}

Result<Tensor> Scheduler::rowMajor(Value storage, RankedTensorType type) {
  auto tensor = describe(*this, type, Layout::RowMajor);
  if (tensor)
    tensor->storage = storage;
  return tensor;
}

//===----------------------------------------------------------------------===//
// Queues and copies
//===----------------------------------------------------------------------===//

static bool serves(const machine::Engine &engine, EngineKind kind,
                   Direction direction) {
  if (engine.kind != kind)
    return false;
  return kind != EngineKind::Dma || direction == Direction::Both ||
         engine.dma.direction == Direction::Both ||
         engine.dma.direction == direction;
}

Result<uint32_t> Scheduler::queueFor(EngineKind kind, Direction direction) {
  SmallVector<uint32_t> queues;
  for (uint32_t queue = 0; queue < machine.queues.size(); ++queue)
    if (serves(machine.engineOf(queue), kind, direction))
      queues.push_back(queue);
  if (queues.empty())
    return unsupported("it has no " +
                       std::string(machine::engineKindName(kind)) + " engine");
  return queues[turns[{kind, direction}]++ % queues.size()];
}

Result<CommandWriter> Scheduler::command(isa::CommandCode code) {
  auto queue = queueFor(isa::infoOf(code).kind);
  if (!queue)
    return queue.takeError();
  return CommandWriter(*this, code, *queue);
}

Status Scheduler::copy(const Tensor &from, const Tensor &to) {
  Direction direction = isGlobal(to.storage) ? Direction::Out : Direction::In;
  return forBoxes(
      to.shape, {&from, &to}, [&](auto sizes, auto strides, auto offsets) {
        auto queue = queueFor(EngineKind::Dma, direction);
        if (!queue)
          return Status(queue.takeError());
        CommandWriter writer(*this, isa::CommandCode::DmaCopy, *queue);
        for (size_t d = 0; d < 4; ++d)
          writer.set(uint32_t(isa::DmaField::Size0) + d, sizes[d]);
        writer.set(isa::DmaField::Element, to.bytes());
        writer.box("src", from, strides[0], offsets[0]);
        writer.box("dst", to, strides[1], offsets[1]);
        return writer.issue();
      });
}

Result<Value> Scheduler::load(Value constant, int64_t bytes) {
  auto root = constant.getDefiningOp<npu::StorageOp>();
  Tensor from;
  from.storage = constant;
  from.shape = {bytes};
  from.strides = {1};
  from.type = ElementType::U8;
  Tensor to = from;
  to.storage =
      storage(root.getName(), bytes, machine.sram.alignment, isa::kSram);
  if (Status status = copy(from, to); !status)
    return status.takeError();
  return to.storage;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Scheduler::bind(Value value, Tensor tensor) {
  (frame ? frame->tensors : tensors)[value] = std::move(tensor);
}

Piece Scheduler::pieceOf(Value value) const {
  if (frame)
    if (auto found = frame->pieces.find(value); found != frame->pieces.end())
      return found->second;
  return wholeOf(cast<RankedTensorType>(value.getType()).getShape());
}

SmallVector<int64_t> Scheduler::shapeOf(Value value) const {
  return schedule::shapeOf(pieceOf(value));
}

Result<Tensor> Scheduler::allocateResult(Value value, Layout layout) {
  StringRef name = nn::tensorName(value);
  auto type = RankedTensorType::get(
      shapeOf(value), cast<RankedTensorType>(value.getType()).getElementType());
  if (frame) {
    auto found = frame->tensors.find(value);
    return found != frame->tensors.end() ? Result<Tensor>(found->second)
                                         : allocate(name, type, layout);
  }
  bool isAway = away.contains(value);
  if (Value destination = destinations.lookup(value); destination && isAway)
    return rowMajor(destination, type);
  return allocateAt(name, type, layout, isAway);
}

Result<Tensor> Scheduler::allocateJoined(Value whole, Layout layout) {
  if (auto found = wholes.find(whole); found != wholes.end())
    return found->second;
  auto tensor = allocateResult(whole, layout);
  if (tensor)
    wholes[whole] = *tensor;
  return tensor;
}

Result<Tensor> Scheduler::allocateStrided(Value value, Layout layout) {
  auto part = parts.find(value);
  if (part == parts.end() || frame || destinations.contains(value))
    return allocateResult(value, layout);
  auto whole = allocateJoined(part->second.whole, layout);
  if (!whole)
    return whole;
  bool isLast = layoutLike(*whole) == Layout::ChannelsLast;
  if (whole->rank() >= 3 && isLast != (layout == Layout::ChannelsLast))
    return allocateResult(value, layout);
  auto axis = size_t(part->second.axis);
  return indicesOf(std::move(*whole), axis, part->second.first,
                   cast<RankedTensorType>(value.getType()).getDimSize(axis));
}

Result<Tensor> Scheduler::allocateInPlace(Value value, Layout layout) {
  if (!frame || frame->tensors.contains(value))
    return allocateResult(value, layout);
  auto type = elementTypeOf(value.getType());
  for (Value operand : frame->dying) {
    Tensor taken = frame->tensors.lookup(operand);
    if (!type || taken.bytes() != machine::elementBytes(*type) ||
        taken.shape != shapeOf(value))
      continue;
    taken.type = *type;
    return taken;
  }
  return allocateResult(value, layout);
}

Result<Tensor> Scheduler::value(Value value) {
  auto found = home(value);
  if (!found || !found->isGlobal())
    return found;
  Tensor loaded = compact(nn::tensorName(value), *found);
  if (Status status = copy(*found, loaded); !status)
    return status.takeError();
  return loaded;
}

Result<Tensor> Scheduler::home(Value value) {
  if (frame)
    if (auto found = frame->tensors.find(value); found != frame->tensors.end())
      return found->second;
  auto found = tensors.find(value);
  if (found != tensors.end())
    return found->second;
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  if (!constant)
    return unsupported("an operand that nothing has computed");
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getNumElements() == 0)
    return unsupported("a tensor without elements");
  eval::Tensor host = nn::hostTensor(constant.getValue(), type);
  auto data = reinterpret_cast<const uint8_t *>(host.storage.get());
  std::string name = nn::tensorName(value).str();
  Value bytes =
      this->constant(name.empty() ? "constant" : name,
                     std::vector<uint8_t>(data, data + host.byteCount()));
  // A large one stays in global memory and is read piece by piece.
  auto place = host.byteCount() > choices.weightBytes
                   ? Result<Value>(bytes)
                   : load(bytes, host.byteCount());
  if (!place)
    return place.takeError();
  auto tensor = rowMajor(*place, type);
  if (tensor)
    tensors[value] = *tensor;
  return tensor;
}
