//===- Lower.cpp - a planned npu.program becomes a program ----------------===//
//
// The commands with what the plans put around them go to emit/stream, which
// makes the text; the rest of a program is what stands here.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/lower/Lower.h"
#include "tally/emit/encode/Encode.h"
#include "tally/emit/lower/Buffers.h"
#include "tally/emit/stream/Stream.h"
#include "tally/graph/Locations.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tally;
using namespace tally::emit;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::vector<uint32_t>
registersIn(std::optional<ArrayRef<int64_t>> list) {
  ArrayRef<int64_t> numbers = list.value_or(ArrayRef<int64_t>());
  return {numbers.begin(), numbers.end()};
}

/// The offsets to which the processor adds a counter.
static std::vector<MovingField> movingOf(npu::CommandOp op) {
  std::vector<MovingField> moving;
  if (!op.getCounter())
    return moving;
  machine::EngineKind kind = isa::infoOf(isa::CommandCode(op.getCode())).kind;
  for (auto [name, step] : llvm::zip_equal(op.getOperands(), *op.getSteps()))
    if (step != 0) {
      std::string field = cast<StringAttr>(name).str() + ".offset";
      moving.push_back({*isa::findField(kind, field),
                        wordOfCounter((*op.getCounter())[0]), step});
    }
  return moving;
}

static PlannedCommand plannedOf(npu::CommandOp op) {
  PlannedCommand planned;
  planned.command = npu::commandOf(op, /*placed=*/true);
  planned.drains = op.getDrains();
  planned.moving = movingOf(op);
  ArrayRef<int64_t> waits = op.getWaits().value_or(ArrayRef<int64_t>());
  for (size_t i = 0; i < waits.size(); i += 2)
    planned.waits.push_back({uint32_t(waits[i]), waits[i + 1]});
  planned.clears = registersIn(op.getClears());
  planned.signals = registersIn(op.getSignals());
  return planned;
}

/// The model's name of the node that a command is for; copies of the caller's
/// buffers are for none.
static std::string modelNodeOf(npu::CommandOp op) {
  return nn::nodeOpType(op).empty() ? "" : nn::nodeName(op);
}

static Stream streamOf(npu::ProgramOp program) {
  Stream stream;
  stream.registers = registersIn(program.getRegisters());
  stream.finalClears = registersIn(program.getFinalClears());
  llvm::StringMap<uint32_t> nodes;
  for (auto op : program.getBody().front().getOps<npu::CommandOp>()) {
    std::string name = modelNodeOf(op);
    auto [node, isNew] = nodes.try_emplace(name, stream.nodes.size());
    if (isNew)
      stream.nodes.push_back(name);
    stream.commands.push_back(plannedOf(op));
    stream.commands.back().node = node->second;
  }
  return stream;
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

/// Which instructions belong to which node of the model.
static void fillNodes(const Code &code, isa::Program &result) {
  for (auto [at, line] : llvm::enumerate(code.lines)) {
    const std::string &name = code.nodes[line.node];
    if (name.empty())
      continue;
    bool goesOn =
        !result.nodes.empty() && result.nodes.back().name == name &&
        result.nodes.back().first + result.nodes.back().count == int64_t(at);
    if (!goesOn)
      result.nodes.push_back({int64_t(at), 0, name});
    ++result.nodes.back().count;
  }
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
    // Equal constants share a place, so that places do not only grow.
    size_t end = offset + size_t(storage.getBytes());
    result.constants.resize(std::max(result.constants.size(), end));
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

Result<isa::Program>
tally::emit::lowerProgram(npu::ProgramOp program, func::FuncOp function,
                          const machine::Machine &machine) {
  auto code = record(streamOf(program), machine);
  if (!code)
    return code.takeError();
  isa::Program result;
  if (Status status = encodeText(*code, result); !status)
    return status.takeError();
  fillNodes(*code, result);
  fillConstants(program, result);
  fillBuffers(function, result);
  fillStates(program, function, machine, result);
  result.arenaBytes = arenaBytes(program);
  result.arenaAlignment = machine.global.alignment;
  result.requirements = isa::requirementsOf(result.text, machine);
  return result;
}
