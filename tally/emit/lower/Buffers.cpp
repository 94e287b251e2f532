//===- Buffers.cpp - the caller's buffers and states ----------------------===//

#include "tally/emit/lower/Buffers.h"
#include "tally/emit/isa/Effects.h"
#include "tally/graph/Types.h"
#include "tally/ops/State.h"
#include "tally/schedule/CallerBuffers.h"
#include "tally/schedule/Regions.h"
#include "tally/schedule/Scheduler.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::emit;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Of a buffer or a state.
template <typename About> static void setType(Type type, About &about) {
  auto tensor = cast<RankedTensorType>(type);
  about.type = *schedule::elementTypeOf(tensor);
  about.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  about.isBool = nn::elementOf(tensor.getElementType()) == eval::Element::Bool;
  auto element = nn::quantizedElement(tensor);
  if (!element)
    return;
  eval::Quantization grid = nn::gridOf(element);
  about.scale = grid.perTensor() ? grid.scale() : 0;
  about.zero = grid.perTensor() ? grid.zeroPoint() : 0;
}

/// `ofState` is the use if it is a state's.
static isa::Buffer bufferOf(Type type, DictionaryAttr attributes,
                            isa::BufferUse use, isa::BufferUse ofState) {
  isa::Buffer buffer;
  setType(type, buffer);
  buffer.bytes = cast<RankedTensorType>(type).getNumElements() *
                 machine::elementBytes(buffer.type);
  if (auto name = attributes.getAs<StringAttr>("nn.name"))
    buffer.name = name.str();
  buffer.use = attributes.contains(nn::kStateOfValue) ? ofState : use;
  return buffer;
}

static DictionaryAttr orEmpty(DictionaryAttr attributes, MLIRContext *context) {
  return attributes ? attributes : DictionaryAttr::get(context);
}

/// The old value's buffer is the new one's, too.
static void share(const nn::StatePlace &place, isa::Buffer &buffer) {
  buffer.use = isa::BufferUse::State;
  if (place.policy != nn::StatePolicy::Ring)
    return;
  buffer.bytes = schedule::ringBytes(place, buffer.bytes);
  buffer.shape = {buffer.bytes / machine::elementBytes(buffer.type)};
}

