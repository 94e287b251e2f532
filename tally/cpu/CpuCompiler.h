//===- CpuCompiler.h - a graph becomes an object file -----------*- C++ -*-===//
//
// The whole CPU back end behind one call: an imported (or rewritten) module of
// nn operators in, one relocatable ELF object out, in memory. The object
//
//   * defines `SYMBOL_run` with the C signature
//         int32_t SYMBOL_run(const void *const *inputs, void *const *outputs,
//                            void *arena);
//     which returns 0, 1 when a pointer is null or the arena is not aligned
//     (a null arena is allowed, and not reentrant, with a static arena), 2
//     when the processor lacks what every compiled tier needs, or 4 when a
//     cache has no room for this call's rows. Inputs, outputs and arena must
//     not overlap. Behind the model's own inputs stand the old
//     values of states, behind its outputs the memory for new ones
//     (runtime::StateInterface says which of them may be the same);
//   * when made for several threads, defines besides
//         int32_t SYMBOL_run_parallel(inputs, outputs, arena,
//                                     parallel_for, user);
//     which runs its loops by the caller's parallel_for
//     (runtime/ParallelFor.h), and in order when that is null, as SYMBOL_run
//     does. It starts no thread. The bits are the same for any number;
//   * defines `int32_t SYMBOL_selftest(void *workspace)` when a self-test is
//     asked for (SelfTest.h);
//   * defines `const char SYMBOL_interface[]`: the interface as JSON text
//     (runtime/Interface.h), which also stands in an ELF note of owner "Tally",
//     type 1, section .note.tally;
//   * holds the constants in read-only data and code for every requested tier,
//     chosen at the first call by what the processor has;
//   * has no undefined symbol but memcpy, memset and memmove, allocates
//     nothing and keeps no state besides the chosen tier.
//
// Rules:
//   CPU-1       every node has code on its types; all others are told at once
//               (Unsupported)
//   CPU-2       what was emitted is valid down to the object (Internal)
//   CPU-BUDGET  the arena is no larger than the budget (Unsupported)
//   CPU-TILE-*  tile registers are used as they are fast (TileCode.h, Internal)
//   CPU-PLAN    the memory plan keeps the laws of plan/memory/Problem.h
//               (Internal)
// NUM-4 and those of quant/ are about a node, too.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_CPUCOMPILER_H
#define TALLY_CPU_CPUCOMPILER_H

#include "tally/cpu/ProductSchedule.h"
#include "tally/eval/Request.h"
#include "tally/runtime/Interface.h"
#include "tally/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>

namespace tally::cpu {

/// Instruction sets that code is generated for, weakest first. A processor has
/// a set of them: one with AVX-512 may lack AVX-VNNI, and the reverse.
enum class Tier {
  Baseline, ///< x86-64: SSE2
  Avx2,     ///< x86-64-v3: AVX2, FMA
  AvxVnni,  ///< x86-64-v3 with AVX-VNNI
  Avx512,   ///< x86-64-v4 with AVX-512 VNNI
  Amx,      ///< the same with AVX-512 VBMI and AMX for bytes
  Neon,     ///< AArch64, as all of its processors have it
  I8mm,     ///< the same with products of bytes (I8MM)
};
/// "x86-64", "avx2", "avxvnni", "avx512vnni", "amx", "neon", "i8mm".
const char *tierName(Tier tier);

/// All of them, those of one family of processors (Target.h) together and
/// weakest first.
llvm::ArrayRef<Tier> allTiers();

/// Those of x86-64.
std::vector<Tier> x86Tiers();

/// The tiers that this processor and operating system can run.
std::vector<Tier> tiersOfThisMachine();

/// Whether code can be made for `op` inside of an nn.fused: as its anchor, or,
/// when `op` is elementwise, as one of its stages.
bool canFuse(mlir::Operation *op);

struct CpuOptions {
  eval::Profile numerics = eval::Profile::Ideal;
  /// What the artifact says it was made by.
  std::string producer = "tally";
  /// C identifier that every exported name starts with.
  std::string symbol = "model";
  /// Of one family of processors, not empty, weakest first.
  std::vector<Tier> tiers = x86Tiers();
  /// The processor, by LLVM's name, whose order of instructions is preferred;
  /// none when empty. It changes no result and no instruction set.
  std::string tune;
  /// Code of tiers beyond AVX2 is made of AVX2's instructions (Emulation.h):
  /// its bits on a processor that lacks them, slowly. Some tier is such a one.
  bool emulate = false;
  /// Hard cap for the arena in bytes; a refusal names the tensors alive at the
  /// peak.
  std::optional<int64_t> budget;
  /// Reserve the arena inside the object, for callers that pass null.
  bool staticArena = false;
  /// Embed a self-test that expects this hash of the outputs (SelfTest.h).
  std::optional<uint64_t> selfTest;
  /// How many parts kernels are split into at most, for as many threads.
  int64_t threads = 1;
  /// Kernels of less work than this are not split: cycles of one thread, as
  /// guessed from sizes. A call of two threads that are awake takes half a
  /// microsecond.
  int64_t leastSplit = 6000;
  /// Of products that have been measured; all others have the cheapest.
  ProductSchedules schedules;
  /// Called before each slow step with its name.
  std::function<void(const char *)> progress;
};

struct CompiledObject {
  std::string object; ///< bytes of the ELF relocatable file
  runtime::Interface interface;
  /// Of all tiers; kernels that are kept once are told for each of their nodes.
  std::vector<ScheduledProduct> products;
};

/// Compiles function `main` of `module`, whose states have places
/// (rewrite/state/Place.h); it is modified. Failures name the
/// node by the rules above.
Result<CompiledObject> compile(mlir::ModuleOp module,
                               const CpuOptions &options);

/// The products that compile would make of such a module, with their schedules;
/// no code is made. The module is modified likewise.
Result<std::vector<ScheduledProduct>> productsOf(mlir::ModuleOp module,
                                                 const CpuOptions &options);

} // namespace tally::cpu

#endif // TALLY_CPU_CPUCOMPILER_H
