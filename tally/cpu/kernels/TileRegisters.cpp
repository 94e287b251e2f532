//===- TileRegisters.cpp - instructions on tile registers -----------------===//

#include "tally/cpu/kernels/TileRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::hasTiles(Tier tier) { return tier == Tier::Amx; }

Value tally::cpu::addressOf(KernelBuilder &k, Value memref) {
  Value index = memref::ExtractAlignedPointerAsIndexOp::create(k.b, memref);
  return arith::IndexCastOp::create(k.b, k.i64(), index);
}

Value tally::cpu::addressAt(KernelBuilder &k, Value address, Value bytes) {
  Value more = arith::IndexCastOp::create(k.b, k.i64(), bytes);
  return arith::AddIOp::create(k.b, address, more);
}

static Value pointer(KernelBuilder &k, Value address) {
  auto type = LLVM::LLVMPointerType::get(k.b.getContext());
  return LLVM::IntToPtrOp::create(k.b, type, address);
}

static Value tileCall(KernelBuilder &k, StringRef name, ValueRange operands) {
  auto type = LLVM::LLVMX86AMXType::get(k.b.getContext());
  return LLVM::CallIntrinsicOp::create(k.b, type, k.b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

static Value size(KernelBuilder &k, int64_t value) {
  return k.integer(k.i16(), value);
}

Value tally::cpu::zeroTile(KernelBuilder &k, TileShape shape) {
  return tileCall(k, "llvm.x86.tilezero.internal",
                  {size(k, shape.rows), size(k, shape.bytes)});
}

Value tally::cpu::loadTile(KernelBuilder &k, TileShape shape, TilePlace place,
                           bool once) {
  StringRef name = once ? "llvm.x86.tileloaddt164.internal"
                        : "llvm.x86.tileloadd64.internal";
  return tileCall(k, name,
                  {size(k, shape.rows), size(k, shape.bytes),
                   pointer(k, place.address), place.pitch});
}

void tally::cpu::storeTile(KernelBuilder &k, TileShape shape, TilePlace place,
                           Value tile) {
  LLVM::CallIntrinsicOp::create(
      k.b, k.b.getStringAttr("llvm.x86.tilestored64.internal"),
      ValueRange{size(k, shape.rows), size(k, shape.bytes),
                 pointer(k, place.address), place.pitch, tile});
}

Value tally::cpu::multiplyTiles(KernelBuilder &k, int64_t rows, int64_t terms,
                                Value sums, Value left, Value right,
                                TileProductSigns areSigned) {
  std::string name = std::string("llvm.x86.tdpb") +
                     (areSigned.left ? "s" : "u") +
                     (areSigned.right ? "s" : "u") + "d.internal";
  return tileCall(
      k, name,
      {size(k, rows), size(k, kTileBytes), size(k, terms), sums, left, right});
}
