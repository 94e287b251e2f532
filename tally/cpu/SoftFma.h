//===- SoftFma.h - fused multiply-add without the instruction ---*- C++ -*-===//

#ifndef TALLY_CPU_SOFTFMA_H
#define TALLY_CPU_SOFTFMA_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace tally::cpu {

/// A pass on the emitted module, before vectors become LLVM's: each math.fma of
/// fp32 in a function of the baseline tier, by its name (TierParts.h), becomes
/// what that tier has, with the same bits. Vectors have one dimension.
std::unique_ptr<mlir::Pass> createSoftFmaPass();

} // namespace tally::cpu

#endif // TALLY_CPU_SOFTFMA_H
