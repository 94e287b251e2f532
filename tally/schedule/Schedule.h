//===- Schedule.h - a graph becomes the program of a machine ----*- C++ -*-===//
//
// Rules:
//   NPU-10  every node has a lowering, and its types and sizes fit the machine
//           (Unsupported)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_SCHEDULE_H
#define TALLY_SCHEDULE_SCHEDULE_H

#include "tally/machine/Machine.h"
#include "tally/schedule/ChannelParameters.h"
#include "tally/schedule/Choices.h"
#include "tally/schedule/Npu.h"
#include "tally/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace tally::schedule {

/// Appends to `module` the npu.program of its function `main`, whose operators
/// are those that rewrites leave. Inputs and outputs are regions in the order
/// of the function's arguments, then results. On failure the module has no
/// program. Takes parameters from `known`, if there is one, and adds to it.
Result<npu::ProgramOp> schedule(mlir::ModuleOp module,
                                const machine::Machine &machine,
                                const Choices &choices,
                                KnownParameters *known = nullptr);

/// Whether accelerators have commands for the operator ("nn.conv"), where its
/// types and sizes fit the machine (NPU-10).
bool hasCommands(llvm::StringRef name);

/// What the output stage of the machine's matrix engine lacks to run `stage`
/// behind `chain`, whose first operator is the anchor, or nothing; `stage` null
/// asks about the anchor alone.
std::optional<std::string> lacksInChain(llvm::ArrayRef<mlir::Operation *> chain,
                                        mlir::Operation *stage);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_SCHEDULE_H
