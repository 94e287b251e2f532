//===- ScalarCode.cpp - instructions of the processor ---------------------===//

#include "tally/run/checker/ScalarCode.h"

using namespace tally;
using namespace tally::checker;
using isa::OperandKind;

static Decoded decoded(const isa::Instruction &instruction, bool isLate) {
  Decoded now;
  now.opcode = instruction.opcode;
  now.clobbers = instruction.info().clobbers;
  std::span<const isa::OperandInfo> operands = instruction.info().operands();
  for (size_t i = 0; i < operands.size(); ++i) {
    int64_t value = instruction.operands[i];
    switch (operands[i].kind) {
    case OperandKind::Rd:
      now.rd = value;
      break;
    case OperandKind::Rs1:
      now.rs1 = value;
      break;
    case OperandKind::Rs2:
      now.rs2 = value;
      break;
    case OperandKind::Immediate:
    case OperandKind::Offset:
      now.immediate = value;
      break;
    case OperandKind::Queue:
      now.queue = value;
      break;
    case OperandKind::Field:
      now.field = value;
      break;
    case OperandKind::Command:
      now.code = value;
      break;
    case OperandKind::Sync:
      now.sync = value;
      break;
    }
  }
  now.lateRs1 = isLate && instruction.info().rs1Late && now.rs1 != 0;
  now.lateRs2 = isLate && instruction.info().rs2Late && now.rs2 != 0;
  return now;
}

std::vector<Decoded> tally::checker::decodeText(const Subject &subject) {
  std::vector<Decoded> text;
  text.reserve(subject.text.size());
  for (const isa::Instruction &instruction : subject.text)
    text.push_back(decoded(instruction, !subject.machine.latchesOperands));
  return text;
}
