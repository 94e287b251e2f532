//===- Text.h - one instruction as text -------------------------*- C++ -*-===//
//
// Scalar instructions are written as LLVM's disassembler writes them without
// aliases: `addi x5, x0, 12`, `lw x5, 16(x0)`. Queues, fields and commands have
// the machine's and the tables' names, synchronization registers are s0, s1,
// ...: `cfg.i matrix, in.offset, 1024`, `go matrix, conv, x0, x0`,
// `wait.ge vector, s3, 2`.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ASM_TEXT_H
#define TALLY_EMIT_ASM_TEXT_H

#include "tally/emit/isa/Instruction.h"

#include <string>

namespace tally::isa {

/// The operand list is comma-separated; a branch target is its distance in
/// bytes. The instruction passes checkFor on `machine`.
std::string textOf(const Instruction &instruction,
                   const machine::Machine &machine);

/// The same with `target` in place of the distance.
std::string textOf(const Instruction &instruction,
                   const machine::Machine &machine, const std::string &target);

} // namespace tally::isa

#endif // TALLY_EMIT_ASM_TEXT_H
