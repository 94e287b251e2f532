//===- TestBuilder.cpp - programs for tests, written short ----------------===//

#include "tally/run/checker/TestBuilder.h"

#include "tally/emit/encode/Encode.h"

#include <numeric>

using namespace tally;
using namespace tally::checker;
using isa::DmaField;
using isa::MatrixField;
using isa::Opcode;
using isa::VectorField;
using machine::EngineKind;

machine::Machine tally::checker::testMachine(uint32_t vectors, int64_t depth) {
  machine::Machine machine;
  machine.name = "test";
  machine.processor.isEmbedded = true;
  machine::Engine vector;
  vector.name = "vec";
  vector.kind = EngineKind::Vector;
  vector.count = vectors;
  vector.depth = depth;
  vector.types.assign(std::begin(machine::allElementTypes),
                      std::end(machine::allElementTypes));
  machine::Engine dma = vector;
  dma.name = "dma";
  dma.kind = EngineKind::Dma;
  dma.count = 1;
  machine.engines = {vector, dma};
  for (uint32_t i = 0; i < vectors; ++i)
    machine.queues.push_back({"vec" + std::to_string(i), 0});
  machine.queues.push_back({"dma", 1});
  machine.sync.count = 8;
  machine.sync.bits = 8;
  machine.sync.relativeWaits = true;
  machine.sync.scalarThresholds = true;
  machine.sram.bytes = 64;
  machine.accumulators.bytes = 0;
  return machine;
}

machine::Machine tally::checker::pipelineMachine(int64_t depth) {
  machine::Machine machine = testMachine(1, depth);
  machine::Engine vector = machine.engines[0], dma = machine.engines[1];
  machine::Engine matrix = vector;
  matrix.name = "matrix";
  matrix.kind = EngineKind::Matrix;
  matrix.matrix.rows = matrix.matrix.columns = 4;
  machine.engines = {dma, matrix, vector};
  machine.queues = {{"load", 0}, {"store", 0}, {"matrix", 1}, {"vector", 2}};
  machine.engines[0].count = 2;
  machine.sram.bytes = 128;
  machine.accumulators.bytes = 128;
  return machine;
}

Builder::Builder(machine::Machine machine) {
  subject.machine = std::move(machine);
  subject.regions = {{"constants", RegionRole::Constants, 0, 1},
                     {"arena", RegionRole::Arena, 0, 1},
                     {"context", RegionRole::Context, 0, 1}};
}

Builder &Builder::op(Opcode opcode, std::initializer_list<int64_t> operands) {
  isa::Instruction instruction;
  instruction.opcode = opcode;
  std::copy(operands.begin(), operands.end(), instruction.operands.begin());
  subject.text.push_back(instruction);
  return *this;
}

Builder &Builder::li(int64_t reg, int64_t value) {
  return op(Opcode::Addi, {reg, 0, value});
}

Builder &Builder::cfg(int64_t queue, VectorField field, int64_t value) {
  return op(Opcode::CfgI, {queue, int64_t(field), value});
}

Builder &Builder::cfg(int64_t queue, DmaField field, int64_t value) {
  return op(Opcode::CfgI, {queue, int64_t(field), value});
}

Builder &Builder::cfg(int64_t queue, MatrixField field, int64_t value) {
  return op(Opcode::CfgI, {queue, int64_t(field), value});
}

Builder &Builder::cfgR(int64_t queue, int64_t field, int64_t reg) {
  return op(Opcode::CfgR, {queue, field, reg});
}

Builder &Builder::copy(int64_t queue, At from, At to, int64_t bytes,
                       int64_t rs1, int64_t rs2) {
  bool isDma = subject.machine.engineOf(queue).kind == EngineKind::Dma;
  if (isDma) {
    cfg(queue, DmaField::Size3, bytes);
    cfg(queue, DmaField::SrcSpace, from.space);
    cfg(queue, DmaField::SrcOffset, from.offset);
    cfg(queue, DmaField::SrcStride3, 1);
    cfg(queue, DmaField::DstSpace, to.space);
    cfg(queue, DmaField::DstOffset, to.offset);
    cfg(queue, DmaField::DstStride3, 1);
  } else {
    cfg(queue, VectorField::Size3, bytes);
    cfg(queue, VectorField::AOffset, from.offset);
    cfg(queue, VectorField::AStride3, 1);
    cfg(queue, VectorField::OutOffset, to.offset);
    cfg(queue, VectorField::OutStride3, 1);
  }
  auto code = isDma ? isa::CommandCode::DmaCopy : isa::CommandCode::VectorCopy;
  return op(Opcode::Go, {queue, int64_t(code), rs1, rs2});
}

