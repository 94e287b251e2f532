//===- Buffers.cpp - the caller's buffers and states ----------------------===//

#include "tally/emit/lower/Buffers.h"
#include "tally/graph/Types.h"
#include "tally/ops/State.h"
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
  auto element = nn::quantizedElement(tensor);
  if (!element)
    return;
  eval::Quantization grid = nn::gridOf(element);
  about.scale = grid.perTensor() ? grid.scale() : 0;
  about.zero = grid.perTensor() ? grid.zeroPoint() : 0;
}

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

void tally::emit::fillBuffers(func::FuncOp function, isa::Program &result) {
  MLIRContext *context = function.getContext();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    result.buffers.push_back(
        bufferOf(type, orEmpty(function.getArgAttrDict(i), context),
                 isa::BufferUse::Input, isa::BufferUse::OldState));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
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
  case nn::StatePolicy::Flip:
    break;
  case nn::StatePolicy::InPlace:
  case nn::StatePolicy::Ring:
    llvm_unreachable("commands of a machine write beside the old value");
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

static isa::State stateOf(nn::StateOp op, const nn::StatePlace &place,
                          const isa::Program &program) {
  isa::State state;
  state.name = op.getSymName().str();
  state.policy = policyOf(place);
  setType(op.tensorType(), state);
  state.current = place.current;
  state.next = place.next;
  state.oldBuffer = placeOf(program, state.name, isa::BufferUse::OldState);
  state.newBuffer = placeOf(program, state.name, isa::BufferUse::NewState);
  state.reason = place.reason;
  if (auto initial = nn::initialValue(op)) {
    auto *bytes = reinterpret_cast<const uint8_t *>(initial->storage.get());
    state.initial.emplace(bytes, bytes + initial->byteCount());
  }
  return state;
}

void tally::emit::fillStates(func::FuncOp function, isa::Program &result) {
  for (nn::StateOp op : nn::statesOf(function))
    if (auto place = nn::placeOf(op))
      result.states.push_back(stateOf(op, *place, result));
  if (result.states.empty())
    return;
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
