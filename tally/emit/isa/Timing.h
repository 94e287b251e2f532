//===- Timing.h - names in timing formulas ----------------------*- C++ -*-===//

#ifndef TALLY_EMIT_ISA_TIMING_H
#define TALLY_EMIT_ISA_TIMING_H

#include "tally/support/Result.h"

namespace tally::isa {

/// Whether every formula of the tables can be read and every name in it is
/// known; an Internal failure names the first that is not.
Status checkFormulas();

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_TIMING_H
