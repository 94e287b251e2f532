//===- Phases.h - the way from a model to code, step by step ----*- C++ -*-===//
//
// Each phase has a name, and what it leaves is verified. --stop-after ends
// after one, --dump-after writes what it made.
//
//   import    model file -> nn operators, as the graph states them
//   quantize  dequantize-operate-quantize groups -> integer operators; what
//             stays float says why (attribute nn.float_reason)
//   layout    weights on the right of their products, transposes where they
//             cost least, one copy of what is equal
//   fusion    operators and the elementwise ones behind them -> nn.fused
//   state     where states live; their reads and writes -> arguments and
//             results
//   codegen   -> object file in memory (made by the caller, not a module)
//
// and for an accelerator, in place of codegen
//
//   schedule  nodes -> commands of engines: an npu.program beside the graph
//   order     the order of issue and what each command waits for
//   memory    the offset of every storage
//   sync      signals and waits
//   lower     -> instructions, shown as assembly (not a module)
//
// A module that `--dump-after` or `--reproducer` wrote (.mlir) is a model too:
// reading it replaces the import, so a phase can be run again on what it
// stumbled over. One with an npu.program, from schedule on, is none.
//
// Rules: PHASE-1 a phase of that name exists (Usage); PHASE-2 a module file is
// one of nn operators with a function main (Model); PHASE-3 what a phase leaves
// is a valid module (Internal), in which what was fused still means the same
// (rewrite::verifyFused); PHASE-4 a module file, whose shapes and results
// are settled, comes without --dim, --shape, --bind, --inputs and --outputs
// (Usage).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_PHASES_H
#define TALLY_DRIVER_PHASES_H

#include "tally/driver/ModelArguments.h"
#include "tally/rewrite/fusion/Fusion.h"
#include "tally/rewrite/state/Place.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace tally {

namespace nn {
struct ImportOptions;
}

/// What the arguments ask of the import.
nn::ImportOptions importOptions(const ModelArguments &model);

enum class Phase {
  Import,
  Quantize,
  Layout,
  Fusion,
  State,
  Codegen,  ///< of libraries
  Schedule, ///< of accelerators' programs, like the following
  Order,
  Memory,
  Sync,
  Lower
};
const char *phaseName(Phase phase);

/// --stop-after, --dump-after and --reproducer.
struct PhaseControl {
  std::optional<Phase> stopAfter;
  /// Phase and file; an empty file is standard output.
  std::vector<std::pair<Phase, std::string>> dumps;
  std::string reproducer;

  bool dumpsAfter(Phase phase) const;
  /// Whether `phase` comes no later than the one to stop after.
  bool reaches(Phase phase) const { return !stopAfter || phase <= *stopAfter; }
};
Result<PhaseControl> parsePhaseControl(const Arguments &arguments);

/// Runs the phases of one module, in order.
class PhaseRunner {
public:
  explicit PhaseRunner(PhaseControl control) : control(std::move(control)) {}

  /// The module of a model, with a verified function `main` and the states
  /// that the arguments declare (StateArguments.h).
  Result<mlir::OwningOpRef<mlir::ModuleOp>> import(mlir::MLIRContext &context,
                                                   const ModelArguments &model);

  /// Runs `body`, which changes `module`, as `phase`.
  Status run(Phase phase, mlir::ModuleOp module,
             const std::function<Status()> &body);

  /// The phases quantize and layout, as far as the control reaches.
  Status rewrite(mlir::ModuleOp module);

  /// The phase fusion, if the control reaches it.
  Status fuse(mlir::ModuleOp module, const rewrite::FusionOptions &options);

  /// The phase state, if the control reaches it.
  Status placeStates(mlir::ModuleOp module,
                     const rewrite::PlaceOptions &options = {});

  /// Writes `bytes` where a dump after `phase` was asked for.
  Status dump(Phase phase, std::string_view bytes) const;

  /// All went well: the reproducer is removed.
  void finish() const;

  const PhaseControl control;

private:
  Status keepReproducer(Phase phase, mlir::ModuleOp module) const;
  Status dumpModule(Phase phase, mlir::ModuleOp module) const;
};

/// Of `module`, with locations: a model, if its operators are those of nn.
std::string moduleText(mlir::ModuleOp module);

/// Function `main` of an imported module.
mlir::func::FuncOp mainFunction(mlir::ModuleOp module);

} // namespace tally

#endif // TALLY_DRIVER_PHASES_H
