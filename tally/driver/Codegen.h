//===- Codegen.h - from an imported graph to an object ----------*- C++ -*-===//

#ifndef TALLY_DRIVER_CODEGEN_H
#define TALLY_DRIVER_CODEGEN_H

#include "tally/cpu/CpuCompiler.h"
#include "tally/driver/CpuFusion.h"
#include "tally/driver/Executable.h"
#include "tally/driver/Phases.h"
#include "tally/driver/tune/Tuner.h"

namespace tally {

/// What --numerics, --budget, --cpu-target, --cpu, --tiers, --threads and
/// --static-arena ask for. All tiers of x86-64 by default. CLI-3.
Result<cpu::CpuOptions> parseCpuOptions(const Arguments &arguments,
                                        const ModelArguments &model);

/// How to fuse for `cpu`, with what --max-table-bytes and --table-budget ask
/// for. CLI-3.
Result<rewrite::FusionOptions> parseFusionOptions(const Arguments &arguments,
                                                  const cpu::CpuOptions &cpu);

/// What CPU code can do with states.
inline constexpr rewrite::PlaceOptions kCpuPlaces{
    .inPlace = true, .rings = true, .ringsDown = true};

/// Hashes (cpu/SelfTest.h) of what a self-test computes: of the outputs, and
/// of each state's new value by its name.
struct SelfTestHashes {
  uint64_t outputs = 0;
  std::map<std::string, uint64_t> states;
};

/// What `compile` and `run` both ask for.
struct CompilerArguments {
  ModelArguments model;
  PhaseControl control;
  cpu::CpuOptions cpu;
  rewrite::FusionOptions fusion;
  std::optional<int64_t> maxStateCopies; ///< STATE-10
  tune::TuneArguments tune = {};
  std::optional<SelfTestHashes> selfTest = std::nullopt;
};
Result<CompilerArguments> parseCompilerArguments(const Arguments &arguments);

/// "1536", "64K", "3M", "1G" in bytes; CLI-3.
Result<int64_t> parseBytes(const std::string &text);

/// The strongest tier that this machine offers; the only one that code for
/// immediate use needs.
std::vector<cpu::Tier> hostTier();

/// What the exact evaluator makes of the self-test's inputs and states; nothing
/// for half-precision inputs, which plain x86-64 cannot make without a library.
/// `module` is the graph as imported.
Result<std::optional<SelfTestHashes>>
selfTestHashes(mlir::ModuleOp module, const ModelArguments &model);

/// What a person who waits for the self-test has to know, when it takes more
/// than some seconds: how much it computes and how to go without. Told by the
/// graph alone, so that what is printed does not depend on the machine.
std::optional<std::string> slowSelfTest(mlir::ModuleOp module);

/// The phases from quantize to state on an imported `module`, and the options
/// to compile it with, which have its schedules.
Result<cpu::CpuOptions> prepareCode(PhaseRunner &phases, mlir::ModuleOp module,
                                    const CompilerArguments &arguments);

/// The phases from quantize to codegen on an imported `module`, with progress.
/// Stops early, with an empty object, when the phases are told to.
Result<cpu::CompiledObject> generateCode(PhaseRunner &phases,
                                         mlir::ModuleOp module,
                                         const CompilerArguments &arguments);

/// Which tensors a compiled graph hands out: AllNodes.h.
enum class Expose {
  Outputs, ///< the function's results
  Kept,    ///< then every other tensor that its compiled form keeps
  All,     ///< then every tensor of the quantized graph; so nothing is fused
};

/// A copy of an imported `module` compiled for this machine, in this process.
Result<Executable> compileForHost(PhaseRunner &phases, mlir::ModuleOp module,
                                  const CompilerArguments &arguments,
                                  Expose expose);

} // namespace tally

#endif // TALLY_DRIVER_CODEGEN_H
