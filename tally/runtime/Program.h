//===- Program.h - a compiled model in this process -------------*- C++ -*-===//
//
// The entry point of a loaded library or of just-in-time linked code, with its
// interface. Copies share the code, which goes with the last of them.
//
// Rules:
//   ART-5  a library's constants are those that were linked; no code runs
//          before that is known (Model)
//   RUN-5  the system can load the library (System)
//   RUN-6  it exports SYMBOL_run, and SYMBOL_run_parallel when its interface
//          names several threads (Model)
//   RUN-8  the program accepts its pointers (Internal)
//   RUN-24 a state that counts rows leaves room for those of the call; nothing
//          is written before that is known (Usage)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_PROGRAM_H
#define TALLY_RUNTIME_PROGRAM_H

#include "tally/runtime/Artifact.h"
#include "tally/runtime/ConstantsCheck.h"

#include <memory>

namespace tally::runtime {

/// int32_t SYMBOL_run(inputs, outputs, arena); see cpu/CpuCompiler.h.
using RunFunction = int32_t (*)(const void *const *inputs, void *const *outputs,
                                void *arena);

/// int32_t SYMBOL_run_parallel(inputs, outputs, arena, parallelFor, user).
using RunParallelFunction = int32_t (*)(const void *const *inputs,
                                        void *const *outputs, void *arena,
                                        ParallelFor parallelFor, void *user);

/// The functions of a program; `runParallel` may be null.
struct Entries {
  Entries(RunFunction run = nullptr) : run(run) {}
  RunFunction run;
  RunParallelFunction runParallel = nullptr;
};

class Program {
public:
  /// Without `constants` there is nothing to check.
  Program(Interface interface, Entries entries, std::shared_ptr<void> code,
          std::shared_ptr<ConstantsCheck> constants = nullptr)
      : about(std::make_shared<Interface>(std::move(interface))),
        entries(entries), code(std::move(code)),
        constants(std::move(constants)) {}

  const Interface &interface() const { return *about; }

  /// Reads the constants and checks them, unless that was done. The first run
  /// does it, too. ART-5.
  Status verify() const;

  /// One run. Pointers are in the interface's order, those of states last
  /// (StateInterface), each to as many bytes as its tensor has; `arena` has the
  /// interface's bytes and alignment and may be null when those bytes are 0 or
  /// the arena is static. Reentrant with distinct arenas. ART-5 and RUN-24,
  /// before which nothing is written, RUN-8. With a `parallelFor`, parts of the
  /// work go through it; interface().threads must then be more than 1.
  Status run(const void *const *inputs, void *const *outputs, void *arena,
             ParallelFor parallelFor = nullptr, void *user = nullptr) const;

private:
  std::shared_ptr<const Interface> about;
  Entries entries;
  std::shared_ptr<void> code;
  std::shared_ptr<ConstantsCheck> constants; ///< goes before the code
};

/// Loads a shared library: checkHost, RUN-5, RUN-6. Its code is mapped, its
/// symbols stay local to the handle.
Result<Program> loadLibrary(const Artifact &artifact);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_PROGRAM_H
