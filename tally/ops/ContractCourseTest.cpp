//===- ContractCourseTest.cpp - table operators keep their contracts ------===//
//
// Every claim of a contract about a function of one real, on all codes of
// several grids: where it rises and falls, its range (kept, and reached), and
// what the fields of its parameter blocks are made of.
//
//===----------------------------------------------------------------------===//

#include "tally/ops/Contract.h"
#include "tally/ops/Lookup.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"
#include "tally/ops/TableCasesForTests.h"
#include "tally/quant/UnaryBlockBytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using nn::Contract;
using tally::quant::BlockKind;
using tally::quant::Grid;

namespace {

class ContractCourse : public testing::TestWithParam<TableCase> {
protected:
  ContractCourse() { context.loadDialect<nn::NnDialect, func::FuncDialect>(); }

  /// Reads function and parameters off an operation with the case's
  /// attributes.
  void SetUp() override {
    const std::string codes = "tensor<4x!quant.uniform<i8:f32, 0.5>>";
    std::string source = "func.func @f(%x: " + codes + ") { %0 = nn." +
                         GetParam().op + " %x " + GetParam().attributes +
                         " : (" + codes + ") -> " + codes + " return }";
    auto module = parseSourceString<ModuleOp>(source, &context);
    auto body = (*module->getOps<func::FuncOp>().begin()).getOps();
    auto op = cast<nn::TableOperator>(&*body.begin());
    function = op.unaryFunction();
    for (NamedAttribute attribute : op->getAttrs()) {
      std::string_view name = attribute.getName().getValue();
      if (auto number = dyn_cast<FloatAttr>(attribute.getValue()))
        parameters[name] = number.getValueAsDouble();
      if (auto truth = dyn_cast<BoolAttr>(attribute.getValue()))
        parameters[name] = truth.getValue();
    }
    contract = nn::findContract(GetParam().op);
    ASSERT_TRUE(contract);
  }

  tally::quant::UnaryTable tableOf(const nn::GridPair &grids) const {
    return *tally::quant::buildUnaryTable(function, grids.input, grids.result);
  }

