//===- ScheduleAccount.h - what each node of a model was given --*- C++ -*-===//

#ifndef TALLY_REPORT_SCHEDULEACCOUNT_H
#define TALLY_REPORT_SCHEDULEACCOUNT_H

#include "tally/report/MemoryAccount.h"

namespace tally::report {

/// Cycles are those that engines are held, by the instruction table.
struct NodeAccount {
  std::string name; ///< the model's; empty: inputs and outputs are moved
  std::string op;   ///< "conv", "conv+relu"
  std::string home; ///< of its result: "SRAM", "arena", "output"; "view" of a
                    ///< node without commands
  int64_t firstStep = 0, steps = 0; ///< parts that it is cut into
  int64_t commands = 0, macs = 0;
  int64_t dma = 0, matrix = 0, vector = 0; ///< cycles
  int64_t globalRead = 0, globalWrite = 0; ///< bytes
};

struct EngineAccount {
  std::string queue;
  int64_t busy = 0; ///< cycles that it works or waits for global memory
};

struct ScheduleAccount {
  std::string machine, choices;
  int64_t cycles = 0;       ///< estimated
  int64_t macs = 0;         ///< of the graph
  int64_t macsPerCycle = 0; ///< that the machine's arrays make at best
  int64_t globalRead = 0, globalWrite = 0; ///< bytes, in whole granules
  /// Bytes that copies move, and those that have to cross: constants, inputs
  /// and outputs once, what does not stay in SRAM written once and read once.
  int64_t moved = 0, least = 0;
  std::vector<EngineAccount> engines;
  std::vector<NodeAccount> nodes; ///< in the order of the graph
  std::vector<TryAccount> tries;

  double utilisation() const;
};

/// Without `all`, the ten nodes that take most cycles.
void printSchedule(llvm::raw_ostream &os, const ScheduleAccount &account,
                   bool all);
/// As a value.
void writeSchedule(llvm::json::OStream &os, const ScheduleAccount &account);

} // namespace tally::report

#endif // TALLY_REPORT_SCHEDULEACCOUNT_H
