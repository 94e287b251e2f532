//===- HalfProduct.h - products of many rows in halves of words -*- C++ -*-===//
//
// Products of 16 bits (HalfWords.h), both sides of which are taken apart before
// they are multiplied: what a schedule that copies does.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_HALFPRODUCT_H
#define TALLY_CPU_KERNELS_HALFPRODUCT_H

#include "tally/cpu/ProductSchedule.h"
#include "tally/cpu/kernels/DotProduct.h"

namespace tally::cpu {

/// As emitDotProduct. A tile has `rows` rows and up to two registers of lanes;
/// `vectors` are those of a block, whose words are copied.
void emitHalfProduct(KernelBuilder &k, const DotShape &shape,
                     const DotOperands &operands,
                     const ProductSchedule &schedule,
                     llvm::function_ref<Value(Value row, Value lane)> start,
                     llvm::function_ref<void(const DotSums &)> finish);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_HALFPRODUCT_H
