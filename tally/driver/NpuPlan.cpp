//===- NpuPlan.cpp - from a graph to the program of a machine -------------===//

#include "tally/driver/NpuPlan.h"
#include "tally/driver/Version.h"
#include "tally/emit/asm/Assembler.h"
#include "tally/emit/lower/Lower.h"
#include "tally/rewrite/state/Place.h"
#include "tally/schedule/Schedule.h"

using namespace tally;

rewrite::FusionOptions tally::npuFusion() {
  rewrite::FusionOptions options;
  options.target.lacksAnchor = [](mlir::Operation *anchor) {
    return schedule::lacksInChain(anchor, nullptr);
  };
  options.target.lacksStage = [](mlir::Operation *stage,
                                 llvm::ArrayRef<mlir::Operation *> chain) {
    return schedule::lacksInChain(chain, stage);
  };
  return options;
}

/// The schedule reads a state before it writes it over (CallerBuffers.h).
/// Regions begin at multiples of the memory's alignment, and copies read and
/// write dimensions in any order: frames of a ring come first. The processor
/// reads counters in the context.
Status tally::placeStatesForMachine(PhaseRunner &phases, mlir::ModuleOp module,
                                    const machine::Machine &machine) {
  rewrite::PlaceOptions options;
  options.inPlace = true;
  options.rings = true;
  options.ringLayout = {true, machine.global.alignment};
  options.ringsDown = true;
  options.counters = true;
  return phases.placeStates(module, options);
}

Result<mlir::OwningOpRef<mlir::ModuleOp>>
tally::importForMachine(PhaseRunner &phases, mlir::MLIRContext &context,
                        const ModelArguments &model) {
  auto module = phases.import(context, model);
  if (!module)
    return module;
  if (Status status = phases.rewrite(**module); !status)
    return status.takeError();
  if (Status status = phases.fuse(**module, npuFusion()); !status)
    return status.takeError();
  return module;
}

namespace {
/// The phases behind the search.
class PhasesOfPlan {
public:
  PhasesOfPlan(PhaseRunner &phases, mlir::ModuleOp module,
               const NpuArguments &arguments, schedule::KnownParameters &known,
               NpuPlan &plan)
      : phases(phases), module(module), arguments(arguments), known(known),
        plan(plan) {}

  Status schedule();
  Status order();
  Status memory();
  Status sync(bool priceFewer);

private:
  Status run(Phase phase, const std::function<Status()> &body) {
    return phases.control.reaches(phase) ? phases.run(phase, module, body)
                                         : Status::success();
  }

  PhaseRunner &phases;
  mlir::ModuleOp module;
  const NpuArguments &arguments;
  schedule::KnownParameters &known;
  NpuPlan &plan;
};
} // namespace

/// Keeps a result, or its failure.
template <typename T> static Status keep(Result<T> result, T &value) {
  if (!result)
    return result.takeError();
  value = std::move(*result);
  return Status::success();
}

Status PhasesOfPlan::schedule() {
  return run(Phase::Schedule, [&] {
    return keep(schedule::schedule(module, arguments.machine,
                                   plan.found.choices, &known),
                plan.program);
  });
}

Status PhasesOfPlan::order() {
  return run(Phase::Order, [&] {
    schedule::orderCommands(plan.program, arguments.machine,
                            plan.found.choices);
    return Status::success();
  });
}

Status PhasesOfPlan::memory() {
  return run(Phase::Memory, [&] {
    schedule::AddressOptions options;
    options.budget = arguments.search.budget;
    return keep(schedule::planMemory(plan.program, arguments.machine, options),
                plan.memory);
  });
}

Status PhasesOfPlan::sync(bool priceFewer) {
  return run(Phase::Sync, [&] {
    return keep(schedule::planSync(plan.program, arguments.machine,
                                   {arguments.syncRegisters, priceFewer}),
                plan.sync);
  });
}

Result<NpuPlan> tally::planForMachine(PhaseRunner &phases,
                                      mlir::ModuleOp module,
                                      const NpuArguments &arguments,
                                      bool priceFewer,
                                      schedule::Refusal *refusal) {
  schedule::KnownParameters known;
  auto found = schedule::searchSchedule(module, arguments.machine,
                                        arguments.search, known, refusal);
  if (!found)
    return found.takeError();
  NpuPlan plan{std::move(*found), {}, {}, {}};
  PhasesOfPlan steps(phases, module, arguments, known, plan);
  if (Status status = steps.schedule(); !status)
    return status.takeError();
  if (Status status = steps.order(); !status)
    return status.takeError();
  if (Status status = steps.memory(); !status)
    return status.takeError();
  if (Status status = steps.sync(priceFewer); !status)
    return status.takeError();
  return plan;
}

Result<isa::Program> tally::lowerForMachine(PhaseRunner &phases,
                                            mlir::ModuleOp module,
                                            const NpuArguments &arguments,
                                            const NpuPlan &plan) {
  isa::Program program;
  Status status = phases.run(Phase::Lower, module, [&] {
    return keep(emit::lowerProgram(plan.program, mainFunction(module),
                                   arguments.machine),
                program);
  });
  if (!status)
    return status.takeError();
  program.producer = kProducer;
  if (!phases.control.dumpsAfter(Phase::Lower))
    return program;
  std::string text = isa::disassemble(program);
  if (Status dumped = phases.dump(Phase::Lower, text); !dumped)
    return dumped.takeError();
  return program;
}
