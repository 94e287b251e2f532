//===- Expansion.cpp - the scalar code, executed --------------------------===//
//
// An interpreter of RV32 on registers that know whether they were ever written.
// `cfg` writes the staged fields of a queue, `go` makes them a command whose
// effects the instruction table tells.
//
// The processor becomes an actor only where that matters for order: where it
// waits, touches the context, resets a register, or overwrites a scalar
// register that some command reads late.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Expansion.h"
#include "tally/run/checker/ScalarCode.h"

#include "tally/emit/isa/Scalar.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;
using isa::Opcode;

namespace {
struct ScalarRegister {
  uint32_t value = 0;
  bool isDefined = false;
  bool isReadLate = false; ///< a command in a queue may still read it
};

class Interpreter {
public:
  Interpreter(const Subject &subject, const MemoryRoles &roles,
              std::span<const int64_t> values, const Limits &limits);
  Expansion run();

private:
  void step();
  bool readsDefined(const Decoded &now);
  void scalar(const Decoded &now);
  void jumpBy(int64_t bytes);
  void load(const Decoded &now);
  void store(const Decoded &now);
  void configure(const Decoded &now);
  void go(const Decoded &now);
  std::string misplaced(const isa::Access &access, const isa::Box &box) const;
  void synchronize(const Decoded &now);
  void wait(const Decoded &now);
  void write(uint32_t reg, uint32_t value);

  Event &append(EventKind kind, uint32_t actor);
  void touch(int64_t space, const isa::Box &box, bool isWrite);
  void readLate(const Decoded &now);
  void fail(Rule rule, std::string message, std::string hint = "");
  void checkControlWords();

  uint32_t at(uint32_t reg) const { return registers[reg].value; }

  const Subject &subject;
  const MemoryRoles &roles;
  const Limits &limits;
  Expansion result;
  Stream &stream = result.stream;
  std::vector<Decoded> text;
  std::array<ScalarRegister, 32> registers;
  std::vector<isa::Configuration> staged;    ///< of each queue
  std::vector<uint32_t> signalled;           ///< what wait.rel counts
  std::map<int64_t, uint32_t> words;         ///< of the context, as known
  std::map<int64_t, const Scalar *> scalars; ///< by offset
  uint64_t pc = 0;                           ///< in instructions
  uint32_t current = 0;                      ///< the one being executed
  bool ended = false;
};
} // namespace

