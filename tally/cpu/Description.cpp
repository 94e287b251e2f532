//===- Description.cpp - what a graph's code tells about itself -----------===//

#include "tally/cpu/Description.h"
#include "tally/cpu/Layouts.h"
#include "tally/cpu/Storage.h"
#include "tally/cpu/Target.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Cost.h"
#include "tally/ops/HandedOn.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static runtime::TensorInterface tensorInterface(Value value, StringRef name) {
  eval::Tensor info = nn::describe(cast<RankedTensorType>(value.getType()));
  return {name.str(), info.element, info.shape, info.quant};
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// "conv", or "conv+relu" for what runs as one.
static std::string operatorName(Operation &op) {
  if (isReorder(&op))
    return "reorder";
  auto fused = dyn_cast<nn::FusedOp>(op);
  if (!fused)
    return op.getName().stripDialect().str();
  std::string name;
  for (Operation *inner : fused.chain())
    if (!isAlias(inner))
      name += (name.empty() ? "" : "+") + operatorName(*inner);
  return name;
}

static runtime::StageInterface stage(Operation &op) {
  runtime::StageInterface result;
  result.node = nn::nodeName(&op);
  result.op = operatorName(op);
  result.result = typeText(op.getResult(0).getType());
  for (Value operand : op.getOperands())
    if (operand.getDefiningOp<nn::ConstantOp>())
      result.constantBytes += storageBytes(operand);
  result.isFloat =
      isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType()));
  if (auto macs = nn::multiplyAdds(&op))
    result.macs = *macs;
  // Noted by the driver after the quantize rewrite.
  if (auto reason = op.getAttrOfType<StringAttr>("nn.float_reason"))
    result.reason = reason.str();
  return result;
}

static std::string modelFile(ModuleOp module) {
  auto file = module->getAttrOfType<StringAttr>("nn.file");
  return file ? llvm::sys::path::filename(file.getValue()).str() : "";
}

static const char *numericsName(eval::Profile profile) {
  switch (profile) {
  case eval::Profile::Ideal:
    return "ideal";
  case eval::Profile::OnnxRuntime:
    return "onnxruntime";
  case eval::Profile::TfLite:
    return "tflite";
  }
  return "";
}

static void describeTensors(func::FuncOp function,
                            runtime::Interface &interface) {
  for (BlockArgument argument :
       function.getArguments().take_front(nn::ownArguments(function)))
    interface.inputs.push_back(
        tensorInterface(argument, nn::tensorName(argument)));
  OperandRange results =
      function.getBody().front().getTerminator()->getOperands();
  for (unsigned i = 0, e = nn::ownResults(function); i < e; ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, "nn.name");
    interface.outputs.push_back(
        tensorInterface(results[i], name ? name.getValue() : StringRef()));
  }
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static runtime::StatePolicy policyOf(nn::StatePolicy policy) {
  switch (policy) {
  case nn::StatePolicy::Flip:
    return runtime::StatePolicy::Flip;
  case nn::StatePolicy::InPlace:
    return runtime::StatePolicy::InPlace;
  case nn::StatePolicy::Ring:
    return runtime::StatePolicy::Ring;
  case nn::StatePolicy::Keep:
    return runtime::StatePolicy::Keep;
  case nn::StatePolicy::Exchange:
    return runtime::StatePolicy::Exchange;
  case nn::StatePolicy::Counter:
    break; // of no code that the CPU runs
  }
  return runtime::StatePolicy::Flip;
}

static runtime::StateInterface describe(nn::StateOp state,
                                        const nn::StatePlace &place) {
  eval::Tensor info = nn::describe(state.tensorType());
  runtime::StateInterface about;
  about.tensor = {state.getSymName().str(), info.element, info.shape,
                  info.quant};
  about.policy = policyOf(place.policy);
  about.current = place.current;
  about.next = place.next;
  about.isRead = place.isRead;
  about.isWritten = place.isWritten;
  about.advance = place.advance;
  about.target = place.target;
  about.rows = place.rows;
  about.pitch = place.pitch;
  about.reason = place.reason;
  if (state.getMost())
    about.most = static_cast<int64_t>(*state.getMost());
  if (auto initial = nn::initialValue(state))
    about.initial.emplace(
        reinterpret_cast<const char *>(initial->storage.get()),
        initial->byteCount());
  return about;
}

