//===- Program.h - a compiled model in this process -------------*- C++ -*-===//
//
// The entry point of a loaded library or of just-in-time linked code, with its
// interface. Copies share the code, which goes with the last of them.
//
// Rules:
//   RUN-5  the system can load the library (System)
//   RUN-6  it exports SYMBOL_run (Model)
//   RUN-7  as many tensors as the interface has, each of its type, shape
//          (Usage)
//   RUN-8  the program accepts its pointers (Internal)
//   RUN-9  the arena and the block of states can be allocated (System)
// and those of StateLayout.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_PROGRAM_H
#define TALLY_RUNTIME_PROGRAM_H

#include "tally/runtime/Artifact.h"
#include "tally/runtime/StateLayout.h"

#include <memory>

namespace tally::runtime {

/// int32_t SYMBOL_run(inputs, outputs, arena); see cpu/CpuCompiler.h.
using RunFunction = int32_t (*)(const void *const *inputs, void *const *outputs,
                                void *arena);

class Program {
public:
  Program(Interface interface, RunFunction function, std::shared_ptr<void> code)
      : about(std::make_shared<Interface>(std::move(interface))),
        function(function), code(std::move(code)) {}

  const Interface &interface() const { return *about; }

  /// One run. Pointers are in the interface's order, those of states last
  /// (StateInterface), each to as many bytes as its tensor has; `arena` has the
  /// interface's bytes and alignment and may be null when those bytes are 0 or
  /// the arena is static. Reentrant with distinct arenas. RUN-8.
  Status run(const void *const *inputs, void *const *outputs,
             void *arena) const;

private:
  std::shared_ptr<const Interface> about;
  RunFunction function;
  std::shared_ptr<void> code;
};

/// Loads a shared library: checkHost, RUN-5, RUN-6. Its code is mapped, its
/// symbols stay local to the handle.
Result<Program> loadLibrary(const Artifact &artifact);

/// A program with an arena of its own, also when the code has a static one, and
/// with states of its own: runs one after another, but apart from those of
/// other contexts.
class Context {
public:
  /// RUN-9.
  static Result<Context> create(Program program);

  const Interface &interface() const { return program.interface(); }
  /// One run on the model's own tensors; lists of none may be null. The states
  /// change when it succeeds. RUN-8, RUN-15.
  Status run(const void *const *inputs, void *const *outputs);
  /// Checks the inputs (RUN-7) and allocates the outputs.
  Result<std::vector<eval::Tensor>>
  run(const std::vector<eval::Tensor> &inputs);

  /// The interface's arenaBytes of this context, as the last run left them;
  /// null for none.
  const void *arenaBytes() const { return arena.get(); }

  /// The states of this context; to be used between runs.
  StateBlock states() const { return {interface(), block.get()}; }

private:
  Context(Program program, std::shared_ptr<void> arena,
          std::shared_ptr<void> block)
      : program(std::move(program)), arena(std::move(arena)),
        block(std::move(block)) {}
  Program program;
  std::shared_ptr<void> arena, block;
};

} // namespace tally::runtime

#endif // TALLY_RUNTIME_PROGRAM_H
