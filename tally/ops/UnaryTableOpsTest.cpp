//===- UnaryTableOpsTest.cpp - table operators against quant's tables -----===//
//
// Every table operator is evaluated on all codes of a grid and compared with
// the table that quant/ builds for the function the operator names: two
// independent decisions of the same exact rounding, and a check that the
// operator's attributes arrive in the function's parameters.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Evaluator.h"
#include "tally/ops/Ops.h"
#include "tally/ops/TableCasesForTests.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tally;

namespace {

using Grid = tally::quant::Grid;

/// Grids whose scales are dyadic, where ties are frequent, and not, with zero
/// points at both ends and between.
std::vector<Grid> grids() {
  std::vector<Grid> result;
  for (auto type : {tally::quant::i8, tally::quant::u8})
    for (float scale : {0.0078125f, 0.05f, 1.0f, 4096.0f, 1e-20f, 3e38f})
      for (int64_t zeroPoint : {type.min(), type.min() + 101, type.max()})
        result.push_back(
            Grid::perTensor(type, scale, static_cast<int32_t>(zeroPoint)));
  return result;
}

nn::QuantizedType typeOf(MLIRContext *context, const Grid &grid) {
  eval::Quantization quantization;
  quantization.qmin = grid.type.min();
  quantization.qmax = grid.type.max();
  quantization.scales = grid.scales;
  quantization.zeroPoints.assign(grid.zeroPoints.begin(),
                                 grid.zeroPoints.end());
  return nn::quantizedType(context, quantization);
}

std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream os(result);
  type.print(os);
  return result;
}

class UnaryTableOps : public testing::TestWithParam<TableCase> {
protected:
  UnaryTableOps() { context.loadDialect<nn::NnDialect, func::FuncDialect>(); }

  /// The case's operator between two grids; lives in `module`.
  Operation *make(const Grid &in, const Grid &out) {
    auto tensor = [&](const Grid &grid) {
      return text(
          RankedTensorType::get({in.type.count()}, typeOf(&context, grid)));
    };
    bool isPow = GetParam().exponent.has_value();
    std::string source = "func.func @f(%x: " + tensor(in) +
                         ", %y: tensor<f32>) { %0 = nn." + GetParam().op +
                         (isPow ? " %x, %y " : " %x ") + GetParam().attributes +
                         " : (" + tensor(in) + (isPow ? ", tensor<f32>" : "") +
                         ") -> " + tensor(out) + " return }";
    module = parseSourceString<ModuleOp>(source, &context);
    if (!module)
      return nullptr;
    auto function = *module->getOps<func::FuncOp>().begin();
    return &function.getBody().front().front();
  }

  /// All codes in the order of their raw bits.
  static eval::Tensor allCodes(Operation *op, const Grid &grid) {
    eval::Tensor tensor =
        nn::describe(cast<RankedTensorType>(op->getOperand(0).getType()));
    tensor.allocate();
    for (int64_t raw = 0; raw < grid.type.count(); ++raw)
      eval::storeInt(tensor, raw,
                     grid.type.fromRawBits(static_cast<uint32_t>(raw)));
    return tensor;
  }

  void compare(const Grid &in, const Grid &out, eval::Profile profile,
               tally::quant::Profile quantProfile) {
    Operation *op = make(in, out);
    ASSERT_TRUE(op);
    auto exponent = GetParam().exponent;
    auto function =
        exponent ? tally::quant::UnaryFunction{tally::quant::UnaryKind::Pow,
                                               *exponent}
                 : cast<nn::TableOperator>(op).unaryFunction();
    auto table = tally::quant::buildUnaryTable(function, in, out, quantProfile);
    ASSERT_TRUE(table) << table.error().str();
    eval::Tensor codes = allCodes(op, in);
    eval::Tensor power;
    power.allocate();
    power.data<float>()[0] = exponent.value_or(0);
    auto results = eval::evaluateOperation(op, {&codes, &power}, profile);
    ASSERT_TRUE(results) << results.error().str();
    for (int64_t i = 0; i < codes.count(); ++i)
      ASSERT_EQ(eval::loadInt((*results)[0], i),
                table->lookup(eval::loadInt(codes, i)))
          << "code " << eval::loadInt(codes, i) << " of "
          << text(op->getOperand(0).getType()) << " to "
          << text(op->getResult(0).getType());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_P(UnaryTableOps, AgreeOnAllCodes) {
  for (const Grid &in : grids())
    for (const Grid &out : {Grid::perTensor(tally::quant::i8, 0.0078125f, 0),
                            Grid::perTensor(tally::quant::u8, 0.04f, 77),
                            Grid::perTensor(tally::quant::i8, 2.0f, -128),
                            Grid::perTensor(tally::quant::i16, 1e-4f, 5)})
      compare(in, out, eval::Profile::Ideal, tally::quant::Profile::Ideal);
}

std::string caseName(const testing::TestParamInfo<TableCase> &info) {
  return std::string(info.param.op) + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(All, UnaryTableOps, testing::ValuesIn(kTableCases),
                         caseName);

/// The operators for which onnxruntime has a table of its own.
class RuntimeTableOps : public UnaryTableOps {};

TEST_P(RuntimeTableOps, AgreeOnAllCodes) {
  for (const Grid &in : grids())
    for (const Grid &out : {Grid::perTensor(tally::quant::u8, 0.00390625f, 0),
                            Grid::perTensor(tally::quant::i8, 0.04f, 77)})
      compare(in, out, eval::Profile::OnnxRuntime,
              tally::quant::Profile::OnnxRuntime);
}

constexpr TableCase kRuntimeCases[] = {
    {"leaky_relu", "{alpha = 0.01 : f32}"},
    {"leaky_relu", "{alpha = 2.1 : f32}"},
    {"sigmoid", ""},
};
INSTANTIATE_TEST_SUITE_P(All, RuntimeTableOps, testing::ValuesIn(kRuntimeCases),
                         caseName);

/// A new table operator must be added to the cases.
TEST(UnaryTableOpsList, IsComplete) {
  MLIRContext context;
  context.loadDialect<nn::NnDialect>();
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!name.hasInterface<nn::TableOperator>())
      continue;
    StringRef op = name.stripDialect();
    EXPECT_TRUE(llvm::any_of(kTableCases, [&](const TableCase &c) {
      return op == c.op;
    })) << op.str();
  }
}

} // namespace
