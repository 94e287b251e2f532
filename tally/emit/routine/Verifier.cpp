//===- Verifier.cpp - judges the registers of code ------------------------===//
//
// A dataflow analysis, forward, to a fixed point. A state is
//
//   holds    register -> the value it certainly holds, or nothing; where paths
//            meet, what both say
//   flights  (register, queue) -> entries of the queue behind the newest late
//            read; where paths meet, of either, with fewer entries behind
//
// A write gives the register a value and takes it from all others that held it:
// they are out of date. A fence of a queue ends the flights that have as many
// entries behind them as it lets pass.
//
//     0  li   x5, 3          holds x5: counter
//     1  go   ..., x6        flights (x6, q): 0
//     2  addi x5, x5, -1     VER-1 if x5 holds another value, on any path here
//     3  bne  x5, x0, -> 1   the state joins that of line 1
//
// Laws are checked when nothing changes any more. What is right along forward
// jumps alone is wrong from the second trip of a loop on; the report says so.
//
// States are kept at the begins of blocks, where jumps lead or come from.
//
// Cost: lines x registers x (depth of loops + 2).
//
//===----------------------------------------------------------------------===//

#include "tally/emit/routine/Verifier.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

using namespace tally;
using namespace tally::emit;
using isa::Opcode;

static constexpr size_t kRegisters = 32;
static constexpr size_t kNoLine = SIZE_MAX;

namespace {
struct Origin {
  std::optional<Tag> tag; ///< none: nothing that has a name
  size_t writer = kNoLine;
};

struct Content {
  std::optional<Tag> tag; ///< what it certainly holds
  Origin from;
  std::optional<Origin> orFrom; ///< behind paths that differ
};

struct Flight {
  int64_t behind = 0;
  size_t reader = 0; ///< for reports
};

struct State {
  std::array<Content, kRegisters> holds;
  std::map<std::pair<uint32_t, uint32_t>, Flight> flights; // register, queue

  /// Whether it lost something or gained a flight.
  bool meet(const State &other);
};

class Judge {
public:
  Judge(const Code &code, const machine::Machine &machine)
      : code(code), machine(machine) {}
  std::string run();

private:
  std::string checkJumps() const;
  std::vector<size_t> successors(size_t at) const;
  void findBlocks();
  size_t endOf(size_t begin) const;
  void propagate(bool backward);
  void flow(size_t begin, bool backward, std::deque<size_t> &work);
  std::string checkBlock(size_t begin) const;
  bool isRightAtFirst(size_t begin, size_t at) const;
  void step(size_t at, State &state) const;
  void issue(size_t at, State &state) const;
  static void write(size_t at, uint32_t reg, const std::optional<Tag> &tag,
                    State &state);

  std::string check(size_t at, const State &state) const;
  std::string checkRead(size_t at, isa::OperandKind kind,
                        const std::optional<Tag> &tag,
                        const State &state) const;
  std::string checkWrite(size_t at, uint32_t reg, const State &state) const;

  std::string name(size_t at) const;
  std::string written(const std::optional<Tag> &tag, size_t writer) const;
  bool isScratch(uint32_t reg) const {
    return std::ranges::count(machine.processor.scratch, reg) != 0;
  }
  const isa::Instruction &instruction(size_t at) const {
    return code.lines[at].instruction;
  }

  const Code &code;
  const machine::Machine &machine;
  /// Before the first line of each block that is reached: a block is entered
  /// there and left at its end. `firstTrips` is without backward jumps.
  std::map<size_t, State> before, firstTrips;
  std::vector<bool> isBegin; ///< of a block
};
} // namespace

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

bool State::meet(const State &other) {
  bool changed = false;
  for (size_t reg = 0; reg < kRegisters; ++reg) {
    Content &mine = holds[reg];
    if (mine.tag == other.holds[reg].tag)
      continue;
    if (!mine.orFrom)
      mine.orFrom = other.holds[reg].from;
    changed |= mine.tag.has_value();
    mine.tag.reset();
  }
  for (const auto &[key, flight] : other.flights) {
    auto [mine, isNew] = flights.emplace(key, flight);
    changed |= isNew || flight.behind < mine->second.behind;
    if (flight.behind < mine->second.behind)
      mine->second = flight;
  }
  return changed;
}

void Judge::write(size_t at, uint32_t reg, const std::optional<Tag> &tag,
                  State &state) {
  if (reg == 0)
    return;
  // A move copies a value; any other write makes a new one.
  for (Content &content : state.holds)
    if (tag && content.tag == tag)
      content = {{}, {{}, at}, {}};
  state.holds[reg] = {tag, {tag, at}, {}};
}

