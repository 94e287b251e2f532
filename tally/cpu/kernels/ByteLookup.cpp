//===- ByteLookup.cpp - many bytes through a table at once ----------------===//
//
// A shuffle of bytes looks up sixteen entries: each byte of the places, by its
// low four bits, or 0 where its highest bit is set. The table is sixteen such
// rows. For row r the bytes are turned into places in it: b xor 16 r is less
// than 16 just for the bytes of this row, and a saturating addition of 0x70
// sets the highest bit of all others. The rows' results, all but one of them 0,
// are joined.
//
//     b = 0x35:  row 2: 0x35 ^ 0x20 = 0x15, + 0x70 = 0x85 -> 0
//                row 3: 0x35 ^ 0x30 = 0x05, + 0x70 = 0x75 -> entry 5 of the row
//
// AArch64's tbl gives 0 for every place beyond the row, without the addition.
//
// With AVX2 the rows but the first of each half are kept as their differences
// (xor) from the one before. A byte less 16 r has its highest bit set just
// where it is below row r, so the places of a row are one subtraction, and the
// differences up to the byte's own row add up to this row. Both halves of the
// table have the same places, and the highest bit of the byte chooses.
//
//     b = 0x25:  rows 0, 1, 2: d0[5] ^ d1[5] ^ d2[5] = row 2, entry 5
//                row 3: 0x25 - 0x30 = 0xf5 -> 0, and so all that follow
//
// Cost: 64 instructions for a vector of 64 bytes, 39 for one of 32 with AVX2,
// 48 of AArch64's 16. With AVX-512 VBMI a permutation of two registers looks up
// 128 entries by the low seven bits, and the highest bit chooses between the
// halves of the table: 3 instructions.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/ByteLookup.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static constexpr int64_t kRow = 16;

int64_t ByteLookup::lanesOf(Tier tier) {
  switch (tier) {
  case Tier::Avx2:
  case Tier::AvxVnni:
    return 32;
  case Tier::Neon:
  case Tier::I8mm:
    return 16;
  case Tier::Avx512:
  case Tier::Amx:
    return 64;
  default:
    return 0;
  }
}

static bool hasPermutations(Tier tier) { return tier == Tier::Amx; }

/// Rows are kept as differences from the one before.
static bool hasDifferences(Tier tier) {
  return tier == Tier::Avx2 || tier == Tier::AvxVnni;
}

static constexpr size_t kHalf = 8; ///< rows of half a table

ByteLookup::ByteLookup(KernelBuilder &kernel, Value table)
    : k(kernel), lanes(lanesOf(kernel.tier)) {
  if (hasPermutations(k.tier)) {
    auto type = VectorType::get({lanes}, k.i8());
    for (int64_t first = 0; first < 256; first += lanes)
      rows.push_back(vector::LoadOp::create(k.b, type, table, k.index(first)));
    return;
  }
  SmallVector<int64_t> repeated;
  for (int64_t lane = 0; lane < lanes; ++lane)
    repeated.push_back(lane % kRow);
  for (int64_t row = 0; row < kRow; ++row) {
    Value entries =
        vector::LoadOp::create(k.b, VectorType::get({kRow}, k.i8()), table,
                               ValueRange{k.index(row * kRow)});
    rows.push_back(vector::ShuffleOp::create(k.b, entries, entries, repeated));
  }
  if (hasDifferences(k.tier))
    for (size_t row = rows.size(); --row > 0;)
      if (row % kHalf)
        rows[row] = arith::XOrIOp::create(k.b, rows[row], rows[row - 1]);
}

Value ByteLookup::spread(int64_t byte) const {
  auto type = VectorType::get({lanes}, k.i8());
  auto value = k.b.getI8IntegerAttr(static_cast<int8_t>(byte));
  return arith::ConstantOp::create(k.b, DenseElementsAttr::get(type, value));
}

static Value call(KernelBuilder &k, StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(k.b, operands[0].getType(),
                                       k.b.getStringAttr(name), operands)
      .getResult(0);
}

Value ByteLookup::pick(Value row, Value places) const {
  if (lanes == kRow)
    return call(k, "llvm.aarch64.neon.tbl1", {row, places});
  StringRef shuffle =
      lanes == 64 ? "llvm.x86.avx512.pshuf.b.512" : "llvm.x86.avx2.pshuf.b";
  return call(k, shuffle, {row, places});
}

Value ByteLookup::permute(Value bytes) const {
  auto half = [&](size_t first) {
    return call(k, "llvm.x86.avx512.vpermi2var.qi.512",
                {rows[first], bytes, rows[first + 1]});
  };
  Value isUpper =
      arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, bytes, spread(0));
  return arith::SelectOp::create(k.b, isUpper, half(2), half(0));
}

Value ByteLookup::addDifferences(Value bytes) const {
  Value low = arith::AndIOp::create(k.b, bytes, spread(0x7f));
  std::array<Value, 2> halves;
  for (size_t row = 0; row < rows.size(); ++row) {
    Value begin = spread(static_cast<int64_t>(row % kHalf) * kRow);
    Value entries =
        pick(rows[row], arith::SubIOp::create(k.b, low, begin).getResult());
    Value &half = halves[row / kHalf];
    half = half ? arith::XOrIOp::create(k.b, half, entries) : entries;
  }
  Value isUpper =
      arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, bytes, spread(0));
  return arith::SelectOp::create(k.b, isUpper, halves[1], halves[0]);
}

Value ByteLookup::apply(Value bytes) const {
  if (hasPermutations(k.tier))
    return permute(bytes);
  if (hasDifferences(k.tier))
    return addDifferences(bytes);
  Value most = spread(0x70), result;
  for (auto [r, row] : llvm::enumerate(rows)) {
    Value own = arith::XOrIOp::create(k.b, bytes,
                                      spread(static_cast<int64_t>(r) * kRow));
    bool isZeroBeyond = lanes == kRow; // the row, without a highest bit
    Value places = isZeroBeyond ? own : call(k, "llvm.uadd.sat", {own, most});
    Value entries = pick(row, places);
    result = result ? arith::OrIOp::create(k.b, result, entries) : entries;
  }
  return result;
}
