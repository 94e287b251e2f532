//===- HalfWords.cpp - words of four bytes as products of 16 bits ---------===//
//
// A word of bytes 1, -2, 3, -4 is the pairs of 16 bits 0xfe01 and 0xfc03:
//
//     half 0    << 8 >> 8    1 and 3           unsigned: & 0x00ff
//     half 1    >> 8         -2 and -4         unsigned: >> 8 without sign
//     half h    << 8 - 8 h >> 8                unsigned: >> 8 h & 0x00ff
//
// Cost: one operation on a register, two for signed halves 0.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/HalfWords.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::cpu;

/// `value` in every lane of a vector like `like`.
static Value everywhere(KernelBuilder &k, Value like, int64_t value) {
  auto type = cast<VectorType>(like.getType());
  auto number = k.b.getIntegerAttr(type.getElementType(), value);
  return arith::ConstantOp::create(k.b, DenseElementsAttr::get(type, number));
}

static Value pairsOf(KernelBuilder &k, Value words) {
  int64_t lanes = cast<VectorType>(words.getType()).getNumElements();
  return vector::BitCastOp::create(k.b, VectorType::get({2 * lanes}, k.i16()),
                                   words);
}

Value tally::cpu::halfOf(KernelBuilder &k, Value words, int64_t half,
                         bool isSigned) {
  Value pairs = pairsOf(k, words);
  Value eight = everywhere(k, pairs, 8);
  if (!isSigned)
    return half ? arith::ShRUIOp::create(k.b, pairs, eight).getResult()
                : arith::AndIOp::create(k.b, pairs, everywhere(k, pairs, 255));
  if (!half)
    pairs = arith::ShLIOp::create(k.b, pairs, eight);
  return arith::ShRSIOp::create(k.b, pairs, eight);
}

Value tally::cpu::halfOf(KernelBuilder &k, Value words, Value half,
                         bool isSigned) {
  Value pairs = pairsOf(k, words);
  Value bits = arith::IndexCastOp::create(k.b, k.i16(), k.mulIndex(half, 8));
  bits = vector::BroadcastOp::create(k.b, pairs.getType(), bits);
  Value eight = everywhere(k, pairs, 8);
  if (!isSigned)
    return arith::AndIOp::create(k.b, arith::ShRUIOp::create(k.b, pairs, bits),
                                 everywhere(k, pairs, 255));
  Value rest = arith::SubIOp::create(k.b, eight, bits);
  return arith::ShRSIOp::create(k.b, arith::ShLIOp::create(k.b, pairs, rest),
                                eight);
}

Value tally::cpu::multiplyAddHalves(KernelBuilder &k, Value sums, Value a,
                                    Value b) {
  const char *name = k.tier == Tier::Baseline ? "llvm.x86.sse2.pmadd.wd"
                                              : "llvm.x86.avx2.pmadd.wd";
  Value products =
      LLVM::CallIntrinsicOp::create(k.b, sums.getType(),
                                    k.b.getStringAttr(name), ValueRange{a, b})
          .getResult(0);
  return arith::AddIOp::create(k.b, sums, products);
}
