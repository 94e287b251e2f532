//===- CpuFusion.h - how to fuse for the CPU --------------------*- C++ -*-===//

#ifndef TALLY_DRIVER_CPUFUSION_H
#define TALLY_DRIVER_CPUFUSION_H

#include "tally/eval/Request.h"
#include "tally/rewrite/fusion/Fusion.h"

namespace tally {

/// Options under which every chain has CPU code and keeps the results of the
/// profile.
rewrite::FusionOptions cpuFusion(eval::Profile numerics);

} // namespace tally

#endif // TALLY_DRIVER_CPUFUSION_H
