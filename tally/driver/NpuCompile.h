//===- NpuCompile.h - tally compile for an accelerator ----------*- C++ -*-===//

#ifndef TALLY_DRIVER_NPUCOMPILE_H
#define TALLY_DRIVER_NPUCOMPILE_H

#include "tally/driver/CommandLine.h"
#include "tally/emit/program/Program.h"
#include "tally/machine/Machine.h"
#include "tally/rewrite/fusion/Fusion.h"

#include "mlir/IR/BuiltinOps.h"

namespace tally {

/// Whether --target names an accelerator: one that comes with tally, or a file
/// that ends in ".yaml".
bool namesMachine(const std::string &target);

/// Chains that the matrix engine's output stage runs.
rewrite::FusionOptions npuFusion();

/// The program of `main`, whose operators are those that the rewrites leave,
/// with npuFusion().
Result<isa::Program> makeProgram(mlir::ModuleOp module,
                                 const machine::Machine &machine);

/// NPU-11 (Internal) when the independent checker rejects what was made.
Status prove(const isa::Program &program, const machine::Machine &machine);

/// `tally compile` with such a target: a program file for the machine, which
/// the independent checker has accepted.
Result<int> compileForMachine(const Arguments &arguments);

/// The program of a rewritten and fused module, which the checker has accepted:
/// the rules of schedule/ and its planners, of emit/lower, and NPU-11.
Result<isa::Program> provenProgram(mlir::ModuleOp module,
                                   const machine::Machine &machine);

} // namespace tally

#endif // TALLY_DRIVER_NPUCOMPILE_H
