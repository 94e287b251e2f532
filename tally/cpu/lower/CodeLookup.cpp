//===- CodeLookup.cpp - codes through a table, one or many ----------------===//

#include "tally/cpu/lower/CodeLookup.h"
#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/lower/Elementwise.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::cpu;

CodeLookup::CodeLookup(KernelBuilder &k, Value table,
                       tally::quant::CodeType type)
    : table(table), type(type) {
  auto memory = cast<MemRefType>(table.getType());
  if (type.bits == 8 && memory.getElementTypeBitWidth() == 8 &&
      ByteLookup::lanesOf(k.tier))
    registers = std::make_shared<ByteLookup>(k, table);
}

Value CodeLookup::apply(KernelBuilder &k, Value codes) const {
  if (lanesOf(codes))
    return applyLanes(k, codes);
  return k.load(table, tableIndex(k, codes, type));
}

/// Lanes [first, first + count) of a vector, and any value where there are no
/// more: LLVM 22 never ends on lanes that repeat one in front of a shuffle of
/// 64 bytes whose other lanes nobody reads.
static Value slice(KernelBuilder &k, Value lanes, int64_t first,
                   int64_t count) {
  SmallVector<int64_t> places;
  for (int64_t lane = first; lane < first + count; ++lane)
    places.push_back(lane < lanesOf(lanes) ? lane
                                           : vector::ShuffleOp::kPoisonIndex);
  return vector::ShuffleOp::create(k.b, lanes, lanes, places);
}

/// In pieces of what a register holds: one, or two.
Value CodeLookup::applyLanes(KernelBuilder &k, Value codes) const {
  int64_t lanes = ByteLookup::lanesOf(k.tier), count = lanesOf(codes);
  Value low = registers->apply(slice(k, codes, 0, lanes));
  Value high = low;
  if (count > lanes)
    high = registers->apply(slice(k, codes, lanes, lanes));
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, count));
  return vector::ShuffleOp::create(k.b, low, high, all);
}
