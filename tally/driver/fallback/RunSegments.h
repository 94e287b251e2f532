//===- RunSegments.h - tally run of a model in segments ---------*- C++ -*-===//

#ifndef TALLY_DRIVER_FALLBACK_RUNSEGMENTS_H
#define TALLY_DRIVER_FALLBACK_RUNSEGMENTS_H

#include "tally/driver/CommandLine.h"

namespace tally {

/// Runs the archive of segments that the command names, and checks the options:
/// RUN-10 for those of models, CLI-3 for those of a single program.
Result<int> runSegments(const Arguments &arguments);

} // namespace tally

#endif // TALLY_DRIVER_FALLBACK_RUNSEGMENTS_H
