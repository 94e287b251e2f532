//===- Lacking.h - what machines lack for an operator -----------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_LACKING_H
#define TALLY_SCHEDULE_LOWER_LACKING_H

#include "llvm/ADT/StringRef.h"

namespace tally::schedule {

/// Why the operator ("nn.top_k"), which has no commands, has none: what follows
/// "cannot run top_k: ".
llvm::StringRef lackingFor(llvm::StringRef name);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_LACKING_H
