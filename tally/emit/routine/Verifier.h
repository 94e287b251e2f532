//===- Verifier.h - judges the registers of code ----------------*- C++ -*-===//
//
// Reads the instructions one by one and knows nothing of scopes, loops or
// plans. Along each path that jumps can take it keeps, for each scratch
// register, which value it certainly holds, and which queues may still read it.
// Laws:
//
//   VER-1  a register that is read holds the value that the line says, on every
//          path
//   VER-2  a register is not written while a queue may still read it
//   VER-3  only scratch registers are written
//   VER-4  jumps lead to instructions of the code, and every path ends
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ROUTINE_VERIFIER_H
#define TALLY_EMIT_ROUTINE_VERIFIER_H

#include "tally/emit/routine/Code.h"
#include "tally/machine/Machine.h"

namespace tally::emit {

/// The first law that `code` breaks, with both instructions, as "VER-2: ...",
/// or an empty string. Shares no code with the recording and planning of
/// routines.
std::string findViolation(const Code &code, const machine::Machine &machine);

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_VERIFIER_H
