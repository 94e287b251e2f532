//===- ContractSpecialsTest.cpp - special values as contracts state them --===//
//
// Every row of every contract on every element type that has its values:
// evaluated, and compared down to the sign of zero.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Evaluator.h"
#include "tally/ops/Contract.h"
#include "tally/ops/Ops.h"
#include "tally/ops/SpecialWordsForTests.h"
#include "tally/ops/TableCasesForTests.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tally;
using nn::Contract;
using nn::SpecialValue;

namespace {

/// Element types of a contract's kind, as the IR writes them.
std::vector<std::string> typesOf(std::string_view kind) {
  static const std::map<std::string_view, std::vector<std::string>> types = {
      {"float", {"f32", "f16", "bf16"}},
      {"double", {"f64"}},
      {"signed", {"i8", "i16", "i32", "i64"}},
      {"unsigned", {"ui8", "ui16", "ui32", "ui64"}},
      {"bool", {"i1"}},
      {"codes", {}}};
  return types.at(kind);
}

bool isReduction(const Contract &contract) {
  return contract.name.starts_with("reduce_");
}

/// Attributes for which the rows hold.
std::string attributesOf(const Contract &contract) {
  if (isReduction(contract))
    return "{axes = array<i64: 0>}";
  if (contract.name == "mod")
    return "{fmod = true}";
  if (contract.name == "bit_shift")
    return "{left = true}";
  if (contract.name == "is_inf")
    return "{negative = true, positive = true}";
  for (const TableCase &c : kTableCases)
    if (contract.name == c.op)
      return c.attributes;
  return "";
}

class ContractSpecials : public testing::TestWithParam<size_t> {
protected:
  ContractSpecials() {
    context.loadDialect<nn::NnDialect, func::FuncDialect>();
  }

  const Contract &contract() const { return nn::contracts()[GetParam()]; }

  /// The operator on operands of one element type; its only result has the
  /// same or is boolean. Null when neither is legal.
  Operation *make(const std::string &element, size_t count) {
    std::string operand = "tensor<" +
                          std::to_string(isReduction(contract()) ? count : 1) +
                          "x" + element + ">";
    size_t operands = isReduction(contract()) ? 1 : count;
    for (const std::string &result : {element, std::string("i1")}) {
      std::string values = operands == 1 ? "%x" : "%x, %y";
      std::string types = operands == 1 ? operand : operand + ", " + operand;
      std::string source = "func.func @f(%x: " + operand + ", %y: " + operand +
                           ") { %0 = nn." + std::string(contract().name) + " " +
                           values + " " + attributesOf(contract()) + " : (" +
                           types + ") -> tensor<1x" + result + "> return }";
      ScopedDiagnosticHandler quiet(
          &context, [](mlir::Diagnostic &) { return success(); });
      module = parseSourceString<ModuleOp>(source, &context);
      if (module)
        return &(*module->getOps<func::FuncOp>().begin())
                    .getBody()
                    .front()
                    .front();
    }
    return nullptr;
  }

  static eval::Element elementOf(Value value) {
    return nn::describe(cast<RankedTensorType>(value.getType())).element;
  }

  /// Whether the row has a meaning on this type and was tested.
  bool test(const SpecialValue &row, const std::string &element) {
    bool isFloat = element[0] == 'f' || element[0] == 'b';
    if (!row.on.empty() && isFloat != (row.on == "float"))
      return false;
    Operation *op = make(element, row.operands.size());
    if (!op) {
      ADD_FAILURE() << "nn." << contract().name << " does not take " << element;
      return false;
    }
    auto wanted = numberOf(row.result, elementOf(op->getResult(0)));
    std::vector<eval::Tensor> tensors;
    for (Value operand : op->getOperands()) {
      tensors.push_back(
          nn::describe(cast<RankedTensorType>(operand.getType())));
      tensors.back().allocate();
    }
    bool isOneTensor = isReduction(contract());
    for (auto [i, word] : llvm::enumerate(row.operands)) {
      auto number = numberOf(word, elementOf(op->getOperand(0)));
      if (!number || !wanted)
        return false;
      store(tensors[isOneTensor ? 0 : i],
            isOneTensor ? static_cast<int64_t>(i) : 0, *number);
    }
    std::vector<const eval::Tensor *> inputs;
    for (const eval::Tensor &tensor : tensors)
      inputs.push_back(&tensor);
    auto results = eval::evaluateOperation(op, inputs);
    EXPECT_TRUE(results) << results.error().str();
    if (results)
      expectEqual((*results)[0], 0, *wanted);
    return true;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_P(ContractSpecials, HoldOnEveryElementType) {
  for (const SpecialValue &row : contract().specials) {
    SCOPED_TRACE("(" + llvm::join(row.operands, ", ") + ") -> " +
                 std::string(row.result));
    bool isTested = false;
    for (std::string_view kind : contract().kinds)
      for (const std::string &element : typesOf(kind)) {
        SCOPED_TRACE(element);
        isTested |= test(row, element);
      }
    EXPECT_TRUE(isTested) << "no element type has these values";
  }
}

std::vector<size_t> withSpecials() {
  std::vector<size_t> indices;
  for (auto [i, contract] : llvm::enumerate(nn::contracts()))
    if (!contract.specials.empty())
      indices.push_back(i);
  return indices;
}

std::string contractName(const testing::TestParamInfo<size_t> &info) {
  return std::string(nn::contracts()[info.param].name);
}
INSTANTIATE_TEST_SUITE_P(All, ContractSpecials,
                         testing::ValuesIn(withSpecials()), contractName);

} // namespace
