//===- LaneCodes.cpp - numbers in lanes become codes ----------------------===//
//
// Packing: two vectors of sixteen i32 a, b become 32 words and two of those 64
// bytes, each step with saturation, which is the clamp to the bytes' range. The
// instructions work within quarters of a register, so the bytes come out as
//
//     a0 b0 c0 d0   a1 b1 c1 d1   a2 b2 c2 d2   a3 b3 c3 d3
//
// in groups of four, and one permutation of groups puts them in order: seven
// instructions less than truncating four vectors one by one.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/kernels/DotProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::hasWideVectors(Tier tier) {
  return tier == Tier::Avx512 || tier == Tier::Amx;
}

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

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Lanes [first, first + count) of a vector, the last one again where there are
/// no more.
static Value slice(KernelBuilder &k, Value lanes, int64_t first,
                   int64_t count) {
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < count; ++i)
    places.push_back(std::min(first + i, lanesOf(lanes) - 1));
  return vector::ShuffleOp::create(k.b, lanes, lanes, places);
}

static Value pack(KernelBuilder &k, const char *how, Value a, Value b,
                  Type element) {
  auto type = VectorType::get({2 * lanesOf(a)}, element);
  auto call =
      LLVM::CallIntrinsicOp::create(k.b, type, k.b.getStringAttr(how), {a, b});
  return call.getResult(0);
}

/// Words [32 * i, 32 * i + 32), in the order of the instruction, with the
/// origin added.
static Value packedWords(KernelBuilder &k, const Rounded &rounded, int64_t i) {
  Value a = slice(k, rounded.value, 32 * i, kDotLanes);
  Value b = slice(k, rounded.value, 32 * i + kDotLanes, kDotLanes);
  Value words = pack(k, "llvm.x86.avx512.packssdw.512", a, b, k.i16());
  if (!rounded.origin)
    return words;
  return LLVM::SAddSat::create(k.b, words,
                               k.integer(words.getType(), rounded.origin));
}

/// Bytes in the order of lanes, `count` of them.
static Value inOrder(KernelBuilder &k, Value bytes, int64_t count) {
  auto groups = VectorType::get({kDotLanes}, k.i32());
  Value words = vector::BitCastOp::create(k.b, groups, bytes);
  SmallVector<int64_t> places;
  for (int64_t group = 0; group < count / 4; ++group)
    places.push_back(group % 4 * 4 + group / 4);
  Value ordered = vector::ShuffleOp::create(k.b, words, words, places);
  return vector::BitCastOp::create(k.b, VectorType::get({count}, k.i8()),
                                   ordered);
}

/// min(max(codes, low), high) where the element's own range is wider.
static Value clampStored(KernelBuilder &k, Value codes, const Rounded &rounded,
                         eval::Element element) {
  bool isSigned = eval::isSigned(element);
  auto bound = [&](int64_t code) { return k.integer(codes.getType(), code); };
  if (rounded.low > int64_t(eval::minValue(element)))
    codes = isSigned
                ? Value(arith::MaxSIOp::create(k.b, codes, bound(rounded.low)))
                : Value(arith::MaxUIOp::create(k.b, codes, bound(rounded.low)));
  if (rounded.high < int64_t(eval::maxValue(element)))
    codes =
        isSigned
            ? Value(arith::MinSIOp::create(k.b, codes, bound(rounded.high)))
            : Value(arith::MinUIOp::create(k.b, codes, bound(rounded.high)));
  return codes;
}

static Value packedCodes(KernelBuilder &k, const Rounded &rounded,
                         eval::Element element) {
  int64_t lanes = lanesOf(rounded.value);
  Value first = packedWords(k, rounded, 0);
  Value second = lanes > 32 ? packedWords(k, rounded, 1) : first;
  const char *how = eval::isSigned(element) ? "llvm.x86.avx512.packsswb.512"
                                            : "llvm.x86.avx512.packuswb.512";
  Value bytes = pack(k, how, first, second, k.i8());
  return clampStored(k, inOrder(k, bytes, lanes), rounded, element);
}

Value tally::cpu::storedCodesOf(KernelBuilder &k, const Rounded &rounded,
                                eval::Element element) {
  int64_t lanes = lanesOf(rounded.value);
  bool isPacked = hasWideVectors(k.tier) && eval::byteSize(element) == 1 &&
                  lanes > kDotLanes && lanes <= 4 * kDotLanes &&
                  lanes % kDotLanes == 0;
  return isPacked ? packedCodes(k, rounded, element)
                  : k.narrow(codesOf(k, rounded), element);
}
