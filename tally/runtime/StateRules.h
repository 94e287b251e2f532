//===- StateRules.h - states that fit their slots ---------------*- C++ -*-===//

#ifndef TALLY_RUNTIME_STATERULES_H
#define TALLY_RUNTIME_STATERULES_H

#include "tally/runtime/Interface.h"

namespace tally::runtime {

/// IFC-3: every state, wherever it moves, lies in a slot that exists, and a
/// call permutes slots of equal size.
Status checkStates(const Interface &interface);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_STATERULES_H
