//===- TestOracle.cpp - every execution of a small program ----------------===//
//
// A state is: where the processor is, its registers and staged fields, the
// entries of queues (waiting, running, done), the synchronization registers,
// and for each byte of memory a name of what it holds. Depth first, each state
// once, by a hash of 128 bits.
//
// The name of a result is made of the instruction and of the names of all that
// it reads, so equal names mean equal computations.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/TestOracle.h"
#include "tally/emit/isa/Effects.h"

#include <memory>
#include <unordered_set>

using namespace tally;
using namespace tally::checker;
using isa::Opcode;

namespace {
uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
  x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 32)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

struct Entry {
  enum Status : uint8_t { Waiting, Running, Done };
  isa::Instruction instruction;
  uint32_t pc = 0, serial = 0;
  int64_t threshold = 0;     ///< of wait.rel
  uint32_t rs1 = 0, rs2 = 0; ///< at issue
  std::shared_ptr<const isa::Configuration> config;
  Status status = Waiting;
  std::shared_ptr<const std::vector<isa::Access>> accesses; ///< once it runs
};

struct World {
  uint32_t pc = 0;
  uint32_t steps = 0;  ///< of the processor, which is in one state after each
  uint32_t pushed = 0; ///< entries of all queues so far
  bool ended = false;
  uint64_t memoryName = 0; ///< of all that memory holds
  std::array<uint32_t, 32> x{};
  std::vector<isa::Configuration> staged;
  std::vector<std::vector<Entry>> queues; ///< what has not been removed
  std::vector<int64_t> sync, issuedSignals;
  std::vector<uint64_t> memory; ///< all spaces; 0: unwritten

  std::pair<uint64_t, uint64_t> key() const;
};

struct PairHash {
  size_t operator()(const std::pair<uint64_t, uint64_t> &key) const {
    return key.first;
  }
};

class Explorer {
public:
  Explorer(const Subject &subject, uint64_t maxStates)
      : subject(subject), machine(subject.machine), maxStates(maxStates) {}
  Exploration run();

private:
  void visit(const World &world);
  bool processorStep(World &world);
  void execute(World &world, const isa::Instruction &now);
  bool isBlocked(const World &world, const isa::Instruction &now) const;
  bool isVisible(const World &world, const isa::Instruction &now) const;
  void push(World &world, const isa::Instruction &now, uint32_t pc);
  void writeRegister(World &world, uint32_t reg, uint32_t value);
  bool startStep(World &world, uint32_t queue, size_t place);
  bool completeStep(World &world, uint32_t queue, size_t place);
  bool act(World &world, Entry &entry);
  void runCommand(World &world, Entry &entry);
  void finish(const World &world);
  RegionRole roleOf(int64_t space) const { ///< memories are like the arena
    return space < int64_t(subject.regions.size()) ? subject.regions[space].role
                                                   : RegionRole::Arena;
  }
  uint64_t startOf(int64_t space, int64_t at) const;
  void judge(const isa::Access &access, int64_t at, uint64_t byte);
  int64_t sizeOf(int64_t space) const {
    return begins[space + 1] - begins[space];
  }
  void harm(const char *what) {
    if (result.harm.empty())
      result.harm = what;
  }

  const Subject &subject;
  const machine::Machine &machine;
  uint64_t maxStates;
  Exploration result;
  std::unordered_set<std::pair<uint64_t, uint64_t>, PairHash> seen;
  std::vector<World> open;
  std::vector<int64_t> begins; ///< of spaces in World::memory, and the end
  std::optional<uint64_t> finalMemory; ///< World::memoryName
};
} // namespace

std::pair<uint64_t, uint64_t> World::key() const {
  uint64_t a = steps, b = memoryName;
  auto add = [&](uint64_t value) {
    a = mix(a, value);
    b = mix(value, b + 0x1234567);
  };
  add(memoryName);
  for (const std::vector<Entry> &queue : queues) {
    add(queue.size());
    for (const Entry &entry : queue)
      add(entry.serial * 4 + entry.status);
  }
  for (int64_t value : sync)
    add(value);
  return {a, b};
}

//===----------------------------------------------------------------------===//
// The processor
//===----------------------------------------------------------------------===//

static size_t unfinished(const std::vector<Entry> &queue) {
  size_t count = 0;
  for (const Entry &entry : queue)
    count += entry.status != Entry::Done;
  return count;
}

static bool readsLate(const Entry &entry, uint32_t reg) {
  for (const isa::RegisterRead &read :
       isa::registerEffects(entry.instruction).reads)
    if (read.reg == reg && read.time == isa::ReadTime::Late)
      return true;
  return false;
}

