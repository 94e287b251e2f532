//===- CHandles.h - what the C interface's handles are ----------*- C++ -*-===//

#ifndef TALLY_RUNTIME_CHANDLES_H
#define TALLY_RUNTIME_CHANDLES_H

#include "tally-c/tally.h"
#include "tally/runtime/Context.h"

struct TallyProgram {
  tally::runtime::Program program;
  std::string json;
};

struct TallyContext {
  tally::runtime::Context context;
};

namespace tally::runtime {

/// The status of a failure, whose text goes to `error` unless that is null.
TallyStatus report(const Diagnostic &failure, char **error);
/// Of `status`, likewise; no text when there is no failure.
TallyStatus report(const Status &status, char **error);

/// CAPI-1: a call without a pointer that it needs.
TallyStatus misuse(const char *message, char **error);

/// Fills `info`; TALLY_USAGE when there is no such tensor or no place.
TallyStatus describe(const TensorInterface &tensor, TallyTensorInfo *info);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_CHANDLES_H
