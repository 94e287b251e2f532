//===- Stages.h - records and blocks applied to rows ------------*- C++ -*-===//
//
// What integer units do with a row of values whose channels follow each other:
// channel of value i is channel + i * step. Decisions fall once a row, not for
// each value. Texts that are returned say what went wrong.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_SIMULATOR_KERNELS_STAGES_H
#define TALLY_RUN_SIMULATOR_KERNELS_STAGES_H

#include "tally/emit/isa/Parameters.h"
#include "tally/run/simulator/kernels/Kernels.h"

#include <cstdint>
#include <span>

namespace tally::simulator {

/// Which channels a row has.
struct Channels {
  int64_t first = 0, step = 0;
};

/// In place. A fault: a channel has no record, or a number leaves 64 bits.
KernelFault requantize(const isa::RequantizeBlock &block, Channels channels,
                       std::span<int64_t> row);
/// In place, a becomes the result.
KernelFault combine(const isa::LinearBlock &block, std::span<int64_t> a,
                    std::span<const int64_t> b);
KernelFault multiply(const isa::ProductBlock &block, Channels channels,
                     std::span<int64_t> a, std::span<const int64_t> b);
/// In place. A fault: a channel has no lines, or a table no entry.
KernelFault applyUnary(const quant::UnaryBlock &block, Channels channels,
                       std::span<int64_t> row);

/// All stages on a row of sums. `residual` has as many values, or none when no
/// stage reads them. `second` receives what the second result is, if a stage
/// says so.
KernelFault applyStages(const isa::EpilogueBlock &block, int64_t firstChannel,
                        std::span<int64_t> row,
                        std::span<const int64_t> residual,
                        std::span<int64_t> second);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_KERNELS_STAGES_H
