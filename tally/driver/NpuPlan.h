//===- NpuPlan.h - from a graph to the program of a machine -----*- C++ -*-===//

#ifndef TALLY_DRIVER_NPUPLAN_H
#define TALLY_DRIVER_NPUPLAN_H

#include "tally/driver/NpuArguments.h"
#include "tally/driver/Phases.h"
#include "tally/emit/program/Program.h"
#include "tally/schedule/Plans.h"

namespace tally {

/// Chains that the matrix engine's output stage runs.
rewrite::FusionOptions npuFusion();

/// A program with its plans. What a phase makes is there if the phases reach
/// it.
struct NpuPlan {
  schedule::Found found;
  npu::ProgramOp program;
  schedule::MemoryPlans memory;
  schedule::SyncPlan sync;
};

/// Import and the rewrites for a machine but for the phase state, as far as the
/// phases reach.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importForMachine(PhaseRunner &phases, mlir::MLIRContext &context,
                 const ModelArguments &model);

/// The phase state, if the control reaches it.
Status placeStatesForMachine(PhaseRunner &phases, mlir::ModuleOp module,
                             const machine::Machine &machine);

/// The search, then the phases schedule, order, memory and sync on `module`. On
/// failure fills `refusal`, if there is one.
Result<NpuPlan> planForMachine(PhaseRunner &phases, mlir::ModuleOp module,
                               const NpuArguments &arguments, bool priceFewer,
                               schedule::Refusal *refusal = nullptr);

/// The phase lower, which dumps assembly.
Result<isa::Program> lowerForMachine(PhaseRunner &phases, mlir::ModuleOp module,
                                     const NpuArguments &arguments,
                                     const NpuPlan &plan);

} // namespace tally

#endif // TALLY_DRIVER_NPUPLAN_H
