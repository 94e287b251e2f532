//===- Codegen.h - from an imported graph to an object ----------*- C++ -*-===//

#ifndef TALLY_DRIVER_CODEGEN_H
#define TALLY_DRIVER_CODEGEN_H

#include "tally/cpu/CpuCompiler.h"
#include "tally/driver/Executable.h"
#include "tally/driver/Phases.h"

namespace tally {

/// What --numerics, --budget, --tiers and --static-arena ask for. All tiers by
/// default. CLI-3.
Result<cpu::CpuOptions> parseCpuOptions(const Arguments &arguments,
                                        const ModelArguments &model);

/// What `compile` and `run` both ask for.
struct CompilerArguments {
  ModelArguments model;
  PhaseControl control;
  cpu::CpuOptions cpu;
};
Result<CompilerArguments> parseCompilerArguments(const Arguments &arguments);

/// "1536", "64K", "3M", "1G" in bytes; CLI-3.
Result<int64_t> parseBytes(const std::string &text);

/// The strongest tier that this machine offers; the only one that code for
/// immediate use needs.
std::vector<cpu::Tier> hostTier();

/// What the exact evaluator makes of the self-test's inputs, as a hash of the
/// outputs (cpu/SelfTest.h); nothing for half-precision inputs, which plain
/// x86-64 cannot make without a library. `module` is the graph as imported.
Result<std::optional<uint64_t>> selfTestHash(mlir::ModuleOp module,
                                             const ModelArguments &model);

/// All phases after the import on `module`, with progress.
/// `file` is the model's, for messages. Stops early, with an empty object, when
/// the phases are told to.
Result<cpu::CompiledObject> generateCode(PhaseRunner &phases,
                                         mlir::ModuleOp module,
                                         cpu::CpuOptions options,
                                         const std::string &file);

/// The phase codegen alone, on a module whose other phases are done.
Result<cpu::CompiledObject> compileRewritten(PhaseRunner &phases,
                                             mlir::ModuleOp module,
                                             cpu::CpuOptions options,
                                             const std::string &file);

/// A copy of an imported `module` compiled for this machine, in this process.
/// With `exposeAll` its outputs are the function's and then every other tensor
/// that the compiled form keeps (AllNodes.h).
Result<Executable> compileForHost(PhaseRunner &phases, mlir::ModuleOp module,
                                  cpu::CpuOptions options,
                                  const std::string &file, bool exposeAll);

} // namespace tally

#endif // TALLY_DRIVER_CODEGEN_H