bool Explorer::isBlocked(const World &world,
                         const isa::Instruction &now) const {
  isa::Unit unit = now.info().unit;
  if (unit == isa::Unit::Queued) {
    auto queue = static_cast<uint32_t>(now.operands[0]);
    return unfinished(world.queues[queue]) >=
           size_t(machine.engineOf(queue).depth);
  }
  if (now.opcode == Opcode::FenceQueue)
    return int64_t(unfinished(world.queues[now.operands[0]])) > now.operands[1];
  if (unit != isa::Unit::Fence)
    return false;
  for (const std::vector<Entry> &queue : world.queues)
    if (unfinished(queue) > 0)
      return true;
  return false;
}

/// Whether anyone else could see when the instruction happens.
bool Explorer::isVisible(const World &world,
                         const isa::Instruction &now) const {
  isa::Unit unit = now.info().unit;
  if (unit == isa::Unit::Queued || unit == isa::Unit::Fence ||
      now.opcode == Opcode::Reset)
    return true;
  std::optional<uint32_t> written = isa::registerEffects(now).write;
  if (!written)
    return false;
  for (const std::vector<Entry> &queue : world.queues)
    for (const Entry &entry : queue)
      if (entry.status != Entry::Done && readsLate(entry, *written))
        return true;
  return false;
}

void Explorer::writeRegister(World &world, uint32_t reg, uint32_t value) {
  if (reg == 0)
    return;
  for (const std::vector<Entry> &queue : world.queues)
    for (const Entry &entry : queue)
      if (entry.status != Entry::Done && readsLate(entry, reg) &&
          world.x[reg] != value && !machine.latchesOperands)
        harm("late");
  world.x[reg] = value;
}

void Explorer::push(World &world, const isa::Instruction &now, uint32_t pc) {
  auto queue = static_cast<uint32_t>(now.operands[0]);
  Entry entry;
  entry.instruction = now;
  entry.pc = pc;
  entry.serial = world.pushed++;
  if (std::optional<size_t> place = now.info().find(isa::OperandKind::Rs1))
    entry.rs1 = world.x[now.operands[*place]];
  if (std::optional<size_t> place = now.info().find(isa::OperandKind::Rs2))
    entry.rs2 = world.x[now.operands[*place]];
  if (now.opcode == Opcode::Go)
    entry.config = std::make_shared<isa::Configuration>(world.staged[queue]);
  if (now.opcode == Opcode::Signal)
    ++world.issuedSignals[now.operands[1]];
  if (now.opcode == Opcode::WaitRel)
    entry.threshold = world.issuedSignals[now.operands[1]] - now.operands[2];
  world.queues[queue].push_back(std::move(entry));
}

void Explorer::execute(World &world, const isa::Instruction &now) {
  const auto &o = now.operands;
  uint32_t pc = world.pc++;
  ++world.steps;
  auto branch = [&](bool isTaken) {
    world.pc = isTaken ? pc + int32_t(o[2] / 4) : world.pc;
  };
  switch (now.opcode) {
  case Opcode::Addi:
    return writeRegister(world, o[0], world.x[o[1]] + uint32_t(o[2]));
  case Opcode::Add:
    return writeRegister(world, o[0], world.x[o[1]] + world.x[o[2]]);
  case Opcode::Sub:
    return writeRegister(world, o[0], world.x[o[1]] - world.x[o[2]]);
  case Opcode::Andi:
    return writeRegister(world, o[0], world.x[o[1]] & uint32_t(o[2]));
  case Opcode::Bne:
    return branch(world.x[o[0]] != world.x[o[1]]);
  case Opcode::CfgI:
    if (!world.staged[o[0]].set(static_cast<uint32_t>(o[1]), o[2]))
      harm("fault");
    return;
  case Opcode::CfgR:
    if (!world.staged[o[0]].setRegister(uint32_t(o[1]), world.x[o[2]]))
      harm("fault");
    return;
  case Opcode::Beq:
    return branch(world.x[o[0]] == world.x[o[1]]);
  case Opcode::Bge:
    return branch(int32_t(world.x[o[0]]) >= int32_t(world.x[o[1]]));
  case Opcode::Reset:
    world.sync[o[0]] = world.issuedSignals[o[0]] = 0;
    return;
  case Opcode::Fence:
  case Opcode::FenceQueue:
    return;
  case Opcode::Ecall:
    world.ended = true;
    return;
  default:
    if (now.info().unit == isa::Unit::Queued)
      return push(world, now, pc);
    harm("fault"); // an instruction that no test program has
  }
}