static void describeStates(func::FuncOp function,
                           runtime::Interface &interface) {
  auto module = function->getParentOfType<ModuleOp>();
  for (nn::StateOp state : nn::statesOf(function))
    if (auto place = nn::placeOf(state))
      interface.states.push_back(describe(state, *place));
  if (interface.states.empty())
    return;
  auto list = [&](StringRef name) {
    auto values = module->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef();
    return std::vector<int64_t>(values.begin(), values.end());
  };
  interface.slotBytes = list(nn::kSlotBytes);
  interface.commit = list(nn::kCommit);
  if (auto hash = module->getAttrOfType<IntegerAttr>("nn.state_hash"))
    interface.stateHash = hash.getInt();
}

/// What the operation of a new value stores: of a scatter in place the updates
/// alone.
static int64_t storedBytes(Value value, const StorageMap &storage) {
  Operation *op = rootOf(value).getDefiningOp();
  if (auto shift = dyn_cast_or_null<nn::ShiftInOp>(op))
    return storageBytes(shift.getEntering());
  bool isScatter =
      isa_and_nonnull<nn::ScatterElementsOp, nn::ScatterNdOp>(op) &&
      storage.sharedDestinations(op).front() == 0;
  return storageBytes(isScatter ? op->getOperand(2) : value);
}

/// Why result `i` of `function` is copied to where it belongs.
static std::string copyReason(func::FuncOp function, unsigned i) {
  if (std::string what = nn::whatIsHandedOn(function, i); !what.empty())
    return "copied: the value is " + what;
  Value value = function.getBody().front().getTerminator()->getOperand(i);
  return "copied: the kernel of '" +
         nn::nodeName(rootOf(value).getDefiningOp()) +
         "' stores its result to one place only";
}

static bool isCopied(const StorageMap &storage, int64_t result) {
  return llvm::any_of(storage.copies,
                      [&](const auto &copy) { return copy.first == result; });
}

/// Of each output why it is copied to the caller's memory; empty where the
/// operator that computes it stores it there.
static std::vector<std::string> copiedOutputs(func::FuncOp function,
                                              const StorageMap &storage) {
  std::vector<std::string> reasons(nn::ownResults(function));
  for (auto [i, reason] : llvm::enumerate(reasons))
    if (isCopied(storage, i))
      reason = copyReason(function, i);
  return reasons;
}

void tally::cpu::countStateBytes(func::FuncOp function,
                                 const StorageMap &storage,
                                 runtime::Interface &interface) {
  OperandRange results =
      function.getBody().front().getTerminator()->getOperands();
  int64_t index = nn::ownResults(function);
  for (runtime::StateInterface &state : interface.states) {
    if (!state.isWritten)
      continue;
    Value value = results[index];
    if (state.policy == runtime::StatePolicy::Ring)
      state.extent =
          std::max(state.target + storageBytes(value),
                   (state.rows - 1) * state.pitch + state.rowBytes());
    bool copied = isCopied(storage, index);
    state.writtenBytes =
        copied ? storageBytes(value) : storedBytes(value, storage);
    state.copiedBytes = copied ? state.writtenBytes : 0;
    if (copied)
      state.reason = copyReason(function, index);
    ++index;
  }
}

llvm::DenseMap<Operation *, size_t>
tally::cpu::stagesOf(func::FuncOp function) {
  llvm::DenseMap<Operation *, size_t> stages;
  for (Operation &op : function.getBody().front().without_terminator())
    if (!isa<nn::ConstantOp>(op))
      stages.try_emplace(&op, stages.size());
  return stages;
}

runtime::Interface tally::cpu::describe(func::FuncOp function,
                                        const CpuOptions &options) {
  runtime::Interface interface;
  interface.producer = options.producer;
  interface.symbol = options.symbol;
  interface.model = modelFile(function->getParentOfType<ModuleOp>());
  interface.numerics = numericsName(options.numerics);
  interface.target = familyName(familyOf(options.tiers.front()));
  for (Tier tier : options.tiers)
    interface.tiers.push_back(tierName(tier));
  interface.emulated = options.emulate;
  interface.staticArena = options.staticArena;
  interface.threads = options.threads;
  describeTensors(function, interface);
  describeStates(function, interface);
  interface.stages.resize(stagesOf(function).size());
  for (auto [op, index] : stagesOf(function))
    interface.stages[index] = stage(*op);
  return interface;
}

Stores tally::cpu::storesOf(func::FuncOp function) {
  registerLowerings(*function.getContext());
  Layouts layouts(function);
  StorageMap storage = assignStorage(function, layouts);
  Stores stores{describe(function, {}), copiedOutputs(function, storage)};
  countStateBytes(function, storage, stores.interface);
  return stores;
}
