//===- CStates.h - states of a compiled model in C --------------*- C++ -*-===//
//
// For programs that are linked with a model and without libtally: functions in
// the C header that keep its states in a block of the program's, of the layout
// that runtime/StateLayout.h gives.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_LINK_CSTATES_H
#define TALLY_DRIVER_LINK_CSTATES_H

#include "tally/runtime/Interface.h"

namespace tally {

/// Macros for the block, SYMBOL_reset, SYMBOL_reset_state, SYMBOL_get_state,
/// SYMBOL_set_state and SYMBOL_step. Valid C99 and C++98; calls nothing but
/// SYMBOL_run. The interface has states.
std::string cStates(const runtime::Interface &interface);

} // namespace tally

#endif // TALLY_DRIVER_LINK_CSTATES_H
