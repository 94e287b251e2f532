//===- CodeTables.cpp - operators on codes by tables ----------------------===//

#include "tally/cpu/Requantize.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/graph/Locations.h"

#include <map>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

tally::quant::Grid tally::cpu::quantGrid(const eval::Quantization &grid) {
  return tally::quant::Grid::perTensor(codeType(grid), grid.scale(),
                                       static_cast<int32_t>(grid.zeroPoint()));
}

tally::Diagnostic tally::cpu::atNode(KernelBuilder &k,
                                     tally::Diagnostic failure) {
  failure.node = nn::nodeName(k.op);
  return failure;
}

Value tally::cpu::tableIndex(KernelBuilder &k, Value code,
                             tally::quant::CodeType type) {
  Value wide = arith::ExtUIOp::create(k.b, k.i32(), code);
  if (type.bits < 8)
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

Status tally::cpu::lowerTable(KernelBuilder &k,
                              const tally::quant::UnaryFunction &function) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  for (const eval::Tensor &codes : {in, out})
    if (Status status = checkCodeBits(k, *codes.quant); !status)
      return status;
  bool hasForm = k.profile == eval::Profile::OnnxRuntime &&
                 tally::quant::hasOnnxRuntimeTable(function.kind);
  auto table = tally::quant::buildUnaryTable(
      function, quantGrid(*in.quant), quantGrid(*out.quant),
      hasForm ? tally::quant::Profile::OnnxRuntime
              : tally::quant::Profile::Ideal);
  if (!table)
    return atNode(k, table.takeError());
  Value codes = codeTable(k, table->codes, out.element);
  lowerUnary(k, [&](Value code) {
    return k.load(codes, tableIndex(k, code, table->input));
  });
  return Status::success();
}

Status tally::cpu::lowerCodeChoice(KernelBuilder &k, bool greater) {
  eval::Tensor out = k.resultInfo();
  auto changeA = GridChange::make(k, k.operandInfo(0), out);
  if (!changeA)
    return changeA.takeError();
  auto changeB = GridChange::make(k, k.operandInfo(1), out);
  if (!changeB)
    return changeB.takeError();
  bool isSigned = eval::isSigned(out.element);
  lowerBinary(k, [&](Value x, Value y) -> Value {
    Value a = changeA->apply(k, x), b = changeB->apply(k, y);
    if (isSigned)
      return greater ? Value(arith::MaxSIOp::create(k.b, a, b))
                     : Value(arith::MinSIOp::create(k.b, a, b));
    return greater ? Value(arith::MaxUIOp::create(k.b, a, b))
                   : Value(arith::MinUIOp::create(k.b, a, b));
  });
  return Status::success();
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

/// The table of one slope: IDEAL of each code's steps times the slope.
static void appendTable(std::vector<int32_t> &codes, const Slope &slope,
                        const tally::quant::Grid &in,
                        const tally::quant::Grid &out) {
  tally::quant::RequantizeProblem identity;
  identity.inputScale = in.scale();
  identity.outputScale = out.scale();
  identity.result = out.type;
  identity.zeroPoint = out.zeroPoint();
  tally::quant::RequantizeProblem product = identity;
  product.weightScale = slope.unit;
  for (int64_t raw = 0; raw < in.type.count(); ++raw) {
    int64_t steps =
        in.type.fromRawBits(static_cast<uint32_t>(raw)) - in.zeroPoint();
    codes.push_back(steps < 0 ? applyIdeal(product, steps * slope.steps)
                              : applyIdeal(identity, steps));
  }
}

/// Rows of a table per distinct slope, and the row of each slope element.
struct SlopeTables {
  std::vector<int32_t> rows, codes;
};

static SlopeTables slopeTables(const eval::Tensor &slope,
                               const tally::quant::Grid &in,
                               const tally::quant::Grid &out) {
  SlopeTables result;
  std::map<Slope, int32_t> known;
  for (int64_t i = 0, e = slope.count(); i < e; ++i) {
    auto [entry, isNew] = known.try_emplace(slopeAt(slope, i),
                                            static_cast<int32_t>(known.size()));
    if (isNew)
      appendTable(result.codes, entry->first, in, out);
    result.rows.push_back(entry->second);
  }
  return result;
}

Status tally::cpu::lowerPReluCodes(KernelBuilder &k) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  auto slope = k.constantOperand(1);
  if (!slope)
    return k.unsupported("a slope that is not constant");
  tally::quant::Grid inGrid = quantGrid(*in.quant);
  if (slope->count() * inGrid.type.count() > kMaxTableEntries)
    return k.unsupported("so many slopes on 16-bit codes");
  SlopeTables tables = slopeTables(*slope, inGrid, quantGrid(*out.quant));
  Value rows = k.constant<int32_t>(tables.rows);
  Value codes = codeTable(k, tables.codes, out.element);
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  forEachBroadcast(
      k, out.shape, {in.shape, slope->shape}, [&](Value i, ValueRange at) {
        Value row = k.toIndex(k.load(rows, at[1]), false);
        Value column = tableIndex(k, k.load(input, at[0]), inGrid.type);
        Value entry = k.addIndex(k.mulIndex(row, inGrid.type.count()), column);
        k.store(k.load(codes, entry), output, i);
      });
  return Status::success();
}
