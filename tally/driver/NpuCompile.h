//===- NpuCompile.h - tally compile for an accelerator ----------*- C++ -*-===//

#ifndef TALLY_DRIVER_NPUCOMPILE_H
#define TALLY_DRIVER_NPUCOMPILE_H

#include "tally/driver/NpuArguments.h"
#include "tally/driver/NpuPlan.h"
#include "tally/driver/NpuProof.h"

namespace tally {

/// The program of `main`, whose operators are those that the rewrites leave,
/// with npuFusion(): the first schedule that fits, its time compared with no
/// other. Fails by the rules of schedule/ and its planners and of emit/lower.
Result<isa::Program> makeProgram(mlir::ModuleOp module,
                                 const machine::Machine &machine);

/// The same, which the checker has accepted: NPU-11 as well.
Result<isa::Program> provenProgram(mlir::ModuleOp module,
                                   const machine::Machine &machine);

/// `tally compile` with such a target: a program file for the machine, which
/// the independent checker has accepted.
Result<int> compileForMachine(const Arguments &arguments);

} // namespace tally

#endif // TALLY_DRIVER_NPUCOMPILE_H
