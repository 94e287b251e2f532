//===- Cost.h - how long a program would take -------------------*- C++ -*-===//
//
// A model of time for comparing schedules: cycles of commands by the
// instruction table, queues, the order between commands, the one path to global
// memory, and the processor that issues. It knows no values and no
// synchronization registers; a simulator is no part of it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_COST_H
#define TALLY_SCHEDULE_COST_H

#include "tally/machine/Machine.h"
#include "tally/schedule/Npu.h"

namespace tally::schedule {

/// One command, in the order of issue.
struct Work {
  uint32_t queue = 0;
  int64_t cycles = 0;       ///< that it holds its engine, alone on the machine
  int64_t globalRead = 0;   ///< bytes, in whole granules
  int64_t globalWrite = 0;  ///< likewise
  int64_t instructions = 0; ///< that issue it
  std::vector<uint32_t> after; ///< places of commands that complete before
};

struct Estimate {
  int64_t cycles = 0;        ///< until the last command completes
  std::vector<int64_t> busy; ///< cycles that each queue's engine works or waits
                             ///< for global memory
  int64_t globalRead = 0, globalWrite = 0; ///< bytes

  int64_t globalBytes() const { return globalRead + globalWrite; }
};

/// A command starts when the processor has issued it, those before it in its
/// queue and its `after` are complete; its bytes of global memory go behind
/// those of commands issued earlier. Linear.
Estimate estimate(const std::vector<Work> &works,
                  const machine::Machine &machine);

/// The commands of a program whose order is fixed.
std::vector<Work> worksOf(npu::ProgramOp program,
                          const machine::Machine &machine);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_COST_H
