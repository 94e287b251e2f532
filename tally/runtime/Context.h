//===- Context.h - a stream of calls of a program ---------------*- C++ -*-===//
//
// What a program works with: an arena, also when the code has a static one, and
// states. Calls follow one another; those of other contexts are apart from
// them. One program may have any number of contexts.
//
// A call changes states only when it succeeds. One that fails leaves the old
// values, except where a policy overwrites them (StateInterface): such a state
// is refused until it is reset, set or restored (RUN-16).
//
// Rules:
//   RUN-7   as many tensors as the interface has, each of its type, shape
//           (Usage)
//   RUN-9   the arena and the block of states can be allocated (System)
//   RUN-19  one use of a context at a time (Usage)
//   RUN-20  a block of the caller's is large enough, and aligned (Usage)
//   RUN-22  no more threads are asked for than the program was made for (Usage)
//   RUN-25  a value that is looked at where it lies is in one piece
//           (Unsupported)
// and those of ThreadPool.h, StateLayout.h, Buffers.h and SavedStates.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_CONTEXT_H
#define TALLY_RUNTIME_CONTEXT_H

#include "tally/runtime/Program.h"
#include "tally/runtime/SavedStates.h"
#include "tally/runtime/StateLayout.h"

namespace tally::runtime {

/// Every member but `interface` fails by RUN-19 while another thread is in one.
class Context {
public:
  /// States have their initial values. `block` holds them, at an address that
  /// is a multiple of kStateAlignment, in at least stateLayout().bytes; it must
  /// outlive the context. Without one, the context has its own. RUN-9, RUN-20.
  static Result<Context> create(Program program,
                                std::span<std::byte> block = {});
  Context(Context &&) noexcept;
  Context &operator=(Context &&) noexcept;
  ~Context();

  /// From now on `threads` threads work on a run, at least 1, of a pool that is
  /// the context's own; the bits stay. RUN-22, RUN-23.
  Status setThreads(int64_t threads);
  /// From now on the caller's threads do, by its own function; null: the thread
  /// that calls. RUN-22.
  Status setParallelFor(ParallelFor parallelFor, void *user);

  /// Another context, with the states of this one; on one thread.
  Result<Context> clone(std::span<std::byte> block = {}) const;

  const Interface &interface() const;
  /// The interface's arenaBytes, as the last run left them; null for none.
  const void *arena() const;

  /// One run on the model's own tensors; lists of none may be null. Allocates
  /// nothing unless it fails. ART-5, RUN-8, RUN-15 to RUN-18, RUN-24.
  Status run(const void *const *inputs, void *const *outputs);
  /// Checks the inputs (RUN-7) and allocates the outputs.
  Result<std::vector<eval::Tensor>>
  run(const std::vector<eval::Tensor> &inputs);

  /// All states, or one, as before the first call.
  Status reset();
  Status reset(size_t state);

  /// A state's value, dense, to and from `bytes`. RUN-15, RUN-16.
  Status readState(size_t state, void *bytes) const;
  Status setState(size_t state, const void *bytes);
  /// A state's value where it lies, until the next use of the context. RUN-15,
  /// RUN-16, RUN-25.
  Result<const void *> viewState(size_t state) const;

  /// All values, by name; a state without one is missing. RUN-16.
  Result<NamedTensors> states() const;
  /// States of these names get these values, all others are as before their
  /// first call. Values have the types of the interface.
  Status setStates(const NamedTensors &values);

private:
  struct Memory;
  explicit Context(std::unique_ptr<Memory> memory);
  std::unique_ptr<Memory> memory; ///< its address stays when a context moves
};

} // namespace tally::runtime

#endif // TALLY_RUNTIME_CONTEXT_H