void tally::emit::fillBuffers(func::FuncOp function, isa::Program &result) {
  MLIRContext *context = function.getContext();
  schedule::Regions regions = schedule::regionsOf(function);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (regions.arguments[i] >= 0)
      result.buffers.push_back(
          bufferOf(type, orEmpty(function.getArgAttrDict(i), context),
                   isa::BufferUse::Input, isa::BufferUse::OldState));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (schedule::sharedArgument(function, i))
      share(
          *schedule::placeOfResult(function, i),
          result.buffers[size_t(regions.results[i]) - isa::kFirstCallerRegion]);
    else
      result.buffers.push_back(
          bufferOf(type, orEmpty(function.getResultAttrDict(i), context),
                   isa::BufferUse::Output, isa::BufferUse::NewState));
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static isa::StatePolicy policyOf(const nn::StatePlace &place) {
  switch (place.policy) {
  case nn::StatePolicy::Keep:
    return isa::StatePolicy::Keep;
  case nn::StatePolicy::Exchange:
    return isa::StatePolicy::Exchange;
  case nn::StatePolicy::InPlace:
    return isa::StatePolicy::InPlace;
  case nn::StatePolicy::Ring:
    return isa::StatePolicy::Ring;
  case nn::StatePolicy::Counter:
    return isa::StatePolicy::Counter;
  case nn::StatePolicy::Flip:
    break;
  }
  return isa::StatePolicy::Flip;
}

/// The place of the buffer for one value of a state; -1: there is none.
static int64_t placeOf(const isa::Program &program, StringRef name,
                       isa::BufferUse use) {
  auto found = llvm::find_if(program.buffers, [&](const isa::Buffer &buffer) {
    return buffer.use == use && buffer.name == name;
  });
  return found == program.buffers.end() ? -1 : found - program.buffers.begin();
}

/// Of the dimensions before the one along which `state`, a ring, moves.
static int64_t runsOf(func::FuncOp function, StringRef state) {
  unsigned argument = nn::ownArguments(function);
  while (
      function.getArgAttrOfType<StringAttr>(argument, "nn.name").getValue() !=
      state)
    ++argument;
  for (Operation *user : function.getArgument(argument).getUsers())
    if (auto shift = llvm::dyn_cast<nn::ShiftInOp>(user)) {
      auto type = cast<RankedTensorType>(shift.getOld().getType());
      return llvm::product_of(
          type.getShape().take_front(size_t(shift.getAxis())));
    }
  return 1;
}

static isa::Ring ringOf(const nn::StatePlace &place, int64_t runs) {
  return {place.rows, place.pitch, schedule::enteringFrames(place), runs,
          place.advance < 0};
}

static isa::State stateOf(nn::StateOp op, const nn::StatePlace &place,
                          func::FuncOp function, const isa::Program &program) {
  isa::State state;
  state.name = op.getSymName().str();
  state.policy = policyOf(place);
  setType(op.tensorType(), state);
  state.current = place.current;
  state.next = place.next;
  int64_t shared = placeOf(program, state.name, isa::BufferUse::State);
  state.oldBuffer = state.newBuffer = shared;
  if (shared < 0) {
    state.oldBuffer = placeOf(program, state.name, isa::BufferUse::OldState);
    state.newBuffer = placeOf(program, state.name, isa::BufferUse::NewState);
  }
  if (place.policy == nn::StatePolicy::Ring)
    state.ring = ringOf(place, runsOf(function, state.name));
  if (place.policy == nn::StatePolicy::Counter)
    state.counter = {-1, int64_t(*op.getMost()), place.step, place.last};
  state.reason = place.reason;
  if (auto initial = nn::initialValue(op)) {
    auto *bytes = reinterpret_cast<const uint8_t *>(initial->storage.get());
    state.initial.emplace(bytes, bytes + initial->byteCount());
  }
  return state;
}

/// Bytes that commands write to a region.
static int64_t writtenTo(npu::ProgramOp program, int64_t region,
                         const machine::Machine &machine) {
  int64_t bytes = 0;
  for (auto op : program.getBody().front().getOps<npu::CommandOp>())
    for (const isa::Access &access :
         isa::effects(npu::commandOf(op, /*placed=*/true), machine))
      if (access.kind == isa::AccessKind::Write && access.space == region)
        for (const isa::Box &box : access.boxes)
          bytes += box.counts[0] * box.counts[1] * box.counts[2] *
                   box.counts[3] * box.bytes;
  return bytes;
}

/// The state's rows, if a call writes some of them at a counter.
static void setRows(npu::ProgramOp program, isa::State &state) {
  for (auto storage : program.getBody().front().getOps<npu::StorageOp>()) {
    auto rows = storage->getAttrOfType<DenseI64ArrayAttr>(schedule::kRows);
    if (!rows || int64_t(storage.getSpace()) !=
                     isa::kFirstCallerRegion + state.newBuffer)
      continue;
    state.policy = isa::StatePolicy::Append;
    state.append = {rows[0], rows[1], rows[2], rows[3], rows[4]};
  }
}

/// Why what is written to a region is copied there from global memory; empty
/// where it is not.
static std::string whyCopied(npu::ProgramOp program, int64_t region) {
  for (auto storage : program.getBody().front().getOps<npu::StorageOp>())
    if (int64_t(storage.getSpace()) == region)
      if (auto reason = storage->getAttrOfType<StringAttr>(schedule::kCopied))
        return reason.str();
  return "";
}

std::vector<std::string> tally::emit::copiedOutputs(npu::ProgramOp program,
                                                    func::FuncOp function) {
  schedule::Regions regions = schedule::regionsOf(function);
  std::vector<std::string> reasons;
  for (unsigned i = 0, e = nn::ownResults(function); i < e; ++i)
    reasons.push_back(whyCopied(program, regions.results[i]));
  return reasons;
}

static void countBytes(npu::ProgramOp program, const machine::Machine &machine,
                       isa::State &state) {
  if (state.newBuffer < 0)
    return;
  setRows(program, state);
  int64_t region = isa::kFirstCallerRegion + state.newBuffer;
  state.writtenBytes = writtenTo(program, region, machine);
  std::string why = whyCopied(program, region);
  if (why.empty())
    return;
  state.copiedBytes = state.writtenBytes;
  state.reason = why;
}

/// Words of the context for the counters among the states.
static void fillCounters(func::FuncOp function, isa::Program &result) {
  for (auto [i, counter] : llvm::enumerate(nn::countersOf(function))) {
    std::string name = counter.state.getSymName().str();
    result.scalars.push_back(
        {name, wordOfCounter(int64_t(i)), 0, counter.most});
    auto state = llvm::find_if(result.states, [&](const isa::State &other) {
      return other.name == name;
    });
    state->counter.scalar = int64_t(i);
  }
  result.context.resize(4 * result.scalars.size());
}

void tally::emit::fillStates(npu::ProgramOp program, func::FuncOp function,
                             const machine::Machine &machine,
                             isa::Program &result) {
  for (nn::StateOp op : nn::statesOf(function))
    if (auto place = nn::placeOf(op)) {
      result.states.push_back(stateOf(op, *place, function, result));
      countBytes(program, machine, result.states.back());
    }
  if (result.states.empty())
    return;
  fillCounters(function, result);
  auto module = function->getParentOfType<ModuleOp>();
  auto list = [&](StringRef name) {
    auto values = module->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef();
    return std::vector<int64_t>(values.begin(), values.end());
  };
  result.slots = list(nn::kSlotBytes);
  result.commit = list(nn::kCommit);
  if (auto hash = module->getAttrOfType<IntegerAttr>("nn.state_hash"))
    result.stateHash = uint64_t(hash.getInt());
}
