//===- LaneCodes.cpp - numbers in lanes become codes ----------------------===//
//
// A clamp to the whole range of bytes and a truncation are one instruction of
// AVX-512, which also stores. Packing four vectors into one was tried: LLVM
// takes the instructions for what they do and makes these of it.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/LaneCodes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

int64_t tally::cpu::lanesOf(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getNumElements() : 0;
}

Type tally::cpu::lanesLike(Value like, Type scalar) {
  int64_t lanes = lanesOf(like);
  return lanes ? VectorType::get({lanes}, scalar) : scalar;
}

Value tally::cpu::spreadLike(KernelBuilder &k, Value like, Value scalar) {
  if (!lanesOf(like))
    return scalar;
  return vector::BroadcastOp::create(k.b, lanesLike(like, scalar.getType()),
                                     scalar);
}

Value tally::cpu::nearestInt32(KernelBuilder &k, Value floats) {
  return LLVM::LrintOp::create(k.b, lanesLike(floats, k.i32()), floats);
}

Value tally::cpu::codesOf(KernelBuilder &k, const Rounded &rounded) {
  Value code = rounded.value;
  if (rounded.origin)
    code = arith::AddIOp::create(k.b, code,
                                 k.integer(code.getType(), rounded.origin));
  return k.clamp(code, rounded.low, rounded.high);
}

Value tally::cpu::storedCodesOf(KernelBuilder &k, const Rounded &rounded,
                                eval::Element element) {
  return k.narrow(codesOf(k, rounded), element);
}
