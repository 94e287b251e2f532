//===- Traffic.h - bytes between global memory and SRAM ---------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_TRAFFIC_H
#define TALLY_SCHEDULE_TRAFFIC_H

#include "tally/schedule/Npu.h"

namespace tally::schedule {

/// Bytes of global memory that a program reads and writes.
struct Traffic {
  int64_t moved = 0; ///< by all its copies
  /// Weights and parameters, inputs and outputs once, and one write and one
  /// read of each tensor in the arena: what it would be without any byte that
  /// is loaded again, for the same choice of tensors that stay in SRAM.
  int64_t least = 0;
};

Traffic trafficOf(npu::ProgramOp program);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_TRAFFIC_H
