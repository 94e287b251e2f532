//===- Draft.cpp - a routine on its registers -----------------------------===//

#include "tally/emit/routine/Draft.h"

#include <algorithm>

using namespace tally;
using namespace tally::emit;
namespace regs = tally::plan::registers;
using isa::Opcode;

/// What an inlined sequence leaves in a register is named by a slot that no
/// borrow has.
static constexpr uint32_t kInlinedSlots = uint32_t(1) << 31;

namespace {
class Drafter {
public:
  Drafter(const Recording &recording, const RegisterAssignment &assignment)
      : recording(recording), assignment(assignment),
        where(assignment.solution.registers) {}
  Draft run();

private:
  using StatementId = regs::StatementId;

  void body(const Body &body);
  void node(NodeIndex index);
  void instruction(const Node &node);
  void inlined(const Node &node, NodeIndex index);
  void loop(const Node &node);
  void branch(const Node &node);

  void enterParts(StatementId id);
  void leaveParts(StatementId id);
  void move(regs::ValueId value, int64_t from, int64_t to,
            const std::string &origin);

  uint32_t registerOf(ValueIndex value) const;
  int64_t place(int64_t virtualRegister, std::optional<Tag> &tag) const;
  CodeLine lower(const isa::Instruction &instruction,
                 const std::string &origin) const;
  void add(CodeLine line, std::optional<Label> target = {});
  void bind(Label label) { draft.push_back({label, {}, {}}); }
  void jumpIf(Opcode opcode, const isa::Instruction &operands,
              const std::string &origin, Label target);
  void jump(const std::string &origin, Label target);
  Label newLabel() { return labels++; }

