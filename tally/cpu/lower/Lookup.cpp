//===- Lookup.cpp - CPU code of tables of codes ---------------------------===//

#include "tally/ops/Lookup.h"
#include "tally/cpu/kernels/ByteLookup.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Lowerings.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Result elements [0, count) in whole vectors; `count` is rounded down.
static int64_t lookUpVectors(KernelBuilder &k, Value table, int64_t count) {
  int64_t lanes = ByteLookup::lanesOf(k.tier);
  if (!lanes || count < lanes)
    return 0;
  ByteLookup lookup(k, table);
  Value input = k.flatOperand(0), output = k.flatResult();
  auto type = VectorType::get({lanes}, k.i8());
  k.parallelLoop(count / lanes, [&](Value block) {
    Value at = k.mulIndex(block, lanes);
    Value codes = vector::LoadOp::create(k.b, type, input, at);
    vector::StoreOp::create(k.b, lookup.apply(codes), output, at);
  });
  return count / lanes * lanes;
}

namespace {
struct LookupLowering
    : CpuLowering::ExternalModel<LookupLowering, nn::LookupOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    SmallVector<int32_t> entries(cast<nn::LookupOp>(operation).getTable());
    Value table = codeTable(k, entries, eval::Element::I8);
    int64_t count = k.resultInfo().count();
    int64_t done = lookUpVectors(k, table, count);
    Value input = k.flatOperand(0), output = k.flatResult();
    k.loop(count - done, [&](Value i) {
      Value at = k.addIndex(i, k.index(done));
      Value code = arith::ExtUIOp::create(k.b, k.i32(), k.load(input, at));
      k.store(k.load(table, k.toIndex(code, /*isSigned=*/false)), output, at);
    });
    return Status::success();
  }

  Orders orders(Operation *) const { return Orders::Either; }
};
} // namespace

void tally::cpu::registerLookupLowering(MLIRContext &context) {
  nn::LookupOp::attachInterface<LookupLowering>(context);
}