Interpreter::Interpreter(const Subject &subject, const MemoryRoles &roles,
                         std::span<const int64_t> values, const Limits &limits)
    : subject(subject), roles(roles), limits(limits),
      text(decodeText(subject)) {
  const machine::Machine &machine = subject.machine;
  stream.queues = static_cast<uint32_t>(machine.queues.size());
  stream.actors.resize(stream.queues + 1);
  for (uint32_t queue = 0; queue < stream.queues; ++queue)
    staged.emplace_back(machine.engineOf(queue).kind);
  signalled.resize(machine.syncRegisters());
  registers[0].isDefined = true;
  for (size_t i = 0; i < subject.scalars.size(); ++i) {
    words[subject.scalars[i].offset] = static_cast<uint32_t>(values[i]);
    scalars[subject.scalars[i].offset] = &subject.scalars[i];
  }
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void Interpreter::fail(Rule rule, std::string message, std::string hint) {
  if (result.finding)
    return;
  result.finding = Finding{};
  result.finding->rule = rule;
  result.finding->message = std::move(message);
  result.finding->instruction = current;
  result.finding->hint = std::move(hint);
  ended = true;
}

Event &Interpreter::append(EventKind kind, uint32_t actor) {
  auto id = static_cast<EventId>(stream.events.size());
  if (id >= limits.events)
    fail(Rule::Ends, "the program has more than " +
                         std::to_string(limits.events) +
                         " queue entries, which the checker does not follow");
  Event &event = stream.events.emplace_back();
  event.kind = kind;
  event.actor = static_cast<uint8_t>(actor);
  event.instruction = current;
  event.issuedAfter =
      static_cast<uint32_t>(stream.actors[stream.processor()].size());
  event.firstTouched = static_cast<uint32_t>(stream.touched.size());
  stream.actors[actor].push_back(id);
  event.position = static_cast<uint32_t>(stream.actors[actor].size());
  return event;
}

/// Adds bytes to the last event.
void Interpreter::touch(int64_t space, const isa::Box &box, bool isWrite) {
  Touched touched;
  touched.box = box;
  touched.space = static_cast<uint8_t>(space);
  touched.isWrite = isWrite;
  stream.touched.push_back(touched);
  ++stream.events.back().touchedCount;
}

static isa::Box wordAt(int64_t offset) {
  isa::Box box;
  box.offset = offset;
  box.bytes = 4;
  return box;
}

/// The last event reads the late operands of `now`.
void Interpreter::readLate(const Decoded &now) {
  auto one = [&](bool isLate, uint32_t reg) {
    if (!isLate)
      return;
    touch(kRegisterSpace, wordAt(4 * int64_t(reg)), false);
    registers[reg].isReadLate = true;
  };
  one(now.lateRs1, now.rs1);
  one(now.lateRs2, now.rs2);
}

void Interpreter::write(uint32_t reg, uint32_t value) {
  if (reg == 0)
    return;
  if (registers[reg].isReadLate) {
    append(EventKind::Touch, stream.processor());
    touch(kRegisterSpace, wordAt(4 * int64_t(reg)), true);
  }
  registers[reg] = {value, true, false};
}

//===----------------------------------------------------------------------===//
// Scalar instructions
//===----------------------------------------------------------------------===//

bool Interpreter::readsDefined(const Decoded &now) {
  for (uint32_t reg : {now.rs1, now.rs2})
    if (!registers[reg].isDefined) {
      fail(Rule::Defined,
           "x" + std::to_string(reg) + " is read before anything wrote it");
      return false;
    }
  return true;
}

void Interpreter::jumpBy(int64_t bytes) {
  pc = current + bytes / isa::kInstructionBytes;
  if (bytes % isa::kInstructionBytes != 0)
    fail(Rule::Ends, "control goes between two instructions");
}

/// What is in the context is known only where the program says so.
void Interpreter::load(const Decoded &now) {
  int64_t offset = int32_t(at(now.rs1) + static_cast<uint32_t>(now.immediate));
  auto word = words.find(offset);
  if (word == words.end())
    return fail(Rule::Control,
                "word " + std::to_string(offset) +
                    " of the context is no run-time scalar and was not stored "
                    "by the program, so control would depend on data",
                "declare it with its range");
  append(EventKind::Touch, stream.processor());
  touch(isa::kContextRegion, wordAt(offset), false);
  write(now.rd, word->second);
}

void Interpreter::store(const Decoded &now) {
  int64_t offset = int32_t(at(now.rs1) + static_cast<uint32_t>(now.immediate));
  if (offset < 0 || offset % 4 != 0 ||
      offset + 4 > roles[isa::kContextRegion].bytes)
    return fail(Rule::Bounds,
                "the store to word " + std::to_string(offset) +
                    " is not a word of the context, which has " +
                    std::to_string(roles[isa::kContextRegion].bytes) +
                    " bytes");
  auto value = static_cast<int32_t>(at(now.rs2));
  auto scalar = scalars.find(offset);
  if (scalar != scalars.end() &&
      (value < scalar->second->least || value > scalar->second->greatest))
    return fail(Rule::Control,
                "the store leaves " + std::to_string(value) + " in '" +
                    scalar->second->name + "', whose range is " +
                    std::to_string(scalar->second->least) + " to " +
                    std::to_string(scalar->second->greatest));
  append(EventKind::Touch, stream.processor());
  touch(isa::kContextRegion, wordAt(offset), true);
  words[offset] = static_cast<uint32_t>(value);
}

void Interpreter::scalar(const Decoded &now) {
  uint32_t a = at(now.rs1), b = at(now.rs2);
  auto i = static_cast<uint32_t>(now.immediate);
  if (auto value = isa::scalarResult(now.opcode, a, b, i))
    return write(now.rd, *value);
  if (auto taken = isa::branchTaken(now.opcode, a, b)) {
    if (*taken)
      jumpBy(now.immediate);
    return;
  }
  if (now.opcode == Opcode::Jal) {
    write(now.rd, static_cast<uint32_t>(pc * isa::kInstructionBytes));
    jumpBy(now.immediate);
  } else if (now.opcode == Opcode::Lw) {
    load(now);
  } else if (now.opcode == Opcode::Sw) {
    store(now);
  } else if (now.opcode == Opcode::Ebreak) {
    fail(Rule::Ends, "the program ends at ebreak, which means failure");
  }
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

void Interpreter::configure(const Decoded &now) {
  isa::Configuration &config = staged[now.queue];
  Status status = now.opcode == Opcode::CfgI
                      ? config.set(now.field, now.immediate)
                      : config.setRegister(now.field, at(now.rs1));
  if (!status)
    fail(Rule::Command, status.error().message);
}

/// What is wrong with a box where it lies; empty: nothing.
std::string Interpreter::misplaced(const isa::Access &access,
                                   const isa::Box &box) const {
  bool isThere = isa::isSpace(access.space) &&
                 (access.space >= isa::kSram ||
                  size_t(access.space) < subject.regions.size());
  if (!isThere)
    return " lies in space " + std::to_string(access.space) +
           ", which the program does not have";
  const MemoryRole &role = roles[access.space];
  if (access.kind == isa::AccessKind::Write && role.isReadOnly)
    return " writes " + spaceName(subject, access.space) +
           ", which is read only";
  if (box.begin() >= 0 && box.end() <= role.bytes)
    return "";
  return " touches bytes " + std::to_string(box.begin()) + " to " +
         std::to_string(box.end()) + " of " + spaceName(subject, access.space) +
         ", which has " + std::to_string(role.bytes);
}

/// Whether a command copies all bytes, the distance of source and result being
/// the same for each: equal strides, no padding, no ring.
static bool copiesInPlace(const isa::Command &command) {
  using isa::DmaField;
  if (command.code != isa::CommandCode::DmaCopy ||
      command.get(DmaField::WrapSide) != 0)
    return false;
  auto nth = [&](DmaField first, uint32_t d) {
    return command.config.get(uint32_t(first) + d);
  };
  for (uint32_t d = 0; d < 4; ++d) {
    int64_t size = nth(DmaField::Size0, d);
    bool isWhole =
        nth(DmaField::Before0, d) == 0 && nth(DmaField::Extent0, d) >= size;
    bool isParallel = size == 1 || nth(DmaField::SrcStride0, d) ==
                                       nth(DmaField::DstStride0, d);
    if (!isWhole || !isParallel)
      return false;
  }
  return true;
}

/// Whether one run of bytes is read and one written; CMD-OVERLAP keeps them
/// apart.
static bool isRunToRun(std::span<const Touched> touched) {
  auto isRun = [](const isa::Box &box) {
    return box.end() - box.begin() == box.bytes;
  };
  std::vector<const Touched *> boxes;
  for (const Touched &one : touched)
    if (one.space != kRegisterSpace)
      boxes.push_back(&one);
  return boxes.size() == 2 && isRun(boxes[0]->box) && isRun(boxes[1]->box);
}

void Interpreter::go(const Decoded &now) {
  isa::Command command{isa::CommandCode(now.code), now.queue, staged[now.queue],
                       int32_t(at(now.rs1)), int32_t(at(now.rs2))};
  if (Status status = isa::checkCommand(command, subject.machine); !status)
    return fail(Rule::Command,
                status.error().message + " [" + status.error().rule + "]",
                status.error().hint);
  append(EventKind::Command, now.queue);
  readLate(now);
  for (const isa::Access &access : isa::effects(command, subject.machine))
    for (const isa::Box &box : access.boxes) {
      if (std::string fault = misplaced(access, box); !fault.empty())
        return fail(Rule::Bounds,
                    "operand " + std::string(access.operand) + fault);
      touch(access.space, box, access.kind == isa::AccessKind::Write);
      stream.touched.back().isScratch = access.isScratch;
      stream.touched.back().isParameters = access.operand == "params";
    }
  Event &event = stream.events.back();
  event.isCopy = copiesInPlace(command) && isRunToRun(stream.touchedBy(event));
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

void Interpreter::wait(const Decoded &now) {
  Event &event = append(EventKind::Reach, now.queue);
  event.sync = now.sync;
  event.value = now.immediate;
  if (now.opcode == Opcode::WaitGeR)
    event.value = at(now.rs1);
  else if (now.opcode == Opcode::WaitRel)
    event.value = int64_t(signalled[now.sync]) - now.immediate;
  readLate(now);
}

void Interpreter::synchronize(const Decoded &now) {
  switch (now.opcode) {
  case Opcode::Signal:
    append(EventKind::Signal, now.queue).sync = now.sync;
    ++signalled[now.sync];
    break;
  case Opcode::WaitGe:
  case Opcode::WaitGeR:
  case Opcode::WaitRel:
    wait(now);
    break;
  case Opcode::Take:
    append(EventKind::Take, now.queue).sync = now.sync;
    break;
  case Opcode::Test:
    append(EventKind::Test, now.queue).sync = now.sync;
    break;
  case Opcode::Clear:
    append(EventKind::Clear, now.queue).sync = now.sync;
    break;
  case Opcode::Reset:
    append(EventKind::Reset, stream.processor()).sync = now.sync;
    signalled[now.sync] = 0;
    break;
  case Opcode::FenceQueue: {
    Event &event = append(EventKind::Fence, stream.processor());
    event.sync = now.queue;
    event.value = now.immediate;
    break;
  }
  default:
    append(EventKind::FenceAll, stream.processor());
    break;
  }
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void Interpreter::step() {
  if (pc >= text.size()) {
    fail(Rule::Ends, "control leaves the text behind this instruction",
         "end the program with ecall");
    return;
  }
  current = static_cast<uint32_t>(pc);
  const Decoded &now = text[pc++];
  ++stream.instructions;
  if (!readsDefined(now))
    return;
  switch (isa::infoOf(now.opcode).unit) {
  case isa::Unit::Stage:
    configure(now);
    break;
  case isa::Unit::Queued:
    now.opcode == Opcode::Go ? go(now) : synchronize(now);
    break;
  case isa::Unit::Fence:
    if (now.opcode == Opcode::Ebreak)
      return scalar(now);
    synchronize(now);
    ended |= now.opcode == Opcode::Ecall;
    break;
  case isa::Unit::Processor:
    now.opcode == Opcode::Reset ? synchronize(now) : scalar(now);
    break;
  }
  for (uint32_t reg = 1; now.clobbers >> reg != 0; ++reg)
    if (now.clobbers >> reg & 1) {
      write(reg, 0);
      registers[reg].isDefined = false;
    }
}

/// Words that the processor loads are written by itself alone.
void Interpreter::checkControlWords() {
  for (const Event &event : stream.events)
    for (const Touched &touched : stream.touchedBy(event)) {
      if (!touched.isWrite || touched.space != isa::kContextRegion ||
          event.kind != EventKind::Command)
        continue;
      for (const isa::ByteRange &range : isa::rangesOf({&touched.box, 1})) {
        auto word = words.lower_bound(range.begin - 3);
        if (word == words.end() || word->first >= range.end)
          continue;
        current = event.instruction;
        return fail(Rule::Control,
                    "the command writes word " + std::to_string(word->first) +
                        " of the context, which control depends on");
      }
    }
}

Expansion Interpreter::run() {
  while (!ended) {
    step();
    if (stream.instructions >= limits.instructions && !ended)
      fail(Rule::Ends, "the program does not end within " +
                           std::to_string(limits.instructions) +
                           " instructions");
  }
  if (!result.finding)
    checkControlWords();
  return std::move(result);
}

Expansion tally::checker::expand(const Subject &subject,
                                 const MemoryRoles &roles,
                                 std::span<const int64_t> values,
                                 const Limits &limits) {
  return Interpreter(subject, roles, values, limits).run();
}
