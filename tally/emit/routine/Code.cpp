//===- Code.cpp - code as text --------------------------------------------===//

#include "tally/emit/routine/Code.h"

#include <algorithm>

using namespace tally;
using namespace tally::emit;

std::vector<isa::Instruction> Code::instructions() const {
  std::vector<isa::Instruction> result;
  result.reserve(lines.size());
  for (const CodeLine &line : lines)
    result.push_back(line.instruction);
  return result;
}

std::string tally::emit::describe(const Code &code, Tag tag) {
  auto name = std::ranges::lower_bound(code.names, tag, {}, &Code::Name::tag);
  if (name == code.names.end() || name->tag != tag)
    return "what an inlined sequence has left";
  return name->role + " (" + name->where + ")";
}

static std::string operandText(const isa::OperandInfo &operand, int64_t value) {
  switch (operand.kind) {
  case isa::OperandKind::Rd:
  case isa::OperandKind::Rs1:
  case isa::OperandKind::Rs2:
    return "x" + std::to_string(value);
  default:
    return std::to_string(value);
  }
}

static std::string lineText(const Code &code, const CodeLine &line) {
  std::string text(line.instruction.info().mnemonic);
  std::span<const isa::OperandInfo> operands =
      line.instruction.info().operands();
  for (size_t at = 0; at < operands.size(); ++at)
    text += (at == 0 ? " " : ", ") +
            operandText(operands[at], line.instruction.operands[at]);
  const char *separator = "  ; ";
  auto note = [&](const char *name, const std::optional<Tag> &tag) {
    if (!tag)
      return;
    text += separator + std::string(name) + " " + describe(code, *tag);
    separator = ", ";
  };
  note("rs1", line.rs1);
  note("rs2", line.rs2);
  note("rd", line.rd);
  return text;
}

std::string tally::emit::toText(const Code &code) {
  std::string text;
  for (size_t at = 0; at < code.lines.size(); ++at)
    text += std::to_string(at) + "  " + lineText(code, code.lines[at]) + "\n";
  return text;
}
