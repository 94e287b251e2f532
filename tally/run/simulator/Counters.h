//===- Counters.h - what a run took -----------------------------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_COUNTERS_H
#define TALLY_RUN_SIMULATOR_COUNTERS_H

#include "tally/machine/Machine.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
}
} // namespace llvm

namespace tally::simulator {

/// The command processor. Times are cycles; they add up to those of the run,
/// but for what it takes queues to run empty after the last instruction.
struct ProcessorCounters {
  int64_t instructions = 0;
  int64_t executing = 0;
  int64_t fence = 0;         ///< waited in fences and at the end
  std::vector<int64_t> full; ///< waited because that queue was full
};

/// A queue and its engine. busy + empty + waiting add up to the run's cycles.
struct QueueCounters {
  std::string name;
  int64_t commands = 0;
  int64_t busy = 0;                   ///< at least one entry ran
  int64_t empty = 0;                  ///< there was nothing to do
  std::map<int64_t, int64_t> waiting; ///< by synchronization register
  /// Of busy: what was lost to others that used the same memory.
  int64_t slowed = 0;
  int64_t macs = 0;     ///< multiply-adds of a matrix engine, padding included
  int64_t peakMacs = 0; ///< that its array could do in the run's cycles
};

/// Bytes that commands, loads and stores read and wrote, by their declared
/// effects: one that a command reads more than once counts once.
struct SpaceCounters {
  std::string name; ///< "sram", "accumulators", or the region's
  int64_t read = 0, written = 0;
};

inline constexpr machine::EngineKind kEngineKinds[] = {
    machine::EngineKind::Dma, machine::EngineKind::Matrix,
    machine::EngineKind::Vector};

/// What the instructions of one node of the model took, all trips of loops
/// together.
struct NodeCounters {
  std::string name;
  int64_t commands = 0;
  /// Cycles that its commands ran, by kind of engine; those of two queues at
  /// the same time count twice.
  std::array<int64_t, std::size(kEngineKinds)> running{};
  int64_t waiting = 0;        ///< of its waits, first in their queues
  int64_t begin = 0, end = 0; ///< from its first command to its last
};

struct Counters {
  int64_t cycles = 0;
  double seconds = 0; ///< cycles by the machine's clock
  ProcessorCounters processor;
  std::vector<QueueCounters> queues;
  std::vector<SpaceCounters> spaces;
  std::vector<NodeCounters> nodes; ///< those with commands, by their begin

  int64_t macs() const;
};

/// A few lines and two tables.
void printCounters(llvm::raw_ostream &os, const Counters &counters);
/// A table of the nodes.
void printNodes(llvm::raw_ostream &os, const Counters &counters);
/// The members of an open JSON object.
void writeCounters(llvm::json::OStream &os, const Counters &counters);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_COUNTERS_H
