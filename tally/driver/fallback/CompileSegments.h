//===- CompileSegments.h - tally compile --fallback=cpu ---------*- C++ -*-===//

#ifndef TALLY_DRIVER_FALLBACK_COMPILESEGMENTS_H
#define TALLY_DRIVER_FALLBACK_COMPILESEGMENTS_H

#include "tally/driver/CommandLine.h"
#include "tally/machine/Machine.h"

#include "mlir/IR/BuiltinOps.h"

namespace tally {

/// CLI-3 where --fallback names something else than cpu.
Status checkFallback(const Arguments &arguments);
/// CLI-3 where --fallback is given without an accelerator.
Status refuseFallback(const Arguments &arguments);

/// Tells the remark engine which nodes of a rewritten and fused module run
/// where with --fallback=cpu; nothing where the machine runs them all.
Status explainSegments(mlir::ModuleOp module, const machine::Machine &machine,
                       const std::string &model);

/// Writes the segments of a rewritten and fused module that the machine cannot
/// run alone, and tells them. They go to `path`; with the ending .a instead
/// where the command line leaves the name open.
Result<int> compileSegments(const Arguments &arguments, mlir::ModuleOp module,
                            const machine::Machine &machine,
                            const std::string &path);

} // namespace tally

#endif // TALLY_DRIVER_FALLBACK_COMPILESEGMENTS_H
