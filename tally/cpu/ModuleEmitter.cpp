//===- ModuleEmitter.cpp - a graph becomes loops on memory ----------------===//
//
// For each operation and tier one kernel is written (KernelBuilder.h); equal
// kernels are kept once. Then memory is planned, with every kernel's scratch
// alive at its own step, and per tier an entry function calls the kernels in
// program order with views of the arena, the caller's buffers and constants.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/ModuleEmitter.h"
#include "tally/cpu/ArenaPlan.h"
#include "tally/cpu/Description.h"
#include "tally/cpu/EqualKernels.h"
#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/KernelSteps.h"
#include "tally/cpu/Layouts.h"
#include "tally/cpu/MostParts.h"
#include "tally/cpu/SelfTest.h"
#include "tally/cpu/Storage.h"
#include "tally/cpu/Target.h"
#include "tally/cpu/ToLlvm.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/graph/Locations.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

std::string tally::cpu::entryName(const std::string &symbol, Tier tier) {
  std::string name = symbol + "_main_" + tierName(tier);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

namespace {
/// One call: the kernel, what it wants, and the arena buffers of its scratch.
struct KernelCall {
  Operation *op;
  std::vector<KernelStep> steps;
  std::vector<KernelArgument> arguments;
  std::vector<size_t> scratch;
};

class ModuleEmitter {
public:
  ModuleEmitter(func::FuncOp function, const CpuOptions &options)
      : function(function), options(options),
        b(UnknownLoc::get(function.getContext()), function.getContext()),
        kernels(options.symbol) {}

  Result<EmittedModule> run(Marks wanted);

private:
  Status emitKernels(Tier tier, std::vector<KernelCall> &calls);
  Result<KernelCall> emitKernel(Operation *op, Tier tier);
  std::vector<KernelStep> shareSteps(KernelBuilder &builder);
  std::vector<size_t> placeScratch(const KernelCall &call, int64_t time);
  void placeMarks(const std::vector<KernelCall> &calls);
  void emitEntry(Tier tier, const std::vector<KernelCall> &calls);
  void emitCall(const KernelStep &step, SmallVector<Value> arguments);
  void emitMark(size_t index, func::FuncOp entry);
  Value argumentValue(const KernelCall &call, size_t i, func::FuncOp entry);
  Value tensorMemref(Value tensor, MemRefType type, func::FuncOp entry);
  Value outputArgument(func::FuncOp entry, int64_t index) {
    return entry.getArgument(function.getNumArguments() + index);
  }
  Value arenaOf(func::FuncOp entry) {
    return outputArgument(entry, returned().size());
  }
  OperandRange returned() {
    return function.getBody().front().getTerminator()->getOperands();
  }
  void emitCopies(func::FuncOp entry, bool ofInputs);
  Value memoryAt(Storage place, MemRefType type, func::FuncOp entry);
  Value globalConstant(eval::Tensor tensor, MemRefType type, const void *where);
  Value reshaped(Value memref, MemRefType type);
  MemRefType memrefOf(Value tensor);
  runtime::Interface describeInterface();

  func::FuncOp function;
  const CpuOptions &options;
  ImplicitLocOpBuilder b;
  OwningOpRef<ModuleOp> module;
  std::optional<Layouts> layouts;
  StorageMap storage;
  llvm::DenseMap<Operation *, size_t> stages;
  llvm::DenseMap<Operation *, std::vector<size_t>> scratch;
  plan::memory::MemoryPlan plan;
  std::vector<runtime::PeakTensor> peak;
  std::optional<ClockMarks> marks;
  EqualKernels kernels;
  llvm::StringMap<memref::GlobalOp> globals; ///< by content
  /// The keys of contents that were seen, by where they are.
  llvm::DenseMap<std::pair<const void *, Type>, std::string> contentKeys;
  std::shared_ptr<MadeOnce> made = std::make_shared<MadeOnce>();
  EmittedModule emitted;
  int64_t constBytes = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::vector<KernelStep> ModuleEmitter::shareSteps(KernelBuilder &builder) {
  auto isReadOnly = [&](unsigned i) {
    auto kind = builder.arguments[i].kind;
    return kind == KernelArgument::Kind::Operand ||
           kind == KernelArgument::Kind::Constant;
  };
  std::vector<KernelStep> steps = splitSteps(builder.function, isReadOnly);
  for (KernelStep &step : steps) {
    step.function = kernels.keep(step.function, builder.tier);
    if (step.isSplit)
      emitted.splitKernels.insert(step.function.getName());
  }
  return steps;
}

Result<KernelCall> ModuleEmitter::emitKernel(Operation *op, Tier tier) {
  auto lowering = dyn_cast<CpuLowering>(op);
  KernelBuilder builder(op, tier, options.numerics, *module, "kernel");
  if (!lowering)
    return builder.unsupported("any form");
  builder.copies = storage.alsoStored.lookup(op).size();
  builder.shared = storage.sharedDestinations(op);
  if (auto copied = storage.copied.find(op); copied != storage.copied.end())
    builder.copied = copied->second;
  builder.parts = partsOf(op, tier, options);
  builder.layouts = &*layouts;
  builder.schedules = &options.schedules;
  builder.made = made;
  if (Status status = lowering.lower(builder); !status) {
    tally::Diagnostic failure = status.takeError();
    if (failure.node.empty())
      failure.node = nn::nodeName(op);
    return failure;
  }
  builder.finish();
  assert(!findSharedWrite(builder.function) && "parts write to one place");
  for (const auto &[task, chosen] : builder.scheduled)
    emitted.products.push_back({stages.lookup(op), task, chosen});
  std::vector<KernelStep> steps = shareSteps(builder);
  return KernelCall{op, std::move(steps), std::move(builder.arguments), {}};
}

/// Only one tier runs, so all tiers' kernels of one operation share scratch.
std::vector<size_t> ModuleEmitter::placeScratch(const KernelCall &call,
                                                int64_t time) {
  std::vector<size_t> &shared = scratch[call.op];
  std::vector<size_t> used;
  for (const KernelArgument &argument : call.arguments) {
    if (argument.kind != KernelArgument::Kind::Scratch)
      continue;
    if (used.size() == shared.size())
      shared.push_back(storage.addScratch(0, time, nn::nodeName(call.op)));
    plan::memory::Storage &own = storage.problem.storages[shared[used.size()]];
    own.bytes = std::max(own.bytes, argument.bytes);
    used.push_back(shared[used.size()]);
  }
  return used;
}

/// The first of all nodes without CPU code, which names a few of the others.
static tally::Diagnostic
withoutCode(const std::vector<tally::Diagnostic> &failures) {
  constexpr size_t kShown = 4;
  tally::Diagnostic failure = failures.front();
  if (failures.size() == 1)
    return failure;
  failure.message += "\n  nor for " + std::to_string(failures.size() - 1) +
                     (failures.size() > 2 ? " more nodes:" : " more node:");
  for (const tally::Diagnostic &other :
       ArrayRef(failures).drop_front().take_front(kShown)) {
    StringRef what = other.message;
    what.consume_front("no CPU code for ");
    failure.message += "\n  '" + other.node + "': " + what.str();
  }
  if (failures.size() > kShown + 1)
    failure.message +=
        "\n  and " + std::to_string(failures.size() - 1 - kShown) + " more";
  return failure;
}

Status ModuleEmitter::emitKernels(Tier tier, std::vector<KernelCall> &calls) {
  auto times = operationTimes(function);
  std::vector<tally::Diagnostic> failures;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!storage.needsKernel(&op))
      continue;
    auto call = emitKernel(&op, tier);
    if (call) {
      call->scratch = placeScratch(*call, times[&op]);
      calls.push_back(std::move(*call));
    } else if (call.error().rule == "CPU-1") {
      failures.push_back(call.takeError()); // all of them are told at once
    } else {
      return call.takeError();
    }
  }
  return failures.empty() ? Status::success() : withoutCode(failures);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Of the clock's readings around `kernels` kernels.
static int64_t markBytes(size_t kernels) {
  return static_cast<int64_t>((kernels + 1) * sizeof(uint64_t));
}

/// Behind all that the plan placed.
void ModuleEmitter::placeMarks(const std::vector<KernelCall> &calls) {
  marks.emplace();
  marks->offset = llvm::alignTo<kArenaAlignment>(plan.extent);
  for (const KernelCall &call : calls)
    marks->stages.push_back(stages.lookup(call.op));
  plan.extent = marks->offset + markBytes(calls.size());
}

//===----------------------------------------------------------------------===//
// Entry functions
//===----------------------------------------------------------------------===//

MemRefType ModuleEmitter::memrefOf(Value tensor) {
  eval::Tensor info = nn::describe(cast<RankedTensorType>(tensor.getType()));
  return MemRefType::get(memrefShape(info.shape),
                         storageType(b.getContext(), info.element));
}

Value ModuleEmitter::reshaped(Value memref, MemRefType type) {
  if (memref.getType() == type)
    return memref;
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  return memref::ReinterpretCastOp::create(b, type, memref, /*offset=*/0,
                                           type.getShape(), strides);
}

/// The memory of `place` as a tensor's. All entries' arguments are bytes.
Value ModuleEmitter::memoryAt(Storage place, MemRefType type,
                              func::FuncOp entry) {
  Value bytes = place.kind == StorageKind::Arena ? arenaOf(entry)
                : place.kind == StorageKind::Output
                    ? outputArgument(entry, place.index)
                    : entry.getArgument(place.index);
  if (place.kind == StorageKind::Arena)
    place.offset += plan.offsets[place.index];
  Value offset = arith::ConstantIndexOp::create(b, place.offset);
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  Value view = memref::ViewOp::create(b, plain, bytes, offset, ValueRange());
  return reshaped(view, type);
}

Value ModuleEmitter::tensorMemref(Value tensor, MemRefType type,
                                  func::FuncOp entry) {
  Storage place = storage.of(tensor);
  if (place.kind != StorageKind::Constant)
    return memoryAt(place, type, entry);
  auto constant = rootOf(tensor).getDefiningOp<nn::ConstantOp>();
  return globalConstant(nn::hostTensor(constant.getValue(), constant.getType()),
                        type, constant.getValue().getAsOpaquePointer());
}

static std::string contentKey(const eval::Tensor &tensor, MemRefType type) {
  llvm::SHA256 hash;
  hash.update(ArrayRef(reinterpret_cast<const uint8_t *>(tensor.storage.get()),
                       tensor.byteCount()));
  auto digest = hash.final();
  std::string key(digest.begin(), digest.end());
  llvm::raw_string_ostream(key) << type;
  return key;
}

/// The contents as read-only data of `type`, the shape that memory has
/// (memrefShape). `where` stands for them, and for no others.
Value ModuleEmitter::globalConstant(eval::Tensor tensor, MemRefType type,
                                    const void *where) {
  bool isEmpty = tensor.count() == 0;
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  if (isEmpty)
    tensor.allocate(); // one element that nothing reads
  std::string &key = contentKeys[{where, type}];
  if (key.empty())
    key = contentKey(tensor, type);
  auto &global = globals[key];
  if (!global) {
    std::string name =
        options.symbol + "_c" + std::to_string(globals.size() - 1);
    eval::Tensor stored = tensor;
    if (stored.element == eval::Element::Bool)
      stored.element = eval::Element::I8;
    auto elementType = storageType(b.getContext(), stored.element);
    auto tensorType = RankedTensorType::get(stored.shape, elementType);
    ArrayRef<char> raw(reinterpret_cast<char *>(stored.storage.get()),
                       stored.byteCount());
    auto value = DenseElementsAttr::getFromRawBuffer(tensorType, raw);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module->getBody());
    global = memref::GlobalOp::create(b, name, b.getStringAttr("private"), type,
                                      value, /*constant=*/true,
                                      b.getI64IntegerAttr(64));
    constBytes += stored.byteCount();
  }
  return memref::GetGlobalOp::create(b, type, global.getSymName());
}

Value ModuleEmitter::argumentValue(const KernelCall &call, size_t i,
                                   func::FuncOp entry) {
  const KernelArgument &argument = call.arguments[i];
  func::FuncOp kernel = call.steps.front().function;
  auto type = cast<MemRefType>(kernel.getArgumentTypes()[i]);
  switch (argument.kind) {
  case KernelArgument::Kind::Operand:
    return tensorMemref(
        cast<nn::Operator>(call.op).positionalOperands()[argument.index], type,
        entry);
  case KernelArgument::Kind::Result:
    return tensorMemref(call.op->getResult(argument.index), type, entry);
  case KernelArgument::Kind::Copy:
    return memoryAt(storage.alsoStored[call.op][argument.index], type, entry);
  case KernelArgument::Kind::Constant:
    return globalConstant(argument.data, type, argument.data.storage.get());
  case KernelArgument::Kind::Scratch: {
    size_t which = llvm::count_if(
        ArrayRef(call.arguments).take_front(i), [](const KernelArgument &a) {
          return a.kind == KernelArgument::Kind::Scratch;
        });
    auto index = static_cast<int64_t>(call.scratch[which]);
    return memoryAt({StorageKind::Arena, index}, type, entry);
  }
  }
  return {};
}

/// Of AArch64 LLVM reads the cycles, which Linux keeps from programs.
static Value readClock(ImplicitLocOpBuilder &b, Family family) {
  Type type = b.getI64Type();
  if (family == Family::X86)
    return LLVM::CallIntrinsicOp::create(
               b, type, b.getStringAttr("llvm.readcyclecounter"), ValueRange())
        ->getResult(0);
  return LLVM::InlineAsmOp::create(
             b, type, ValueRange(), "mrs $0, CNTVCT_EL0", "=r",
             /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
             /*asm_dialect=*/{}, /*operand_attrs=*/{})
      .getResult(0);
}

/// Stores the clock as mark `index`, if there are marks. The read is not
/// serializing: it may pass some instructions, which are few beside a kernel's.
void ModuleEmitter::emitMark(size_t index, func::FuncOp entry) {
  if (!marks)
    return;
  auto type = MemRefType::get({1}, b.getI64Type());
  Value offset = arith::ConstantIndexOp::create(
      b, marks->offset + static_cast<int64_t>(index * sizeof(uint64_t)));
  Value place =
      memref::ViewOp::create(b, type, arenaOf(entry), offset, ValueRange());
  Value clock = readClock(b, familyOf(options.tiers.front()));
  Value first = arith::ConstantIndexOp::create(b, 0);
  memref::StoreOp::create(b, clock, place, first);
}

void ModuleEmitter::emitCopies(func::FuncOp entry, bool ofInputs) {
  for (auto [index, source] : storage.copies) {
    bool isInput = storage.of(source).kind == StorageKind::Input;
    if (isInput != ofInputs || storageBytes(source) == 0)
      continue;
    MemRefType type = memrefOf(source);
    memref::CopyOp::create(b, tensorMemref(source, type, entry),
                           memoryAt({StorageKind::Output, index}, type, entry));
  }
}

/// Of a split step all parts as one; dispatchSteps makes several of it.
void ModuleEmitter::emitCall(const KernelStep &step,
                             SmallVector<Value> arguments) {
  if (step.isSplit)
    for (int64_t value : {0, 1})
      arguments.push_back(arith::ConstantIndexOp::create(b, value));
  func::CallOp::create(b, step.function, arguments);
}

void ModuleEmitter::emitEntry(Tier tier, const std::vector<KernelCall> &calls) {
  auto bytesType = [&](int64_t bytes) {
    return MemRefType::get({std::max<int64_t>(bytes, 1)}, b.getI8Type());
  };
  SmallVector<Type> types;
  for (Value argument : function.getArguments())
    types.push_back(bytesType(storageBytes(argument)));
  for (Value output : returned())
    types.push_back(bytesType(storageBytes(output)));
  types.push_back(bytesType(plan.extent));
  if (options.threads > 1) // a TallyParallelFor and what it is given
    types.append(2, LLVM::LLVMPointerType::get(b.getContext()));
  b.setInsertionPointToEnd(module->getBody());
  auto entry = func::FuncOp::create(b, entryName(options.symbol, tier),
                                    b.getFunctionType(types, {}));
  b.setInsertionPointToStart(entry.addEntryBlock());
  emitCopies(entry, /*ofInputs=*/true);
  for (auto [index, call] : llvm::enumerate(calls)) {
    SmallVector<Value> arguments;
    for (size_t i = 0; i < call.arguments.size(); ++i)
      arguments.push_back(argumentValue(call, i, entry));
    emitMark(index, entry);
    for (const KernelStep &step : call.steps)
      emitCall(step, arguments);
  }
  emitMark(calls.size(), entry);
  emitCopies(entry, /*ofInputs=*/false);
  func::ReturnOp::create(b);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

runtime::Interface ModuleEmitter::describeInterface() {
  runtime::Interface interface = describe(function, options);
  interface.arenaBytes = plan.extent;
  interface.constBytes = constBytes;
  if (options.selfTest)
    interface.selfTestBytes = selfTestBytes(interface);
  interface.peak = peak;
  countStateBytes(function, storage, interface);
  return interface;
}

Result<EmittedModule> ModuleEmitter::run(Marks wanted) {
  loadLoweringDialects(*function.getContext());
  registerLowerings(*function.getContext());
  module = ModuleOp::create(b.getLoc());
  layouts.emplace(function);
  storage = assignStorage(function, *layouts);
  stages = stagesOf(function);
  std::vector<std::vector<KernelCall>> calls(options.tiers.size());
  for (auto [tier, list] : llvm::zip(options.tiers, calls))
    if (Status status = emitKernels(tier, list); !status)
      return status.takeError();
  auto arena = planArena(storage.problem, options.budget);
  if (!arena)
    return arena.takeError();
  plan = std::move(arena->plan);
  peak = std::move(arena->peak);
  if (wanted == Marks::Yes)
    placeMarks(calls.front());
  for (auto [tier, list] : llvm::zip(options.tiers, calls))
    emitEntry(tier, list);
  emitted.interface = describeInterface();
  emitted.module = std::move(module);
  if (marks)
    emitted.marks = std::move(*marks);
  return std::move(emitted);
}

Result<EmittedModule> tally::cpu::emitModule(func::FuncOp function,
                                             const CpuOptions &options,
                                             Marks marks) {
  return ModuleEmitter(function, options).run(marks);
}
