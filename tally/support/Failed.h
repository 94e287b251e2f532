//===- Failed.h - a failure in one expression -------------------*- C++ -*-===//

#ifndef TALLY_SUPPORT_FAILED_H
#define TALLY_SUPPORT_FAILED_H

#include "tally/support/Result.h"

namespace tally {

/// A Diagnostic that names no file and no node: whoever knows them adds them.
inline Diagnostic failed(FailureKind kind, std::string rule,
                         std::string message, std::string hint = "") {
  return {kind, std::move(message), std::move(rule), "", "", std::move(hint)};
}

} // namespace tally

#endif // TALLY_SUPPORT_FAILED_H
