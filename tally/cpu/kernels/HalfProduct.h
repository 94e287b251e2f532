//===- HalfProduct.h - products of many rows in halves of words -*- C++ -*-===//
//
// emitDotProduct where products are of 16 bits (HalfWords.h) and rows are many:
// both sides are taken apart before they are multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_HALFPRODUCT_H
#define TALLY_CPU_KERNELS_HALFPRODUCT_H

#include "tally/cpu/kernels/DotProduct.h"

namespace tally::cpu {

/// Whether taking the lanes apart once for all rows pays.
bool paysInHalves(Tier tier, const DotShape &shape);

/// As emitDotProduct, with the same sums.
void emitHalfProduct(KernelBuilder &k, const DotShape &shape,
                     const DotOperands &operands,
                     llvm::function_ref<Value(Value row, Value lane)> start,
                     llvm::function_ref<void(const DotSums &)> finish);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_HALFPRODUCT_H
