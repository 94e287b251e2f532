//===- KernelLanes.cpp - vectors of results go through the epilogue -------===//
//
// A vector passes the stages as it is, up to the first that takes shorter
// vectors or single elements only. From there on its parts go one after the
// other, by way of memory: a loop keeps the code of long stages small.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/LaneCodes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tally::cpu;

void KernelBuilder::storeLanes(Value lanes, Value element, int64_t lanesUsed,
                               int64_t span) {
  storeFrom(0, lanes, element, lanesUsed, span);
}

int64_t KernelBuilder::epilogueSpan(int64_t span, int64_t least) const {
  for (const ElementStage &stage : epilogue) {
    bool narrows = span % stage.span == 0 && stage.span >= least;
    if (stage.mostLanes == 0 || (!stage.takesLanesIn(span) && !narrows))
      break;
    span = std::min(span, stage.span);
  }
  return span;
}

void KernelBuilder::storeFrom(size_t stage, Value lanes, Value element,
                              int64_t lanesUsed, int64_t span) {
  llvm::SaveAndRestore<int64_t> scope(count, lanesUsed);
  for (; stage < epilogue.size(); ++stage) {
    const ElementStage &next = epilogue[stage];
    if (!next.takesLanesIn(span))
      return storeEach(stage, lanes, element, lanesUsed);
    if (lanesOf(lanes) > next.mostLanes)
      return storePieces(stage, lanes, element, lanesUsed, span);
    lanes = next(lanes, element);
  }
  storeEverywhere([&](Value memref) { storeVector(lanes, memref, element); });
}

/// The lanes in memory of the kernel's own.
static Value inMemory(KernelBuilder &k, Value lanes) {
  auto type = cast<VectorType>(lanes.getType());
  Value memory = k.scratch(type.getShape(), type.getElementType());
  vector::StoreOp::create(k.b, lanes, memory, k.index(0));
  return memory;
}

void KernelBuilder::storePieces(size_t stage, Value lanes, Value element,
                                int64_t lanesUsed, int64_t span) {
  int64_t width = epilogue[stage].mostLanes;
  auto type = VectorType::get(
      {width}, cast<VectorType>(lanes.getType()).getElementType());
  Value memory = inMemory(*this, lanes);
  auto piece = [&](Value first, int64_t used) {
    Value part = vector::LoadOp::create(b, type, memory, first);
    storeFrom(stage, part, addIndex(element, first), used, span);
  };
  if (int64_t full = lanesUsed / width)
    loop(full, [&](Value i) { piece(mulIndex(i, width), width); });
  if (int64_t rest = lanesUsed % width)
    piece(index(lanesUsed - rest), rest);
}

void KernelBuilder::storeEach(size_t stage, Value lanes, Value element,
                              int64_t lanesUsed) {
  Value memory = inMemory(*this, lanes);
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

/// AVX2 has no masks for bytes, of which LLVM makes one access for each.
static bool hasMasksOf(Tier tier, Type element) {
  bool isAvx2 = tier == Tier::Avx2 || tier == Tier::AvxVnni;
  return !isAvx2 || element.getIntOrFloatBitWidth() >= 32;
}

/// Calls body(first, size) for vectors of 8, 4, 2 and 1 lanes, say, that make
/// `count` together.
static void forEachPower(int64_t count,
                         llvm::function_ref<void(int64_t, int64_t)> body) {
  for (int64_t first = 0, size = 0; first < count; first += size) {
    size = static_cast<int64_t>(llvm::bit_floor<uint64_t>(count - first));
    body(first, size);
  }
}

/// Stores lanes [0, count) without a mask.
static void storePowers(KernelBuilder &k, Value lanes, int64_t count,
                        Value memref, Value element) {
  forEachPower(count, [&](int64_t first, int64_t size) {
    Value at = k.addIndex(element, k.index(first));
    if (size == 1)
      return k.store(vector::ExtractOp::create(k.b, lanes, first), memref, at);
    auto own = llvm::to_vector(llvm::seq(first, first + size));
    vector::StoreOp::create(
        k.b, vector::ShuffleOp::create(k.b, lanes, lanes, own), memref, at);
  });
}

/// A vector whose lanes [0, count) are loaded without a mask, the others 0.
static Value loadPowers(KernelBuilder &k, VectorType type, int64_t count,
                        Value memref, Value element) {
  int64_t all = type.getNumElements();
  Value lanes = arith::ConstantOp::create(k.b, k.b.getZeroAttr(type));
  forEachPower(count, [&](int64_t first, int64_t size) {
    auto own = VectorType::get({size}, type.getElementType());
    Value part = vector::LoadOp::create(k.b, own, memref,
                                        k.addIndex(element, k.index(first)));
    SmallVector<int64_t> places(all, vector::ShuffleOp::kPoisonIndex), chosen;
    for (int64_t lane = 0; lane < all; ++lane) {
      bool isOwn = lane >= first && lane < first + size;
      if (isOwn)
        places[lane] = lane - first;
      chosen.push_back(isOwn ? all + lane : lane);
    }
    part = vector::ShuffleOp::create(k.b, part, part, places);
    lanes = vector::ShuffleOp::create(k.b, lanes, part, chosen);
  });
  return lanes;
}

void KernelBuilder::storeVector(Value lanes, Value memref, Value element) {
  auto type = cast<VectorType>(lanes.getType());
  int64_t all = type.getNumElements();
  if (count == all) {
    vector::StoreOp::create(b, lanes, memref, element);
    return;
  }
  if (!hasMasksOf(tier, type.getElementType()))
    return storePowers(*this, lanes, count, memref, element);
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
  if (!hasMasksOf(tier, type.getElementType()))
    return loadPowers(*this, type, count, memref, element);
  Value mask = firstLanes(b, b.getLoc(), count, lanes);
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, memref, element, mask, zeros);
}
