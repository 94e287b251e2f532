//===- Scalar.h - what scalar instructions compute --------------*- C++ -*-===//
//
// The meanings of the rows of Instructions.def that only compute or branch, for
// who executes them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ISA_SCALAR_H
#define TALLY_EMIT_ISA_SCALAR_H

#include "tally/emit/isa/Instruction.h"

namespace tally::isa {

/// x[rd] of an instruction that only computes: `a` is x[rs1], `b` x[rs2], `i`
/// the immediate or shift, as 32 bits. Nothing for others.
std::optional<uint32_t> scalarResult(Opcode opcode, uint32_t a, uint32_t b,
                                     uint32_t i);

/// Whether a conditional branch is taken, likewise.
std::optional<bool> branchTaken(Opcode opcode, uint32_t a, uint32_t b);

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_SCALAR_H
