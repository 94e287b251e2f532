//===- Main.h - the tally command -------------------------------*- C++ -*-===//

#ifndef TALLY_DRIVER_MAIN_H
#define TALLY_DRIVER_MAIN_H

#include "tally/support/Result.h"

namespace tally {

/// tally COMMAND ...; the value is the process's exit status.
int tallyMain(int argc, char **argv);

/// The exit status that tells a failure's kind to a script.
int exitStatus(FailureKind kind);

} // namespace tally

#endif // TALLY_DRIVER_MAIN_H
