//===- Random.h - random instructions ---------------------------*- C++ -*-===//

#ifndef TALLY_EMIT_ENCODE_RANDOM_H
#define TALLY_EMIT_ENCODE_RANDOM_H

#include "tally/emit/isa/Instruction.h"

#include <random>

namespace tally::isa {

/// Any row of the table with operands that its bits hold; the ends of their
/// ranges come often.
Instruction randomInstruction(std::mt19937_64 &random);

/// The same, limited to what passes checkFor on `machine`.
Instruction randomInstruction(std::mt19937_64 &random,
                              const machine::Machine &machine);

} // namespace tally::isa

#endif // TALLY_EMIT_ENCODE_RANDOM_H
