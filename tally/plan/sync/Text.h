//===- Text.h - a problem as lines of text ----------------------*- C++ -*-===//
//
// One statement a line, words separated by blanks; "#" starts a comment. Names
// have no blanks. The statements and their defaults are in
// docs/formats/sync-problem.md:
//
//   file counter count 4 bits 32 key global waits 2 reserved 0,3 relative
//   drains queue NAME [depth N] [out-of-order] op NAME QUEUE [DURATION] after
//   NAME EARLIER... [issued EARLIER...] [back N EARLIER...] loop NAME [trips N]
//   ...  end if NAME  ...  [else  ...]  end
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_TEXT_H
#define TALLY_PLAN_SYNC_TEXT_H

#include "tally/plan/sync/Problem.h"

#include <string_view>

namespace tally::plan::sync {

/// SYNC-1, with the line's number in `name`. What the words say is checked by
/// checkProblem.
Result<SyncProblem> parseProblem(std::string_view text,
                                 const std::string &name);

/// Text that parses to `problem`, whose names are distinct and without blanks.
std::string writeProblem(const SyncProblem &problem);

const char *kindName(FileKind kind);
const char *keyName(FileKey key);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_TEXT_H
