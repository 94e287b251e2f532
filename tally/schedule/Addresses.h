//===- Addresses.h - where the storages of a program lie --------*- C++ -*-===//
//
// The join with the memory planner. Four numbers are told apart: the window
// that addresses can express, the bytes that are live together, the extent that
// a plan allocates, and the budget that the caller grants.
//
// What does not fit is refused by the planner's rules (MEM-10 to MEM-13 of
// plan/memory/Problem.h). Here the addresses of MEM-10 are one window for each
// region of global memory, with room for all beside each other; the memory of
// MEM-11 has room for what is live together; the budget of MEM-12 is of
// constants, arena, inputs and outputs; and MEM-13 is a plan whose extent does
// not fit where what is live would.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_ADDRESSES_H
#define TALLY_SCHEDULE_ADDRESSES_H

#include "tally/machine/Machine.h"
#include "tally/plan/memory/Solver.h"
#include "tally/schedule/Npu.h"
#include "tally/support/Result.h"

namespace tally::schedule {

/// Whose bytes a storage is. Commands are numbered in the order of issue; nodes
/// are the model's, empty where inputs and outputs are moved.
struct StorageFacts {
  std::string name, node;           ///< node: that it was made for
  std::vector<std::string> writers; ///< nodes, each once
  int64_t views = 0;                ///< different ways commands see it
  int64_t first = -1, last = -1;    ///< commands that use it
  /// The last command that reads it; it may run long after it was issued.
  int64_t lastReader = -1;
  std::string lastQueue, lastNode; ///< of that command
};

/// The bytes of one memory, as solved: facts[i] is about the problem's i-th
/// storage.
struct SpacePlan {
  int64_t space = 0; ///< kSram, kAccumulators or kArenaRegion
  plan::memory::MemoryProblem problem;
  plan::memory::MemorySolution solution;
  std::vector<StorageFacts> facts;
};

/// A region of global memory that a call binds.
struct RegionUse {
  std::string name; ///< "constants", "arena", or the caller's buffer
  int64_t region = 0;
  int64_t bytes = 0;
};

/// What a program takes of global memory. Regions begin at multiples of the
/// machine's alignment; gaps before them count.
struct GlobalUse {
  std::vector<RegionUse> regions; ///< by number; none is empty
  int64_t alignment = 1;

  int64_t bytes(int64_t region) const;
  /// Of all regions one behind the other.
  int64_t total() const;
};

struct MemoryPlans {
  SpacePlan accumulators, arena, sram;
  GlobalUse global;
};

/// Which of the four numbers a plan breaks.
enum class Limit { Window, Live, Budget, Extent };
const char *limitName(Limit limit); ///< "window", "live", "budget", "extent"

/// A memory plan that does not fit.
struct Shortage {
  Limit limit = Limit::Live;
  int64_t space = 0;   ///< of the memory that is full; an arena: all of global
  int64_t allowed = 0; ///< bytes
  int64_t needed = 0;  ///< bytes: the number that breaks the limit
  MemoryPlans plans;   ///< those made so far, the full one last
  Diagnostic diagnostic;
};

/// Where one region may lie at most: the bytes of the widest window.
int64_t widestWindow(const machine::Machine &machine);
/// Where all of them may.
int64_t allWindows(const machine::Machine &machine);

struct AddressOptions {
  int64_t budget = plan::memory::kUnlimited; ///< of global memory
  /// Of the exact search in each memory.
  uint64_t steps = 200'000;
};

/// Gives every storage its offset: SRAM, accumulators and arena by the memory
/// planner, which lets a storage follow another where the order proves that the
/// first is no longer used, constants one after the other and equal ones once,
/// the caller's buffers at 0. On failure fills `shortage`, if there is one.
Result<MemoryPlans> planMemory(npu::ProgramOp program,
                               const machine::Machine &machine,
                               const AddressOptions &options,
                               Shortage *shortage = nullptr);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_ADDRESSES_H