  MLIRContext context;
  tally::quant::UnaryFunction function;
  nn::Parameters parameters;
  const Contract *contract = nullptr;
};

/// The same, for operators whose blocks have fields beside a table's entries.
class ContractFields : public ContractCourse {};

/// Grids around 0 and beside it, dyadic and not, and extreme ones.
std::vector<nn::GridPair> gridPairs() {
  std::vector<nn::GridPair> pairs;
  for (auto type : {tally::quant::i8, tally::quant::u8})
    for (float s1 : {0.0625f, 0.05f, 1.0f / 3, 1e-30f, 1e8f})
      for (float s2 : {0.0078125f, 0.05f, 2.0f})
        for (int64_t z : {type.min(), type.min() + 101, type.max()})
          pairs.push_back(
              {Grid::perTensor(type, s1, static_cast<int32_t>(z)),
               Grid::perTensor(tally::quant::i8, s2, z % 2 == 0 ? 0 : 7)});
  return pairs;
}

/// The piece that x lies in.
size_t pieceOf(const nn::Course &course, double x) {
  size_t piece = 0;
  while (piece < course.turns.size() && x >= course.turns[piece])
    ++piece;
  return piece;
}

/// Neighbouring codes of one piece go its way.
void expectCourse(const nn::Course &course,
                  const tally::quant::UnaryTable &table, const Grid &in) {
  auto piece = [&](int64_t q) {
    return pieceOf(course, double(in.scale()) * double(q - in.zeroPoint()));
  };
  for (int64_t q = in.type.min(); q < in.type.max(); ++q) {
    if (piece(q) != piece(q + 1))
      continue;
    int32_t here = table.lookup(q), next = table.lookup(q + 1);
    nn::Direction direction = course.pieces[piece(q)];
    ASSERT_FALSE(direction == nn::Direction::Up && next < here) << q;
    ASSERT_FALSE(direction == nn::Direction::Down && next > here) << q;
  }
}

TEST_P(ContractCourse, RisesFallsAndStaysInItsRange) {
  nn::Course course = contract->course(parameters);
  for (const nn::GridPair &grids : gridPairs()) {
    tally::quant::UnaryTable table = tableOf(grids);
    expectCourse(course, table, grids.input);
    auto [least, most] = std::ranges::minmax(table.codes);
    EXPECT_GE(least, grids.codeOf(course.low));
    EXPECT_LE(most, grids.codeOf(course.high));
  }
}

TEST_P(ContractCourse, ReachesItsRange) {
  // To +-16 in eighths and to +-1.3e6, in steps of 1/1000: within 0.02 of each
  // bound that there is.
  nn::Course course = contract->course(parameters);
  Grid out = Grid::perTensor(tally::quant::i16, 0.001f, 0);
  int32_t least = INT32_MAX, most = INT32_MIN;
  for (float scale : {0.125f, 1e4f}) {
    auto table = tableOf({Grid::perTensor(tally::quant::i8, scale, 0), out});
    auto [low, high] = std::ranges::minmax(table.codes);
    least = std::min(least, low);
    most = std::max(most, high);
  }
  nn::GridPair grids{out, out};
  if (std::isfinite(course.low))
    EXPECT_LE(least, grids.codeOf(course.low) + 20);
  if (std::isfinite(course.high))
    EXPECT_GE(most, grids.codeOf(course.high) - 20);
}

/// The integer that `bytes` hold in a field.
int64_t integerIn(const std::vector<uint8_t> &bytes,
                  const tally::quant::BlockField &field) {
  uint64_t bits = 0;
  for (int32_t i = field.bits / 8; i-- > 0;)
    bits = bits << 8 | bytes[static_cast<size_t>(field.offset + i)];
  int32_t unused = field.isSigned ? 64 - field.bits : 0;
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// The field as a contract counts it: "M" and "B" in units of 2^S, "B" without
/// the half.
double realIn(const tally::quant::UnaryBlock &block, std::string_view name) {
  auto bytes = tally::quant::encodeBlock(block);
  auto named = [&](const std::string &wanted) {
    for (const auto &field :
         tally::quant::blockFields(tally::quant::kindOf(block)))
      if (field.name == wanted)
        return static_cast<double>(integerIn(bytes, field));
    ADD_FAILURE() << "no field " << wanted;
    return 0.0;
  };
  std::string text(name);
  double value = named(text);
  if (text.back() != 'M' && text.back() != 'B')
    return value;
  bool isOffset = text.back() == 'B';
  text.back() = 'S';
  return std::ldexp(value, -static_cast<int>(named(text))) -
         (isOffset ? 0.5 : 0);
}

/// Moderate ratios of scales, so that slopes have all their bits.
std::vector<nn::GridPair> moderateGrids(BlockKind kind) {
  std::vector<nn::GridPair> pairs;
  for (auto type : {tally::quant::i8, tally::quant::u8})
    for (float s1 : {0.0625f, 0.05f})
      for (float s2 : {0.03125f, 0.07f})
        for (int64_t z : {int64_t(0), int64_t(3), type.max()}) {
          Grid in = Grid::perTensor(type, s1, static_cast<int32_t>(z));
          Grid out = Grid::perTensor(type, s2, 5);
          if (kind == BlockKind::Xor)
            out = Grid::perTensor(
                type, s1, static_cast<int32_t>(type.min() + type.max() - z));
          pairs.push_back({in, out});
        }
  return pairs;
}

TEST_P(ContractFields, BlocksHaveTheFieldsThatAreStated) {
  for (const nn::BlockContract &stated : contract->blocks)
    for (const nn::GridPair &grids : moderateGrids(stated.kind)) {
      if (stated.derived.empty())
        continue;
      BlockKind kinds[] = {stated.kind};
      auto block =
          tally::quant::deriveBlock(function, grids.input, grids.result, kinds);
      ASSERT_TRUE(block) << block.error().str();
      auto values = contract->fieldValues(stated.kind, grids, parameters);
      ASSERT_EQ(values.size(), stated.derived.size());
      for (auto [name, value] : values) {
        bool isReal = name.back() == 'M' || name.back() == 'B';
        double tolerance = name.back() == 'B' ? 0.01 : isReal ? 1e-6 : 0;
        EXPECT_NEAR(realIn(*block, name), value, tolerance)
            << tally::quant::blockKindName(stated.kind) << " " << name;
      }
    }
}

std::string caseName(const testing::TestParamInfo<TableCase> &info) {
  return std::string(info.param.op) + std::to_string(info.index);
}

/// Cases that are table operators by themselves: Pow needs a constant operand.
std::vector<TableCase> casesOfOneOperand() {
  std::vector<TableCase> cases;
  for (const TableCase &known : kTableCases)
    if (!known.exponent)
      cases.push_back(known);
  return cases;
}
std::vector<TableCase> casesWithFields() {
  std::vector<TableCase> cases = casesOfOneOperand();
  std::erase_if(cases, [](const TableCase &known) {
    return !nn::findContract(known.op)->fieldValues;
  });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(All, ContractCourse,
                         testing::ValuesIn(casesOfOneOperand()), caseName);
INSTANTIATE_TEST_SUITE_P(All, ContractFields,
                         testing::ValuesIn(casesWithFields()), caseName);

//===----------------------------------------------------------------------===//
// Every operator
//===----------------------------------------------------------------------===//

TEST(Contracts, EveryOperatorHasOneThatFitsItsInterfaces) {
  MLIRContext context;
  context.loadDialect<nn::NnDialect>();
  size_t operators = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    // Placing states makes shift_in, fusion makes lookup; no model has them.
    if (!name.hasInterface<nn::Operator>() ||
        name.getStringRef() == nn::LookupOp::getOperationName() ||
        name.getStringRef() == nn::ShiftInOp::getOperationName())
      continue;
    ++operators;
    const Contract *contract = nn::findContract(name.stripDialect().str());
    ASSERT_TRUE(contract) << name.getStringRef().str();
    bool isTable = name.hasInterface<nn::TableOperator>();
    bool isQuantizable = name.hasInterface<nn::Quantizable>();
    if (isTable || isQuantizable)
      EXPECT_EQ(contract->resultGrid, nn::ResultGrid::Free) << contract->name;
    else if (name.hasInterface<nn::Movement>())
      EXPECT_EQ(contract->resultGrid, nn::ResultGrid::Same) << contract->name;
    EXPECT_EQ(isTable, static_cast<bool>(contract->course)) << contract->name;
    if (isTable)
      EXPECT_FALSE(contract->blocks.empty()) << contract->name;
  }
  EXPECT_EQ(nn::contracts().size(), operators);
}

TEST(Contracts, AbsAndSignShareNoBlock) {
  auto abs = nn::findContract("abs")->blockKinds();
  auto sign = nn::findContract("sign")->blockKinds();
  EXPECT_EQ(abs[0], BlockKind::TwoSlope);
  EXPECT_EQ(sign, std::vector{BlockKind::ThreeStep});
  EXPECT_EQ(nn::findContract("frobnicate"), nullptr);
}

} // namespace
