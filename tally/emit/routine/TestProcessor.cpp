//===- TestProcessor.cpp - runs code for tests ----------------------------===//

#include "tally/emit/routine/TestProcessor.h"

#include "tally/emit/isa/Config.h"

#include <array>
#include <deque>

using namespace tally;
using namespace tally::emit;
using isa::Opcode;
using isa::OperandKind;

namespace {
/// An entry that may be unfinished, with its late registers at issue.
struct Entry {
  std::vector<std::pair<uint32_t, uint32_t>> late;
  std::string text;
};

class Processor {
public:
  Processor(const std::vector<isa::Instruction> &program,
            const machine::Machine &machine, uint32_t garbage)
      : program(program), machine(machine), queues(machine.queues.size()) {
    x.fill(garbage);
    x[0] = 0;
    for (uint32_t queue = 0; queue < queues.size(); ++queue)
      staged.emplace_back(machine.engineOf(queue).kind);
  }

  Trace run(size_t mostSteps) {
    while (!isDone && trace.fault.empty() && mostSteps-- > 0)
      step();
    if (!isDone && trace.fault.empty())
      trace.fault = "no end";
    return std::move(trace);
  }

private:
  void step();
  void scalar(const isa::Instruction &line);
  void jump(const isa::Instruction &line);
  void enqueue(const isa::Instruction &line);
  void finish(size_t queue, size_t pending);
  int32_t number(const isa::Instruction &line, OperandKind kind) const {
    return static_cast<int32_t>(line.operand(kind));
  }
  uint32_t reg(const isa::Instruction &line, OperandKind kind) const {
    return x[line.operand(kind)];
  }

  const std::vector<isa::Instruction> &program;
  const machine::Machine &machine;
  std::array<uint32_t, 32> x{};
  std::vector<isa::Configuration> staged;
  std::vector<std::deque<Entry>> queues;
  std::map<int64_t, int64_t> signals; ///< issued since a register's reset
  int64_t pc = 0;
  bool isDone = false;
  Trace trace;
};
} // namespace

void Processor::finish(size_t queue, size_t pending) {
  for (; queues[queue].size() > pending; queues[queue].pop_front())
    for (auto [reg, value] : queues[queue].front().late)
      if (x[reg] != value && trace.fault.empty())
        trace.fault = "x" + std::to_string(reg) + " changed under " +
                      queues[queue].front().text;
}

void Processor::enqueue(const isa::Instruction &line) {
  auto queue = static_cast<size_t>(line.operand(OperandKind::Queue));
  Entry entry;
  entry.text =
      machine.queues[queue].name + " " + std::string(line.info().mnemonic);
  std::span<const isa::OperandInfo> operands = line.info().operands();
  for (size_t at = 1; at < operands.size(); ++at) {
    bool isRegister = operands[at].kind == OperandKind::Rs1 ||
                      operands[at].kind == OperandKind::Rs2;
    entry.text += " " + std::to_string(isRegister ? x[line.operands[at]]
                                                  : line.operands[at]);
  }
  if (line.opcode == Opcode::Go)
    for (uint32_t field = 0;
         field < isa::allFields(staged[queue].kind()).size(); ++field)
      entry.text += "," + std::to_string(staged[queue].get(field));
  // Waits for one threshold are one thing, however they say it.
  if (line.opcode == Opcode::WaitGeR)
    entry.text.replace(entry.text.find(".r"), 2, "");
  if (line.opcode == Opcode::WaitRel)
    entry.text = machine.queues[queue].name + " wait.ge " +
                 std::to_string(line.operand(OperandKind::Sync)) + " " +
                 std::to_string(signals[line.operand(OperandKind::Sync)] -
                                line.operand(OperandKind::Immediate));
  if (line.opcode == Opcode::Signal)
    ++signals[line.operand(OperandKind::Sync)];
  for (const isa::RegisterRead &read :
       isa::registerEffects(line, machine.latchesOperands).reads)
    if (read.time == isa::ReadTime::Late)
      entry.late.push_back({read.reg, x[read.reg]});
  trace.entries.push_back(entry.text);
  queues[queue].push_back(std::move(entry));
}

static bool isTaken(Opcode opcode, uint32_t a, uint32_t b) {
  auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  switch (opcode) {
  case Opcode::Beq:
    return a == b;
  case Opcode::Bne:
    return a != b;
  case Opcode::Blt:
    return sa < sb;
  case Opcode::Bge:
    return sa >= sb;
  case Opcode::Bltu:
    return a < b;
  case Opcode::Bgeu:
    return a >= b;
  default:
    return true; // jal
  }
}

