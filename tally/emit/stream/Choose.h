//===- Choose.h - which commands become loops -------------------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_STREAM_CHOOSE_H
#define TALLY_EMIT_STREAM_CHOOSE_H

#include "tally/emit/stream/Loop.h"

namespace tally::emit {

/// Loops that do not overlap, in their order, which save most text together.
std::vector<Loop> chooseLoops(const Stream &stream,
                              const machine::Machine &machine);

} // namespace tally::emit

#endif // TALLY_EMIT_STREAM_CHOOSE_H