/// One visible instruction and all that follow without being so.
bool Explorer::processorStep(World &world) {
  if (world.ended || isBlocked(world, subject.text[world.pc]))
    return false;
  execute(world, subject.text[world.pc]);
  while (!world.ended && result.harm.empty() &&
         !isVisible(world, subject.text[world.pc]))
    execute(world, subject.text[world.pc]);
  return true;
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

static bool conflict(const Entry &a, const Entry &b) {
  for (const isa::Access &x : *a.accesses)
    for (const isa::Access &y : *b.accesses)
      if ((x.kind == isa::AccessKind::Write ||
           y.kind == isa::AccessKind::Write) &&
          x.space == y.space && isa::overlap(x, y))
        return true;
  return false;
}

/// What a byte holds at the start; a write changes it.
uint64_t Explorer::startOf(int64_t space, int64_t at) const {
  bool isUnwritten =
      roleOf(space) == RegionRole::Arena || roleOf(space) == RegionRole::Output;
  return isUnwritten ? 0 : mix(space + 1, at + 1);
}

/// Outputs and states are written once, states read before that.
void Explorer::judge(const isa::Access &access, int64_t at, uint64_t byte) {
  if (!isWrittenOnce(roleOf(access.space)) || byte == startOf(access.space, at))
    return;
  if (access.kind == isa::AccessKind::Write)
    harm("twice");
  else if (roleOf(access.space) == RegionRole::State)
    harm("old");
}

/// The command begins: it must not touch what a running one writes.
void Explorer::runCommand(World &world, Entry &entry) {
  const auto &o = entry.instruction.operands;
  bool latched = machine.latchesOperands;
  isa::Command command{isa::CommandCode(o[1]), static_cast<uint32_t>(o[0]),
                       *entry.config,
                       int32_t(latched ? entry.rs1 : world.x[o[2]]),
                       int32_t(latched ? entry.rs2 : world.x[o[3]])};
  if (!isa::checkCommand(command, machine))
    return harm("fault");
  entry.accesses = std::make_shared<std::vector<isa::Access>>(
      isa::effects(command, machine));
  for (const std::vector<Entry> &queue : world.queues)
    for (const Entry &other : queue)
      if (&other != &entry && other.status == Entry::Running &&
          conflict(entry, other))
        return harm("race");
  uint64_t name = mix(entry.pc, 77);
  for (const isa::Access &access : *entry.accesses)
    for (const isa::ByteRange &range : isa::rangesOf(access.boxes))
      for (int64_t at = range.begin; at < range.end; ++at) {
        if (at < 0 || at >= sizeOf(access.space))
          return harm("fault");
        uint64_t &byte = world.memory[begins[access.space] + at];
        judge(access, at, byte);
        uint64_t place = mix(access.space, at);
        if (access.kind == isa::AccessKind::Write) {
          world.memoryName -= mix(place, byte);
          byte = access.isScratch ? 0 : mix(name, at);
          world.memoryName += mix(place, byte);
        } else if (byte == 0)
          return harm("unwritten");
        else
          name = mix(name, byte);
      }
}

/// A signal, wait or clear takes effect, if it can.
bool Explorer::act(World &world, Entry &entry) {
  const auto &o = entry.instruction.operands;
  int64_t &value = world.sync[o[1]];
  auto reached = [&](int64_t threshold) {
    if (machine.sync.compare == machine::SyncCompare::Absolute)
      return value >= threshold;
    int64_t modulus = machine.sync.maxValue() + 1;
    int64_t past = ((value - threshold) % modulus + modulus) % modulus;
    return past < modulus / 2;
  };
  switch (entry.instruction.opcode) {
  case Opcode::Signal:
    if (machine.sync.kind == machine::SyncKind::Flag)
      value = 1;
    else if (value < machine.sync.maxValue())
      ++value;
    else if (machine.sync.kind == machine::SyncKind::Counter &&
             machine.sync.compare == machine::SyncCompare::Modular)
      value = 0;
    else
      harm("width");
    return true;
  case Opcode::WaitGe:
    return reached(o[2]);
  case Opcode::WaitGeR:
    return reached(machine.latchesOperands ? entry.rs1 : world.x[o[2]]);
  case Opcode::WaitRel:
    return reached(entry.threshold);
  case Opcode::Take:
    if (value == 0)
      return false;
    --value;
    return true;
  case Opcode::Test:
    return value > 0;
  default:
    value = 0; // clear
    return true;
  }
}

static bool isWaiting(Opcode opcode) {
  return opcode == Opcode::WaitGe || opcode == Opcode::WaitGeR ||
         opcode == Opcode::WaitRel || opcode == Opcode::Take ||
         opcode == Opcode::Test;
}

static void removeDone(std::vector<Entry> &queue) {
  while (!queue.empty() && queue.front().status == Entry::Done)
    queue.erase(queue.begin());
}

/// A command starts, or another entry happens.
bool Explorer::startStep(World &world, uint32_t queue, size_t place) {
  std::vector<Entry> &entries = world.queues[queue];
  Entry &entry = entries[place];
  bool isSignal = entry.instruction.opcode == Opcode::Signal;
  if (entry.status != Entry::Waiting)
    return false;
  for (size_t i = 0; i < place; ++i) {
    const Entry &earlier = entries[i];
    bool mustBeDone = machine.engineOf(queue).inOrder || isSignal ||
                      isWaiting(earlier.instruction.opcode);
    // A signal that is not due does not hold up what comes behind it.
    bool isPendingSignal = earlier.instruction.opcode == Opcode::Signal;
    if (mustBeDone ? earlier.status != Entry::Done
                   : earlier.status == Entry::Waiting && !isPendingSignal)
      return false;
  }
  if (entry.instruction.opcode == Opcode::Go) {
    runCommand(world, entry);
    entry.status = Entry::Running;
    return true;
  }
  if (!act(world, entry))
    return false;
  entry.status = Entry::Done;
  removeDone(entries);
  return true;
}

bool Explorer::completeStep(World &world, uint32_t queue, size_t place) {
  if (world.queues[queue][place].status != Entry::Running)
    return false;
  world.queues[queue][place].status = Entry::Done;
  removeDone(world.queues[queue]);
  return true;
}

//===----------------------------------------------------------------------===//
// All executions
//===----------------------------------------------------------------------===//

void Explorer::finish(const World &world) {
  for (int64_t value : world.sync)
    if (value != 0)
      harm("residue");
  for (size_t r = 0; r < subject.regions.size(); ++r)
    for (int64_t at = 0; isWrittenOnce(roleOf(r)) && at < sizeOf(r); ++at)
      if (world.memory[begins[r] + at] == startOf(r, at))
        harm("unwritten");
  if (!finalMemory)
    finalMemory = world.memoryName;
  else if (*finalMemory != world.memoryName)
    harm("differs");
}

void Explorer::visit(const World &world) {
  if (!seen.insert(world.key()).second)
    return;
  bool moves = false;
  auto attempt = [&](auto step) {
    World next = world;
    if (!step(next))
      return;
    moves = true;
    if (result.harm.empty())
      open.push_back(std::move(next));
  };
  attempt([&](World &next) { return processorStep(next); });
  for (uint32_t q = 0; q < world.queues.size(); ++q)
    for (size_t i = 0; i < world.queues[q].size(); ++i) {
      attempt([&](World &next) { return startStep(next, q, i); });
      attempt([&](World &next) { return completeStep(next, q, i); });
    }
  if (world.ended)
    finish(world);
  else if (!moves)
    harm("hang");
}

Exploration Explorer::run() {
  World start;
  for (uint32_t q = 0; q < machine.queues.size(); ++q)
    start.staged.emplace_back(machine.engineOf(q).kind);
  start.queues.resize(machine.queues.size());
  start.sync.resize(machine.syncRegisters());
  start.issuedSignals.resize(machine.syncRegisters());
  for (int64_t space = 0; space <= isa::kAccumulators; ++space) {
    begins.push_back(start.memory.size());
    bool isRegion = space < int64_t(subject.regions.size());
    int64_t bytes = isRegion                      ? subject.regions[space].bytes
                    : space == isa::kSram         ? machine.sram.bytes
                    : space == isa::kAccumulators ? machine.accumulators.bytes
                                                  : 0;
    for (int64_t i = 0; i < bytes; ++i)
      start.memory.push_back(startOf(space, i));
  }
  begins.push_back(start.memory.size());
  open.push_back(std::move(start));
  while (!open.empty() && result.harm.empty()) {
    World next = std::move(open.back());
    open.pop_back();
    visit(next);
    if (seen.size() > maxStates)
      harm("?");
  }
  result.states = seen.size();
  return result;
}

Exploration tally::checker::exploreAll(const Subject &subject,
                                       uint64_t maxStates) {
  return Explorer(subject, maxStates).run();
}