Builder &Builder::add(int64_t queue, int64_t a, int64_t b, int64_t to,
                      int64_t bytes) {
  cfg(queue, VectorField::Size3, bytes);
  cfg(queue, VectorField::Function, 0);
  cfg(queue, VectorField::AOffset, a);
  cfg(queue, VectorField::AStride3, 1);
  cfg(queue, VectorField::BOffset, b);
  cfg(queue, VectorField::BStride3, 1);
  cfg(queue, VectorField::OutOffset, to);
  cfg(queue, VectorField::OutStride3, 1);
  return op(Opcode::Go,
            {queue, int64_t(isa::CommandCode::VectorInteger), 0, 0});
}

Builder &Builder::signal(int64_t queue, int64_t sync) {
  return op(Opcode::Signal, {queue, sync});
}
Builder &Builder::wait(int64_t queue, int64_t sync, int64_t value) {
  return op(Opcode::WaitGe, {queue, sync, value});
}
Builder &Builder::waitRel(int64_t queue, int64_t sync, int64_t behind) {
  return op(Opcode::WaitRel, {queue, sync, behind});
}
Builder &Builder::take(int64_t queue, int64_t sync) {
  return op(Opcode::Take, {queue, sync});
}
Builder &Builder::test(int64_t queue, int64_t sync) {
  return op(Opcode::Test, {queue, sync});
}
Builder &Builder::clear(int64_t queue, int64_t sync) {
  return op(Opcode::Clear, {queue, sync});
}
Builder &Builder::reset(int64_t sync) { return op(Opcode::Reset, {sync}); }
Builder &Builder::fence() { return op(Opcode::Fence, {}); }
Builder &Builder::fence(int64_t queue, int64_t pending) {
  return op(Opcode::FenceQueue, {queue, pending});
}
Builder &Builder::end() { return op(Opcode::Ecall, {}); }

Builder &Builder::branch(Opcode opcode, int64_t rs1, int64_t rs2,
                         int64_t target) {
  return op(opcode, {rs1, rs2, (target - here()) * isa::kInstructionBytes});
}

Builder &Builder::size(int64_t region, int64_t bytes) {
  subject.regions[region].bytes = bytes;
  return *this;
}

int64_t Builder::buffer(std::string name, RegionRole role, int64_t bytes) {
  subject.regions.push_back({std::move(name), role, bytes, 1});
  return static_cast<int64_t>(subject.regions.size()) - 1;
}

static std::vector<uint8_t> countingBytes(int64_t count) {
  std::vector<uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), uint8_t(1));
  return bytes;
}

isa::Program tally::checker::programOf(const Subject &subject) {
  isa::Program program;
  for (const isa::Instruction &instruction : subject.text)
    program.text.push_back(*isa::encode(instruction));
  program.requirements = isa::requirementsOf(program.text, subject.machine);
  program.constants =
      countingBytes(subject.regions[isa::kConstantsRegion].bytes);
  program.context = countingBytes(subject.regions[isa::kContextRegion].bytes);
  program.arenaBytes = subject.regions[isa::kArenaRegion].bytes;
  for (size_t r = isa::kFirstCallerRegion; r < subject.regions.size(); ++r) {
    isa::Buffer buffer;
    buffer.name = subject.regions[r].name;
    buffer.use = subject.regions[r].role == RegionRole::Input
                     ? isa::BufferUse::Input
                     : isa::BufferUse::Output;
    buffer.bytes = subject.regions[r].bytes;
    program.buffers.push_back(std::move(buffer));
  }
  return program;
}
