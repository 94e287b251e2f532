//===- Reference.h - the instruction set as a page --------------*- C++ -*-===//

#ifndef TALLY_EMIT_ISA_REFERENCE_H
#define TALLY_EMIT_ISA_REFERENCE_H

#include "llvm/Support/raw_ostream.h"

namespace tally::isa {

/// Writes docs/reference/isa.md: every row of every table.
void writeReference(llvm::raw_ostream &out);

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_REFERENCE_H
