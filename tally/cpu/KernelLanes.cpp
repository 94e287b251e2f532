//===- KernelLanes.cpp - vectors of results go through the epilogue -------===//
//
// A vector passes the stages as it is, up to the first that takes single
// elements only. From there on its lanes go one by one, by way of memory.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/KernelBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tally::cpu;

void KernelBuilder::storeLanes(Value lanes, Value element, int64_t lanesUsed) {
  llvm::SaveAndRestore<int64_t> scope(count, lanesUsed);
  for (auto [i, stage] : llvm::enumerate(epilogue)) {
    if (!stage.takesLanes)
      return storeEach(lanes, element, lanesUsed, i);
    lanes = stage(lanes, element);
  }
  storeEverywhere([&](Value memref) { storeVector(lanes, memref, element); });
}

void KernelBuilder::storeEach(Value lanes, Value element, int64_t lanesUsed,
                              size_t stage) {
  auto type = cast<VectorType>(lanes.getType());
  Value memory = scratch(type.getShape(), type.getElementType());
  vector::StoreOp::create(b, lanes, memory, index(0));
  loop(lanesUsed, [&](Value lane) {
    Value at = addIndex(element, lane), value = load(memory, lane);
    for (const ElementStage &next : llvm::drop_begin(epilogue, stage))
      value = next(value, at);
    storeEverywhere([&](Value memref) { store(value, memref, at); });
  });
}

void KernelBuilder::usingLanes(int64_t lanesUsed,
                               llvm::function_ref<void()> body) {
  llvm::SaveAndRestore<int64_t> scope(count, lanesUsed);
  body();
}

/// Lanes [0, count) of `lanes`.
static Value firstLanes(OpBuilder &b, Location loc, int64_t count,
                        int64_t lanes) {
  SmallVector<bool> bits;
  for (int64_t lane = 0; lane < lanes; ++lane)
    bits.push_back(lane < count);
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, bits));
}

/// LLVM 22 turns a masked store of one narrowed lane, a single one of those
/// that a register of wider numbers holds, into a store of the wide number,
/// which overwrites what follows. Such a lane is stored by itself. Registers
/// hold eight numbers of 64 bits, or a multiple.
static bool endsInSingleLane(int64_t count) {
  constexpr int64_t registerLanes = 8;
  return count % registerLanes == 1;
}

void KernelBuilder::storeVector(Value lanes, Value memref, Value element) {
  int64_t all = cast<VectorType>(lanes.getType()).getNumElements();
  if (count == all) {
    vector::StoreOp::create(b, lanes, memref, element);
    return;
  }
  int64_t masked = count - endsInSingleLane(count);
  if (masked) {
    Value mask = firstLanes(b, b.getLoc(), masked, all);
    vector::MaskedStoreOp::create(b, memref, element, mask, lanes);
  }
  if (masked != count)
    store(vector::ExtractOp::create(b, lanes, masked), memref,
          addIndex(element, index(masked)));
}

Value KernelBuilder::loadLanes(Value memref, Value element, int64_t lanes) {
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(memref.getType()).getElementType());
  if (!count || count == lanes)
    return vector::LoadOp::create(b, type, memref, element);
  Value mask = firstLanes(b, b.getLoc(), count, lanes);
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, memref, element, mask, zeros);
}
