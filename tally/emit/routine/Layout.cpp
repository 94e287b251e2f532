//===- Layout.cpp - distances for jumps -----------------------------------===//
//
// A conditional branch reaches 4 KiB, a jal 1 MiB. Branches start short; those
// that do not reach their target become long, which moves others, until nothing
// changes. Lines only grow, so that ends.
//
//     beq a, b, far            bne a, b, +8
//                              jal x0, far
//
//===----------------------------------------------------------------------===//

#include "tally/emit/routine/Draft.h"

#include <algorithm>
#include <set>

using namespace tally;
using namespace tally::emit;
using isa::Opcode;

namespace {
class Layout {
public:
  Layout(const Draft &draft, bool longPaths);
  Result<Code> run();

private:
  bool isBranch(size_t at) const {
    return draft[at].target && draft[at].line.instruction.opcode != Opcode::Jal;
  }
  void measure();
  bool lengthen();
  int64_t distance(size_t at) const;
  Status add(size_t at, Code &code) const;
  static void addLine(CodeLine line, int64_t offset, Code &code);

  const Draft &draft;
  std::vector<bool> isLong;
  std::vector<int64_t> addresses; ///< of each draft line
  std::vector<int64_t> targets;   ///< of each label
};
} // namespace

static bool reaches(Opcode opcode, int64_t distance) {
  for (const isa::OperandInfo &operand : isa::infoOf(opcode).operands())
    if (operand.kind == isa::OperandKind::Offset)
      return operand.minimum() <= distance && distance <= operand.maximum();
  return false;
}

Layout::Layout(const Draft &draft, bool longPaths)
    : draft(draft), isLong(draft.size()), addresses(draft.size()) {
  Label labels = 0;
  for (size_t at = 0; at < draft.size(); ++at) {
    isLong[at] = longPaths && isBranch(at);
    if (draft[at].label)
      labels = std::max(labels, *draft[at].label + 1);
  }
  targets.resize(labels);
}

void Layout::measure() {
  int64_t address = 0;
  for (size_t at = 0; at < draft.size(); ++at) {
    addresses[at] = address;
    if (draft[at].label)
      targets[*draft[at].label] = address;
    else
      address += isa::kInstructionBytes * (isLong[at] ? 2 : 1);
  }
}

/// From the instruction that jumps: of a long branch, the second.
int64_t Layout::distance(size_t at) const {
  return targets[*draft[at].target] - addresses[at] -
         (isLong[at] ? isa::kInstructionBytes : 0);
}

bool Layout::lengthen() {
  bool changed = false;
  for (size_t at = 0; at < draft.size(); ++at)
    if (isBranch(at) && !isLong[at] &&
        !reaches(draft[at].line.instruction.opcode, distance(at)))
      isLong[at] = changed = true;
  return changed;
}

void Layout::addLine(CodeLine line, int64_t offset, Code &code) {
  line.instruction
      .operands[*line.instruction.info().find(isa::OperandKind::Offset)] =
      offset;
  code.lines.push_back(std::move(line));
}

Status Layout::add(size_t at, Code &code) const {
  const CodeLine &line = draft[at].line;
  if (!draft[at].target) {
    code.lines.push_back(line);
    return Status::success();
  }
  bool jumps = isLong[at] || !isBranch(at);
  if (jumps && !reaches(Opcode::Jal, distance(at)))
    return emitFailure(FailureKind::Unsupported, "EMIT-6",
                       "'" + line.origin + "' jumps over " +
                           std::to_string(distance(at)) +
                           " bytes; 1 MiB can be jumped over",
                       "make the body of the loop or branch smaller");
  if (isLong[at]) {
    CodeLine around = line;
    around.instruction.opcode = oppositeBranch(line.instruction.opcode);
    addLine(std::move(around), 2 * isa::kInstructionBytes, code);
    addLine({{Opcode::Jal, {}}, {}, {}, {}, line.origin, line.node},
            distance(at), code);
  } else {
    addLine(line, distance(at), code);
  }
  return Status::success();
}

Result<Code> Layout::run() {
  do
    measure();
  while (lengthen());
  Code code;
  for (size_t at = 0; at < draft.size(); ++at)
    if (!draft[at].label)
      if (Status status = add(at, code); !status)
        return status.takeError();
  std::set<int64_t> used;
  for (const CodeLine &line : code.lines)
    if (line.rd)
      used.insert(line.instruction.operand(isa::OperandKind::Rd));
  code.scratchUsed = static_cast<int64_t>(used.size());
  return code;
}

Result<Code> tally::emit::layOut(const Draft &draft, bool longPaths) {
  return Layout(draft, longPaths).run();
}
