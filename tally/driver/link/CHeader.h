//===- CHeader.h - a compiled model as C sees it ----------------*- C++ -*-===//
//
// The header beside an artifact: prototype of SYMBOL_run, macros for memory,
// indices, sizes, shapes and grids, and SYMBOL_call, which takes one typed
// pointer per tensor. Of a model with states also what keeps them (CStates.h).
// Valid C99 and C++98 with <stdint.h>; macro names are the
// symbol in capitals.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_LINK_CHEADER_H
#define TALLY_DRIVER_LINK_CHEADER_H

#include "tally/runtime/Interface.h"

namespace tally {

std::string cHeader(const runtime::Interface &interface);

/// `text` as part of a C identifier: other characters become '_', which also
/// goes before a leading digit.
std::string cIdentifier(const std::string &text);

} // namespace tally

#endif // TALLY_DRIVER_LINK_CHEADER_H
