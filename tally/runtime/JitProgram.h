//===- JitProgram.h - an object in memory becomes a program -----*- C++ -*-===//

#ifndef TALLY_RUNTIME_JITPROGRAM_H
#define TALLY_RUNTIME_JITPROGRAM_H

#include "tally/runtime/Program.h"

namespace tally::runtime {

/// Links a relocatable object into this process. The object may refer to
/// memcpy, memset and memmove and to nothing else. Fails by checkHost; what
/// the linker refuses, and a missing SYMBOL_run, is RUN-5 (Model).
Result<Program> jitProgram(std::string_view object, Interface interface);

/// Loads the artifact at `path`: a shared library by the system's loader, an
/// object or archive by the linker above. The constants of a library are not
/// read: verify() of the program does it, or its first run.
Result<Program> loadProgram(const std::string &path);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_JITPROGRAM_H
