//===- CompileSegments.h - compiling with --fallback=cpu --------*- C++ -*-===//

#ifndef TALLY_DRIVER_FALLBACK_COMPILESEGMENTS_H
#define TALLY_DRIVER_FALLBACK_COMPILESEGMENTS_H

#include "tally/driver/NpuArguments.h"
#include "tally/driver/Phases.h"

namespace tally {

/// Whether a failure to make a program says what a machine cannot do, and not
/// that something is broken.
bool isRefusal(const Diagnostic &failure);

/// A copy of a rewritten and fused module whose states have no places yet, for
/// segments; null where no one asked for them.
mlir::OwningOpRef<mlir::ModuleOp> sharedCopy(const NpuArguments &asked,
                                             mlir::ModuleOp module);

/// `tally explain`: tells the remark engine which nodes of a rewritten and
/// fused module, which the machine cannot run alone, run where. CLI-3 where
/// `categories` are about a program alone.
Status explainSegments(const NpuArguments &asked, mlir::ModuleOp module,
                       const std::vector<std::string> &categories);

/// `tally compile`: writes the segments of such a module and tells them. They
/// go to `path`; with the ending .a instead where the command line leaves the
/// name open.
Result<int> compileSegments(const Arguments &arguments,
                            const NpuArguments &asked, PhaseRunner &phases,
                            mlir::ModuleOp module, const std::string &path);

} // namespace tally

#endif // TALLY_DRIVER_FALLBACK_COMPILESEGMENTS_H
