//===- Lookup.cpp - CPU code of tables of codes ---------------------------===//

#include "tally/ops/Lookup.h"
#include "tally/cpu/lower/CodeLookup.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Lowerings.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {
struct LookupLowering : ElementwiseModel<LookupLowering, nn::LookupOp> {
  static Result<ElementCode> code(nn::LookupOp op, KernelBuilder &k) {
    SmallVector<int32_t> entries(op.getTable());
    CodeLookup lookup(k, codeTable(k, entries, eval::Element::I8),
                      quantGrid(*k.operandInfo(0).quant).type);
    return ElementCode([&k, lookup](const ElementInputs &x) {
             return lookup.apply(k, x[0]);
           })
        .onLanes(lookup.takesLanes());
  }
};
} // namespace

void tally::cpu::registerLookupLowering(MLIRContext &context) {
  nn::LookupOp::attachInterface<LookupLowering>(context);
}
