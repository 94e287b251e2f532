//===- CodeTables.cpp - operators on codes by tables ----------------------===//

#include "tally/cpu/Requantize.h"
#include "tally/cpu/lower/CodeLookup.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Contract.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

tally::Diagnostic tally::cpu::atNode(KernelBuilder &k,
                                     tally::Diagnostic failure) {
  failure.node = nn::nodeName(k.op);
  return failure;
}

Value tally::cpu::tableIndex(KernelBuilder &k, Value code,
                             tally::quant::CodeType type) {
  Value wide = arith::ExtUIOp::create(k.b, k.i32(), code);
  // In memory a code below 8 (or 16) bits is extended by its sign.
  if (type.bits < static_cast<int32_t>(code.getType().getIntOrFloatBitWidth()))
    wide = arith::AndIOp::create(
        k.b, wide, k.integer(k.i32(), (int64_t(1) << type.bits) - 1));
  return k.toIndex(wide, /*isSigned=*/false);
}

Value tally::cpu::codeTable(KernelBuilder &k, llvm::ArrayRef<int32_t> codes,
                            eval::Element element) {
  eval::Tensor tensor;
  tensor.shape = {static_cast<int64_t>(codes.size())};
  tensor.element = element;
  tensor.allocate();
  for (auto [i, code] : llvm::enumerate(codes))
    eval::storeInt(tensor, i, code);
  return k.constant(tensor);
}

Result<tally::quant::UnaryTable>
tally::cpu::gridTable(KernelBuilder &k,
                      const tally::quant::UnaryFunction &function,
                      llvm::StringRef name, const eval::Tensor &in,
                      const eval::Tensor &out, tally::quant::Profile profile) {
  for (const eval::Tensor &codes : {in, out})
    if (Status status = checkCodeBits(k, *codes.quant); !status)
      return status.takeError();
  auto block = tally::quant::deriveBlock(
      function, quantGrid(*in.quant), quantGrid(*out.quant),
      nn::findContract(name)->blockKinds(), profile);
  if (!block)
    return atNode(k, block.takeError());
  tally::quant::UnaryTable table = tally::quant::tableOf(*block);
  for (int32_t &code : table.codes)
    code = static_cast<int32_t>(
        std::clamp<int64_t>(code, out.quant->qmin, out.quant->qmax));
  return table;
}

/// The codes between which `table` keeps every code, when all it does is to
/// clamp codes of one type.
static std::optional<std::pair<int64_t, int64_t>>
clampOf(const tally::quant::UnaryTable &table) {
  if (table.input != table.result)
    return std::nullopt;
  int64_t first = table.input.min(), last = table.input.max();
  int64_t low = table.lookup(first), high = table.lookup(last);
  if (low > high)
    return std::nullopt;
  for (int64_t code = first; code <= last; ++code)
    if (table.lookup(code) != std::clamp(code, low, high))
      return std::nullopt;
  return std::pair(low, high);
}

/// Memory keeps codes extended by their sign, so they compare as what they are.
static ElementCode clampCode(KernelBuilder &k, int64_t low, int64_t high,
                             bool isSigned) {
  ElementCode code = [&k, low, high,
                      isSigned](const ElementInputs &x) -> Value {
    Value code = x[0];
    Value least = k.integer(code.getType(), low);
    Value most = k.integer(code.getType(), high);
    if (isSigned)
      return arith::MinSIOp::create(
          k.b, arith::MaxSIOp::create(k.b, code, least), most);
    return arith::MinUIOp::create(k.b, arith::MaxUIOp::create(k.b, code, least),
                                  most);
  };
  return std::move(code).onLanes();
}

Result<ElementCode>
tally::cpu::tableCode(KernelBuilder &k,
                      const tally::quant::UnaryFunction &function) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  bool hasForm = k.profile == eval::Profile::OnnxRuntime &&
                 tally::quant::hasOnnxRuntimeTable(function.kind);
  auto table = gridTable(k, function, k.op->getName().stripDialect(), in, out,
                         hasForm ? tally::quant::Profile::OnnxRuntime
                                 : tally::quant::Profile::Ideal);
  if (!table)
    return table.takeError();
  if (auto bounds = clampOf(*table))
    return clampCode(k, bounds->first, bounds->second, table->input.isSigned);
  Value codes = codeTable(k, table->codes, out.element);
  CodeLookup lookup(k, codes, table->input);
  return ElementCode([&k, lookup](const ElementInputs &x) {
           return lookup.apply(k, x[0]);
         })
      .onLanes(lookup.takesLanes());
}

Result<ElementCode> tally::cpu::choiceCode(KernelBuilder &k, bool greater) {
  eval::Tensor out = k.resultInfo();
  auto changeA = GridChange::make(k, k.operandInfo(0), out);
  if (!changeA)
    return changeA.takeError();
  auto changeB = GridChange::make(k, k.operandInfo(1), out);
  if (!changeB)
    return changeB.takeError();
  bool isSigned = eval::isSigned(out.element);
  bool takesLanes = changeA->takesLanes() && changeB->takesLanes();
  ElementCode code = [=, &k, changeA = *changeA,
                      changeB = *changeB](const ElementInputs &x) -> Value {
    Value a = changeA.apply(k, x[0]), b = changeB.apply(k, x[1]);
    if (isSigned)
      return greater ? Value(arith::MaxSIOp::create(k.b, a, b))
                     : Value(arith::MinSIOp::create(k.b, a, b));
    return greater ? Value(arith::MaxUIOp::create(k.b, a, b))
                   : Value(arith::MinUIOp::create(k.b, a, b));
  };
  return std::move(code).onLanes(takesLanes);
}
