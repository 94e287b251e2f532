//===- StridedCopy.h - copies by strides in generated code ------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_STRIDEDCOPY_H
#define TALLY_CPU_LOWER_STRIDEDCOPY_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/ops/StridedMap.h"

namespace tally::cpu {

/// Fills result 0 from operand 0 in row-major order of the result.
void emitStridedCopy(KernelBuilder &k, const nn::StridedMap &map);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_STRIDEDCOPY_H