/// An entry joins its queue behind all that are there.
void Judge::issue(size_t at, State &state) const {
  const isa::Instruction &line = instruction(at);
  auto queue = static_cast<uint32_t>(line.operand(isa::OperandKind::Queue));
  // Beyond what a fence can say all counts are alike, which keeps them finite.
  for (auto &[key, flight] : state.flights)
    if (key.second == queue)
      flight.behind = std::min<int64_t>(flight.behind + 1, 1024);
  for (const isa::RegisterRead &read :
       isa::registerEffects(line, machine.latchesOperands).reads)
    if (read.time == isa::ReadTime::Late)
      state.flights[{read.reg, queue}] = {0, at};
}

static bool isMove(const CodeLine &line) {
  return line.instruction.opcode == Opcode::Addi && line.rd &&
         line.rd == line.rs1 && line.instruction.operands[2] == 0;
}

void Judge::step(size_t at, State &state) const {
  const isa::Instruction &line = instruction(at);
  if (line.opcode == Opcode::Fence)
    state.flights.clear();
  if (line.opcode == Opcode::FenceQueue) {
    int64_t queue = line.operand(isa::OperandKind::Queue);
    int64_t pending = line.operand(isa::OperandKind::Immediate);
    bool covers =
        machine.engineOf(static_cast<uint32_t>(queue)).inOrder || pending == 0;
    std::erase_if(state.flights, [&](const auto &entry) {
      return covers && entry.first.second == queue &&
             entry.second.behind >= pending;
    });
  }
  if (line.info().unit == isa::Unit::Queued)
    issue(at, state);
  isa::RegisterEffects effects = isa::registerEffects(line);
  for (uint32_t reg = 0; reg < kRegisters; ++reg)
    if (effects.clobbers >> reg & 1)
      write(at, reg, std::nullopt, state);
  if (!effects.write)
    return;
  if (isMove(code.lines[at]))
    state.holds[*effects.write] = {
        code.lines[at].rd, {code.lines[at].rd, at}, {}};
  else
    write(at, *effects.write, code.lines[at].rd, state);
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

static std::optional<int64_t> targetOf(size_t at,
                                       const isa::Instruction &instruction) {
  auto offset = instruction.info().find(isa::OperandKind::Offset);
  if (!offset)
    return std::nullopt;
  int64_t lines = instruction.operands[*offset] / isa::kInstructionBytes;
  return static_cast<int64_t>(at) + lines;
}

static bool fallsThrough(Opcode opcode) {
  return opcode != Opcode::Jal && opcode != Opcode::Ecall &&
         opcode != Opcode::Ebreak;
}

std::string Judge::checkJumps() const {
  for (size_t at = 0; at < code.lines.size(); ++at) {
    const isa::Instruction &line = instruction(at);
    std::optional<int64_t> target = targetOf(at, line);
    if (target &&
        (*target < 0 || *target >= static_cast<int64_t>(code.lines.size()) ||
         line.operand(isa::OperandKind::Offset) % isa::kInstructionBytes))
      return "VER-4: " + name(at) + " jumps out of the code";
  }
  if (code.lines.empty() ||
      fallsThrough(instruction(code.lines.size() - 1).opcode))
    return "VER-4: the code does not end";
  return "";
}

std::vector<size_t> Judge::successors(size_t at) const {
  std::vector<size_t> result;
  if (fallsThrough(instruction(at).opcode))
    result.push_back(at + 1);
  if (std::optional<int64_t> target = targetOf(at, instruction(at)))
    result.push_back(static_cast<size_t>(*target));
  return result;
}

void Judge::findBlocks() {
  isBegin.assign(code.lines.size() + 1, false);
  isBegin[0] = true;
  for (size_t at = 0; at < code.lines.size(); ++at) {
    std::optional<int64_t> target = targetOf(at, instruction(at));
    if (target)
      isBegin[*target] = true;
    if (target || !fallsThrough(instruction(at).opcode))
      isBegin[at + 1] = true;
  }
}

size_t Judge::endOf(size_t begin) const {
  size_t end = begin + 1;
  while (end < code.lines.size() && !isBegin[end])
    ++end;
  return end;
}

/// Takes a block's state to those behind it; adds to `work` which of them
/// changed.
void Judge::flow(size_t begin, bool backward, std::deque<size_t> &work) {
  State state = before.at(begin);
  size_t end = endOf(begin);
  for (size_t at = begin; at < end; ++at)
    step(at, state);
  for (size_t next : successors(end - 1)) {
    if (next < end && !backward)
      continue;
    auto [known, isNew] = before.emplace(next, state);
    if (isNew || known->second.meet(state))
      work.push_back(next);
  }
}

/// To a fixed point, along all jumps or forward ones alone.
void Judge::propagate(bool backward) {
  std::deque<size_t> work;
  for (const auto &[begin, state] : before)
    work.push_back(begin);
  while (!work.empty()) {
    size_t begin = work.front();
    work.pop_front();
    flow(begin, backward, work);
  }
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

std::string Judge::name(size_t at) const {
  return "line " + std::to_string(at) + " '" + code.lines[at].origin + "'";
}

std::string Judge::written(const std::optional<Tag> &tag, size_t writer) const {
  std::string what = tag ? "'" + describe(code, *tag) + "'" : "nothing";
  return writer == kNoLine ? what : what + " since " + name(writer);
}

std::string Judge::checkRead(size_t at, isa::OperandKind kind,
                             const std::optional<Tag> &tag,
                             const State &state) const {
  auto place = instruction(at).info().find(kind);
  if (!place || instruction(at).operands[*place] == 0)
    return "";
  auto reg = static_cast<uint32_t>(instruction(at).operands[*place]);
  const Content &content = state.holds[reg];
  if (tag && content.tag == tag)
    return "";
  std::string text = "VER-1: " + name(at) + " reads ";
  text += tag ? "'" + describe(code, *tag) + "'" : "no value";
  text += " in x" + std::to_string(reg) + ", which holds " +
          written(content.from.tag, content.from.writer);
  if (content.orFrom)
    text += " on one path, " +
            written(content.orFrom->tag, content.orFrom->writer) +
            " on another";
  return text;
}

std::string Judge::checkWrite(size_t at, uint32_t reg,
                              const State &state) const {
  if (!isScratch(reg))
    return "VER-3: " + name(at) + " writes x" + std::to_string(reg) +
           ", which is no scratch register";
  for (const auto &[key, flight] : state.flights)
    if (key.first == reg)
      return "VER-2: " + name(at) + " writes x" + std::to_string(reg) +
             " while queue '" + machine.queues[key.second].name +
             "' may still read it for " + name(flight.reader);
  return "";
}

std::string Judge::check(size_t at, const State &state) const {
  const CodeLine &line = code.lines[at];
  for (auto [kind, tag] : {std::pair(isa::OperandKind::Rs1, &line.rs1),
                           std::pair(isa::OperandKind::Rs2, &line.rs2)})
    if (std::string fault = checkRead(at, kind, *tag, state); !fault.empty())
      return fault;
  isa::RegisterEffects effects = isa::registerEffects(line.instruction);
  uint32_t writes = effects.clobbers;
  if (effects.write)
    writes |= uint32_t(1) << *effects.write;
  // An entry's own late reads are in flight when it writes; none writes today.
  for (uint32_t reg = 0; reg < kRegisters; ++reg)
    if (writes >> reg & 1)
      if (std::string fault = checkWrite(at, reg, state); !fault.empty())
        return fault;
  return "";
}

/// Whether the line breaks no law before a backward jump is taken.
bool Judge::isRightAtFirst(size_t begin, size_t at) const {
  auto first = firstTrips.find(begin);
  if (first == firstTrips.end())
    return false;
  State state = first->second;
  for (size_t line = begin; line < at; ++line)
    step(line, state);
  return check(at, state).empty();
}

std::string Judge::checkBlock(size_t begin) const {
  State state = before.at(begin);
  size_t end = endOf(begin);
  for (size_t at = begin; at < end; ++at) {
    std::string fault = check(at, state);
    if (!fault.empty())
      return isRightAtFirst(begin, at)
                 ? fault + "; from the second trip of a loop on"
                 : fault;
    step(at, state);
  }
  return "";
}

std::string Judge::run() {
  if (std::string fault = checkJumps(); !fault.empty())
    return fault;
  findBlocks();
  before[0] = State();
  propagate(/*backward=*/false);
  firstTrips = before;
  propagate(/*backward=*/true);
  for (const auto &[begin, state] : before)
    if (std::string fault = checkBlock(begin); !fault.empty())
      return fault;
  return "";
}

std::string tally::emit::findViolation(const Code &code,
                                       const machine::Machine &machine) {
  return Judge(code, machine).run();
}