  const Recording &recording;
  const RegisterAssignment &assignment;
  std::vector<int64_t> where;  ///< of each value right now, in the plan
  std::vector<int64_t> around; ///< of each part that is open
  uint32_t modelNode = 0;      ///< of the statement right now
  Draft draft;
  Label labels = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

uint32_t Drafter::registerOf(ValueIndex value) const {
  return recording.machine.processor.scratch[where[value]];
}

int64_t Drafter::place(int64_t virtualRegister, std::optional<Tag> &tag) const {
  if (virtualRegister == 0)
    return 0;
  auto value = static_cast<ValueIndex>(virtualRegister - 1);
  tag = recording.values[value].tag;
  return registerOf(value);
}

CodeLine Drafter::lower(const isa::Instruction &instruction,
                        const std::string &origin) const {
  CodeLine line{instruction, {}, {}, {}, origin};
  std::span<const isa::OperandInfo> operands = instruction.info().operands();
  for (size_t at = 0; at < operands.size(); ++at) {
    int64_t &operand = line.instruction.operands[at];
    if (operands[at].kind == isa::OperandKind::Rd)
      operand = place(operand, line.rd);
    else if (operands[at].kind == isa::OperandKind::Rs1)
      operand = place(operand, line.rs1);
    else if (operands[at].kind == isa::OperandKind::Rs2)
      operand = place(operand, line.rs2);
  }
  return line;
}

void Drafter::move(regs::ValueId value, int64_t from, int64_t to,
                   const std::string &origin) {
  const std::vector<uint32_t> &scratch = recording.machine.processor.scratch;
  CodeLine line;
  line.instruction = {Opcode::Addi, {scratch[to], scratch[from], 0}};
  line.rs1 = line.rd = recording.values[value].tag;
  line.origin = "move at " + origin;
  add(std::move(line));
}

void Drafter::enterParts(StatementId id) {
  const auto &parts = assignment.solution.parts;
  around.resize(parts.size());
  for (size_t at = 0; at < parts.size(); ++at) {
    const regs::Part &part = parts[at];
    if (part.first != id)
      continue;
    around[at] = where[part.value];
    if (part.enters)
      move(part.value, around[at], part.reg,
           assignment.problem.statements[id].name);
    where[part.value] = part.reg;
  }
}

void Drafter::leaveParts(StatementId id) {
  const auto &parts = assignment.solution.parts;
  for (size_t at = parts.size(); at-- > 0;) {
    const regs::Part &part = parts[at];
    if (part.last != id)
      continue;
    if (part.leaves)
      move(part.value, part.reg, around[at],
           assignment.problem.statements[id].name);
    where[part.value] = around[at];
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Drafter::add(CodeLine line, std::optional<Label> target) {
  line.node = modelNode;
  draft.push_back({{}, std::move(line), target});
}

void Drafter::jumpIf(Opcode opcode, const isa::Instruction &operands,
                     const std::string &origin, Label target) {
  isa::Instruction instruction = operands;
  instruction.opcode = opcode;
  add(lower(instruction, origin), target);
}

void Drafter::jump(const std::string &origin, Label target) {
  add({{Opcode::Jal, {}}, {}, {}, {}, origin}, target);
}

Opcode tally::emit::oppositeBranch(Opcode opcode) {
  constexpr std::pair<Opcode, Opcode> pairs[] = {{Opcode::Beq, Opcode::Bne},
                                                 {Opcode::Blt, Opcode::Bge},
                                                 {Opcode::Bltu, Opcode::Bgeu}};
  for (auto [one, other] : pairs) {
    if (opcode == one)
      return other;
    if (opcode == other)
      return one;
  }
  return opcode;
}

void Drafter::branch(const Node &node) {
  Label otherwise = newLabel(), end = newLabel();
  jumpIf(oppositeBranch(node.instruction.opcode), node.instruction, node.name,
         otherwise);
  body(node.body);
  modelNode = node.modelNode;
  if (!node.otherwise.empty())
    jump(node.name, end);
  bind(otherwise);
  body(node.otherwise);
  bind(end);
}

void Drafter::loop(const Node &node) {
  Label head = newLabel(), end = newLabel();
  isa::Instruction counter;
  counter.operands[0] = 1 + int64_t(node.held.front().value);
  if (node.trips == kUnknownTrips)
    jumpIf(Opcode::Beq, counter, node.name, end);
  bind(head);
  body(node.body);
  modelNode = node.modelNode;
  jumpIf(Opcode::Bne, counter, node.name, head);
  bind(end);
}

void Drafter::inlined(const Node &node, NodeIndex index) {
  for (const isa::Instruction &instruction : node.raw) {
    CodeLine line{instruction, {}, {}, {}, node.name};
    auto tag = [&](isa::OperandKind kind, std::optional<Tag> &tag) {
      auto at = instruction.info().find(kind);
      if (at && instruction.operands[*at] != 0)
        tag = {kInlinedSlots + uint32_t(instruction.operands[*at]), index};
    };
    tag(isa::OperandKind::Rs1, line.rs1);
    tag(isa::OperandKind::Rs2, line.rs2);
    tag(isa::OperandKind::Rd, line.rd);
    add(std::move(line));
  }
}

void Drafter::node(NodeIndex index) {
  const Node &node = recording.nodes[index];
  switch (node.kind) {
  case NodeKind::Instruction:
    return add(lower(node.instruction, node.name));
  case NodeKind::Reserve:
  case NodeKind::Keep:
    return;
  case NodeKind::Inlined:
    return inlined(node, index);
  case NodeKind::Loop:
    return loop(node);
  case NodeKind::If:
    return branch(node);
  }
}

/// An instruction stands for the first of its statements: a fence has happened
/// when the first of its waits has.
void Drafter::body(const Body &body) {
  for (NodeIndex index : body) {
    const auto &statements = assignment.statementsOf[index];
    modelNode = recording.nodes[index].modelNode;
    for (size_t at = 0; at < statements.size(); ++at) {
      enterParts(statements[at]);
      if (at == 0)
        node(index);
      leaveParts(statements[at]);
    }
  }
}

Draft Drafter::run() {
  body(recording.body);
  modelNode = 0;
  add({{Opcode::Ecall, {}}, {}, {}, {}, "end"});
  return std::move(draft);
}

Draft tally::emit::makeDraft(const Recording &recording,
                             const RegisterAssignment &assignment) {
  return Drafter(recording, assignment).run();
}
