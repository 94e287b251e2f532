//===- CodeTables.cpp - operators on codes by tables ----------------------===//

#include "tally/cpu/Requantize.h"
#include "tally/cpu/lower/CodeLookup.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/QuantizedProduct.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Contract.h"

#include <algorithm>
#include <cmath>
#include <map>

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

//===----------------------------------------------------------------------===//
// PRelu
//===----------------------------------------------------------------------===//

/// 16-bit inputs have tables of 128 KB.
static constexpr int64_t kMaxTableEntries = 1 << 24;

/// A slope as an integer number of units, whose size is an fp32 number.
struct Slope {
  int64_t steps;
  float unit;
  auto operator<=>(const Slope &) const = default;
};

static Slope slopeAt(const eval::Tensor &slope, int64_t i) {
  if (!slope.isQuantized()) {
    auto value = static_cast<float>(eval::loadFloat(slope, i));
    return {value < 0 ? -1 : value > 0, value == 0 ? 1 : std::abs(value)};
  }
  int64_t channel = eval::AxisIndex(slope.shape, slope.quant->axis)(i);
  return {eval::loadInt(slope, i) - slope.quant->zeroPoint(channel),
          slope.quant->scale(channel)};
}

/// IDEAL of each code's steps times the slope.
static tally::quant::UnaryTable idealTable(const Slope &slope,
                                           const tally::quant::Grid &in,
                                           const tally::quant::Grid &out) {
  tally::quant::RequantizeProblem identity;
  identity.inputScale = in.scale();
  identity.outputScale = out.scale();
  identity.result = out.type;
  identity.zeroPoint = out.zeroPoint();
  tally::quant::RequantizeProblem product = identity;
  product.weightScale = slope.unit;
  tally::quant::UnaryTable table{in.type, out.type, {}};
  for (int64_t raw = 0; raw < in.type.count(); ++raw) {
    int64_t steps =
        in.type.fromRawBits(static_cast<uint32_t>(raw)) - in.zeroPoint();
    table.codes.push_back(steps < 0 ? applyIdeal(product, steps * slope.steps)
                                    : applyIdeal(identity, steps));
  }
  return table;
}

namespace {
/// A table per distinct slope, and the table of each slope element.
struct SlopeTables {
  std::vector<int32_t> rows;
  std::vector<Slope> slopes;
  std::vector<tally::quant::UnaryTable> tables;
};
} // namespace

static SlopeTables slopeTables(const eval::Tensor &slope,
                               const tally::quant::Grid &in,
                               const tally::quant::Grid &out) {
  SlopeTables result;
  std::map<Slope, int32_t> known;
  for (int64_t i = 0, e = slope.count(); i < e; ++i) {
    Slope value = slopeAt(slope, i);
    auto [entry, isNew] =
        known.try_emplace(value, static_cast<int32_t>(known.size()));
    if (isNew) {
      result.slopes.push_back(value);
      result.tables.push_back(idealTable(value, in, out));
    }
    result.rows.push_back(entry->second);
  }
  return result;
}

/// Replaces the tables by those of the two-slope block with a channel for each
/// slope, where its lines fit.
static Status takeFromBlock(SlopeTables &tables, const tally::quant::Grid &in,
                            const tally::quant::Grid &out) {
  std::vector<tally::quant::RealSlope> slopes;
  slopes.reserve(tables.slopes.size());
  for (const Slope &slope : tables.slopes)
    slopes.push_back({static_cast<float>(slope.steps), slope.unit});
  auto block = tally::quant::TwoSlopeBlock::derive(slopes, in, out);
  if (!block)
    return Status::success();
  for (auto [channel, table] : llvm::enumerate(tables.tables)) {
    if (Status status = verifyBlock(*block, table, channel); !status)
      return status;
    table = tableOf(*block, channel);
  }
  return Status::success();
}

/// All tables in a row, within the result's range.
static std::vector<int32_t> joined(const SlopeTables &tables,
                                   const eval::Quantization &out) {
  std::vector<int32_t> codes;
  for (const tally::quant::UnaryTable &table : tables.tables)
    for (int32_t code : table.codes)
      codes.push_back(
          static_cast<int32_t>(std::clamp<int64_t>(code, out.qmin, out.qmax)));
  return codes;
}

Result<ElementCode> tally::cpu::preluCode(KernelBuilder &k) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  auto slope = k.constantOperand(1);
  if (!slope)
    return k.unsupported("a slope that is not constant");
  if (Status status = checkFinite(k, *slope, "a slope"); !status)
    return status.takeError();
  for (const eval::Tensor &codes : {in, out})
    if (Status status = checkCodeBits(k, *codes.quant); !status)
      return status.takeError();
  tally::quant::Grid inGrid = quantGrid(*in.quant);
  if (slope->count() * inGrid.type.count() > kMaxTableEntries)
    return k.unsupported("so many slopes on 16-bit codes");
  tally::quant::Grid outGrid = quantGrid(*out.quant);
  SlopeTables tables = slopeTables(*slope, inGrid, outGrid);
  if (Status status = takeFromBlock(tables, inGrid, outGrid); !status)
    return atNode(k, status.takeError());
  Value rows = k.constant<int32_t>(tables.rows);
  Value codes = codeTable(k, joined(tables, *out.quant), out.element);
  tally::quant::CodeType type = inGrid.type;
  return ElementCode([=, &k, shape = slope->shape,
                      outShape = out.shape](const ElementInputs &x) {
    Value at = broadcastElement(k, shape, Order::Plain, outShape, x.element);
    Value row = k.toIndex(k.load(rows, at), false);
    Value column = tableIndex(k, x[0], type);
    return k.load(codes, k.addIndex(k.mulIndex(row, type.count()), column));
  });
}
