//===- Lower.cpp - a planned npu.program becomes a program ----------------===//
//
// Each command: its waits, what it stages that the engine does not hold yet,
// `go`, its signals.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/lower/Lower.h"
#include "tally/emit/encode/Encode.h"
#include "tally/emit/routine/Commands.h"
#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/schedule/Scheduler.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace tally;
using namespace tally::emit;

namespace {
class Emitter {
public:
  Emitter(npu::ProgramOp program, const machine::Machine &machine)
      : program(program), machine(machine), routine(machine) {}

  Result<Code> run();

private:
  void resetAll(Scope &scope, ArrayRef<int64_t> registers);
  void wait(Scope &scope, uint32_t queue, int64_t reg, int64_t value);
  void emit(Scope &scope, npu::CommandOp op);

  npu::ProgramOp program;
  const machine::Machine &machine;
  Routine routine;
};
} // namespace

void Emitter::resetAll(Scope &scope, ArrayRef<int64_t> registers) {
  fenceAll(scope);
  for (int64_t reg : registers)
    routine.instruction(isa::Opcode::Reset, {reg});
}

void Emitter::wait(Scope &scope, uint32_t queue, int64_t reg, int64_t value) {
  switch (machine.sync.kind) {
  case machine::SyncKind::Counter:
    // The plan keeps thresholds within an immediate (schedule/Plans.cpp).
    routine.instruction(isa::Opcode::WaitGe, {int64_t(queue), reg, value});
    return;
  case machine::SyncKind::Token:
    (void)take(scope, queue, uint32_t(reg));
    return;
  case machine::SyncKind::Flag:
    (void)test(scope, queue, uint32_t(reg));
    return;
  }
}

static ArrayRef<int64_t> listOf(std::optional<ArrayRef<int64_t>> list) {
  return list.value_or(ArrayRef<int64_t>());
}

void Emitter::emit(Scope &scope, npu::CommandOp op) {
  isa::Command command = npu::commandOf(op, /*placed=*/true);
  if (op.getDrains())
    resetAll(scope, listOf(program.getRegisters()));
  ArrayRef<int64_t> waits = listOf(op.getWaits());
  for (size_t i = 0; i < waits.size(); i += 2)
    wait(scope, command.queue, waits[i], waits[i + 1]);
  for (int64_t reg : listOf(op.getClears()))
    (void)clear(scope, command.queue, uint32_t(reg));
  (void)issue(scope, command);
  for (int64_t reg : listOf(op.getSignals()))
    (void)signal(scope, command.queue, uint32_t(reg));
}

Result<Code> Emitter::run() {
  for (auto op : program.getBody().front().getOps<npu::CommandOp>()) {
    Scope scope(routine, nn::nodeName(op));
    emit(scope, op);
  }
  {
    Scope scope(routine, "end");
    if (!listOf(program.getFinalClears()).empty())
      resetAll(scope, *program.getFinalClears());
  }
  return routine.finish();
}

//===----------------------------------------------------------------------===//
// What is not text
//===----------------------------------------------------------------------===//

static void fillConstants(npu::ProgramOp program, isa::Program &result) {
  for (auto storage : program.getBody().front().getOps<npu::StorageOp>()) {
    if (int64_t(storage.getSpace()) != isa::kConstantsRegion)
      continue;
    auto contents = cast<DenseResourceElementsAttr>(*storage.getContents());
    ArrayRef<char> data = contents.getRawHandle().getBlob()->getData();
    size_t offset = size_t(*storage.getOffset());
    result.constants.resize(offset + size_t(storage.getBytes()));
    std::copy(data.begin(), data.end(), result.constants.begin() + offset);
  }
}

static int64_t arenaBytes(npu::ProgramOp program) {
  int64_t bytes = 0;
  for (auto storage : program.getBody().front().getOps<npu::StorageOp>())
    if (int64_t(storage.getSpace()) == isa::kArenaRegion)
      bytes =
          std::max(bytes, int64_t(*storage.getOffset() + storage.getBytes()));
  return bytes;
}

static isa::Buffer bufferOf(Type type, StringAttr name, isa::BufferUse use) {
  auto tensor = cast<RankedTensorType>(type);
  isa::Buffer buffer;
  buffer.name = name ? name.str() : std::string();
  buffer.use = use;
  buffer.type = *schedule::elementTypeOf(tensor);
  buffer.bytes = tensor.getNumElements() * machine::elementBytes(buffer.type);
  buffer.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  if (auto element = nn::quantizedElement(tensor)) {
    eval::Quantization grid = nn::gridOf(element);
    buffer.scale = grid.perTensor() ? grid.scale() : 0;
    buffer.zero = grid.perTensor() ? grid.zeroPoint() : 0;
  }
  return buffer;
}

static void fillBuffers(func::FuncOp function, isa::Program &result) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    result.buffers.push_back(
        bufferOf(type, function.getArgAttrOfType<StringAttr>(i, "nn.name"),
                 isa::BufferUse::Input));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    result.buffers.push_back(
        bufferOf(type, function.getResultAttrOfType<StringAttr>(i, "nn.name"),
                 isa::BufferUse::Output));
}

static Status encodeText(const Code &code, isa::Program &result) {
  for (const CodeLine &line : code.lines) {
    auto word = isa::encode(line.instruction);
    if (!word)
      return word.takeError();
    result.text.push_back(*word);
  }
  return Status::success();
}

Result<isa::Program>
tally::emit::lowerProgram(npu::ProgramOp program, func::FuncOp function,
                          const machine::Machine &machine) {
  auto code = Emitter(program, machine).run();
  if (!code)
    return code.takeError();
  isa::Program result;
  if (Status status = encodeText(*code, result); !status)
    return status.takeError();
  fillConstants(program, result);
  fillBuffers(function, result);
  result.arenaBytes = arenaBytes(program);
  result.arenaAlignment = machine.global.alignment;
  result.requirements = isa::requirementsOf(result.text, machine);
  return result;
}
