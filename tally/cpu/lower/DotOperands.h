//===- DotOperands.h - codes and steps as operands of dots ------*- C++ -*-===//
//
// The dot products (kernels/DotProduct.h) want unsigned codes, not steps: with
// u = code, or code + 128 for signed codes, and z the zero point moved alike,
//
//     sum (u - z) w + addend  =  sum u w + (addend - z * sum w),
//
// where the bracket is known when w is, and is what the sum starts from.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_DOTOPERANDS_H
#define TALLY_CPU_LOWER_DOTOPERANDS_H

#include "tally/cpu/kernels/ByteProduct.h"
#include "tally/cpu/lower/QuantizedProduct.h"

namespace tally::cpu {

/// Whether a product of `codes` with constant steps can be made of dot
/// products: they exist, codes and steps have 8 bits, one zero point holds for
/// all codes, and the sums (`wide` is not set) have 32 bits.
bool canUseDots(const KernelBuilder &k, const eval::Tensor &codes,
                const ConstantPanel &steps, bool wide);

/// z of the above.
int64_t unsignedZero(const eval::Tensor &codes);
/// z of the rows of kernels/ByteProduct.h, which can be signed.
int64_t rowZero(const KernelBuilder &k, const eval::Tensor &codes);

/// The bracket of the above for each row of steps, in 32 bits that wrap. No
/// addends are zeros.
std::vector<int32_t> dotStarts(int64_t zero, const ConstantPanel &steps,
                               llvm::ArrayRef<int64_t> addends);

/// The codes of operand 0 that are a product's rows: (row, term) is the flat
/// element base + row * rowStride + term * termStride. No base is 0.
struct LeftCodes {
  Value base;
  int64_t rowStride, termStride;
};

/// The rows of operand 0 as a product of `shape` reads them: where they are, or
/// a copy.
ByteRows rowsOf(KernelBuilder &k, const ByteShape &shape,
                const LeftCodes &left);

/// Emits a product of codes with a constant right side of one step row per
/// column: sums of steps plus the column's addend, handed to `finish` as lanes.
void emitDotMatrix(KernelBuilder &k, int64_t rows, const ConstantPanel &columns,
                   llvm::ArrayRef<int64_t> addends, const LeftCodes &left,
                   FinishLanes finish);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_DOTOPERANDS_H
