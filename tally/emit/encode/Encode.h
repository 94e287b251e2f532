//===- Encode.h - instructions as words -------------------------*- C++ -*-===//
//
// Rules (FailureKind::Model):
//   ENC-RANGE    an operand has a value that its bits cannot hold, or, with a
//                machine, that names none of its queues, fields, commands,
//                synchronization registers or scalar registers, or a
//                reserved one
//   ENC-MACHINE  the machine lacks what the instruction is for: a multiplier,
//                relative waits, scalar thresholds, the kind of its
//                synchronization file
//   ENC-WORD     no instruction has the word
//
// Messages name the instruction and the operand.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ENCODE_ENCODE_H
#define TALLY_EMIT_ENCODE_ENCODE_H

#include "tally/emit/isa/Instruction.h"
#include "tally/support/Result.h"

namespace tally::isa {

/// ENC-RANGE by the table alone.
Status checkOperands(const Instruction &instruction);

/// ENC-RANGE and ENC-MACHINE: whether the instruction means something on the
/// machine.
Status checkFor(const Instruction &instruction,
                const machine::Machine &machine);

/// The word, after checkOperands.
Result<uint32_t> encode(const Instruction &instruction);

/// Inverse of encode: ENC-WORD.
Result<Instruction> decode(uint32_t word);

} // namespace tally::isa

#endif // TALLY_EMIT_ENCODE_ENCODE_H