void Processor::jump(const isa::Instruction &line) {
  uint32_t a = 0, b = 0;
  if (line.opcode != Opcode::Jal) {
    a = reg(line, OperandKind::Rs1);
    b = reg(line, OperandKind::Rs2);
  }
  if (isTaken(line.opcode, a, b))
    pc += line.operand(OperandKind::Offset) / 4 - 1;
}

void Processor::scalar(const isa::Instruction &line) {
  uint32_t result = 0;
  auto a = [&] { return reg(line, OperandKind::Rs1); };
  auto b = [&] { return reg(line, OperandKind::Rs2); };
  auto imm = [&] { return uint32_t(number(line, OperandKind::Immediate)); };
  switch (line.opcode) {
  case Opcode::Lui:
    result = imm() << 12;
    break;
  case Opcode::Addi:
    result = a() + imm();
    break;
  case Opcode::Slli:
    result = a() << imm();
    break;
  case Opcode::Add:
    result = a() + b();
    break;
  case Opcode::Sub:
    result = a() - b();
    break;
  case Opcode::Mul:
    result = a() * b();
    break;
  case Opcode::Lw: {
    uint32_t address = a() + imm();
    auto word = trace.context.find(address);
    result = word == trace.context.end() ? 1000 + address : word->second;
    break;
  }
  case Opcode::Sw:
    trace.context[a() + imm()] = b();
    return;
  default:
    trace.fault = "no test runs " + std::string(line.info().mnemonic);
    return;
  }
  if (int64_t rd = line.operand(OperandKind::Rd); rd != 0)
    x[rd] = result;
}

void Processor::step() {
  if (pc < 0 || pc >= static_cast<int64_t>(program.size())) {
    trace.fault = "left the program";
    return;
  }
  const isa::Instruction &line = program[pc++];
  if (line.info().unit == isa::Unit::Queued)
    return enqueue(line);
  if (line.info().find(OperandKind::Offset))
    return jump(line);
  auto queue = line.info().find(OperandKind::Queue)
                   ? static_cast<size_t>(line.operand(OperandKind::Queue))
                   : 0;
  Status set;
  switch (line.opcode) {
  case Opcode::Reset:
    signals[line.operand(OperandKind::Sync)] = 0;
    trace.entries.push_back("reset " +
                            std::to_string(line.operand(OperandKind::Sync)));
    return;
  case Opcode::Ecall:
    isDone = true;
    [[fallthrough]];
  case Opcode::Fence:
    for (size_t one = 0; one < queues.size(); ++one)
      finish(one, 0);
    return;
  case Opcode::FenceQueue:
    return finish(queue,
                  static_cast<size_t>(line.operand(OperandKind::Immediate)));
  case Opcode::CfgI:
    set = staged[queue].set(
        static_cast<uint32_t>(line.operand(OperandKind::Field)),
        line.operand(OperandKind::Immediate));
    break;
  case Opcode::CfgR:
    set = staged[queue].setRegister(
        static_cast<uint32_t>(line.operand(OperandKind::Field)),
        reg(line, OperandKind::Rs1));
    break;
  default:
    return scalar(line);
  }
  if (!set)
    trace.fault = set.takeError().str();
}

Trace tally::emit::run(const std::vector<isa::Instruction> &program,
                       const machine::Machine &machine, uint32_t garbage,
                       size_t mostSteps) {
  return Processor(program, machine, garbage).run(mostSteps);
}

machine::Machine tally::emit::testMachine(size_t scratch) {
  machine::Machine machine;
  machine.name = "test";
  for (uint32_t reg = 5; reg < 5 + scratch; ++reg)
    machine.processor.scratch.push_back(reg);
  using machine::EngineKind;
  for (EngineKind kind :
       {EngineKind::Dma, EngineKind::Matrix, EngineKind::Vector}) {
    machine::Engine engine;
    engine.name = std::string(engineKindName(kind));
    engine.kind = kind;
    engine.depth = 16;
    engine.types = {std::begin(machine::allElementTypes),
                    std::end(machine::allElementTypes)};
    machine.queues.push_back(
        {engine.name, static_cast<uint32_t>(machine.engines.size())});
    machine.engines.push_back(std::move(engine));
  }
  machine.sync.count = 8;
  machine.sync.relativeWaits = true;
  machine.sync.scalarThresholds = true;
  machine.sram.bytes = 1 << 20;
  machine.accumulators.bytes = 1 << 17;
  return machine;
}
