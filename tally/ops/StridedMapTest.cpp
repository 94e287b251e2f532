//===- StridedMapTest.cpp - where a movement's elements come from --------===//
//
// Maps by hand, and maps against the evaluator, which knows nothing of them:
// an input of 0, 1, 2, .. moved by the operator shows its source positions.
//
//===----------------------------------------------------------------------===//

#include "tally/ops/StridedMap.h"
#include "tally/eval/Evaluator.h"
#include "tally/ops/Ops.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tally;
using namespace tally::nn;

namespace {

/// One movement, given as "nn.op %x {..} : (tensor<..>) -> tensor<..>".
class OneMovement {
public:
  OneMovement(const std::string &input, const std::string &text) {
    context.loadDialect<NnDialect, mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(%x: " + input + ") { %0 = " + text + "\n return }",
        &context);
    if (module)
      module->walk([&](Movement movement) { op = movement; });
  }
  StridedMap map() { return *stridedMap(op); }
  bool hasMap() { return stridedMap(op).has_value(); }

  /// The input position behind each result element, by the evaluator.
  std::vector<int64_t> moved() {
    auto type = mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
    eval::Tensor input = describe(type);
    input.allocate();
    for (int64_t i = 0, e = input.count(); i < e; ++i)
      eval::storeInt(input, i, i);
    auto results = eval::evaluateOperation(op, {&input});
    return eval::toInts((*results)[0]);
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *op = nullptr;
};

/// The source of every index of the map's loops, in order.
std::vector<int64_t> sources(const StridedMap &map) {
  std::vector<int64_t> result, index(map.dims.size(), 0);
  for (int64_t i = 0, e = map.count(); i < e; ++i) {
    result.push_back(map.source(index));
    for (size_t d = map.dims.size(); d-- > 0;) {
      if (++index[d] < map.size(d))
        break;
      index[d] = 0;
    }
  }
  return result;
}

void expectAgreement(const std::string &input, const std::string &text) {
  OneMovement movement(input, text);
  std::vector<int64_t> expected = movement.moved();
  EXPECT_EQ(sources(movement.map()), expected) << text;
  EXPECT_EQ(sources(coalesced(movement.map())), expected) << text;
}

TEST(StridedMap, AgreesWithTheEvaluator) {
  expectAgreement("tensor<2x3x4xi32>",
                  "nn.transpose %x {permutation = array<i64: 2, 0, 1>} : "
                  "(tensor<2x3x4xi32>) -> tensor<4x2x3xi32>");
  expectAgreement("tensor<2x1x4xi32>",
                  "nn.transpose %x {permutation = array<i64: 1, 2, 0>} : "
                  "(tensor<2x1x4xi32>) -> tensor<1x4x2xi32>");
  expectAgreement("tensor<2x3xi32>",
                  "nn.reshape %x {shape = array<i64: 3, 2>} : "
                  "(tensor<2x3xi32>) -> tensor<3x2xi32>");
  expectAgreement("tensor<5x6xi32>",
                  "nn.slice %x {starts = array<i64: 4, 1>, sizes = array<i64: "
                  "3, 2>, steps = array<i64: -2, 3>} : (tensor<5x6xi32>) -> "
                  "tensor<3x2xi32>");
  expectAgreement("tensor<3x1xi32>",
                  "nn.expand %x {shape = array<i64: 2, 3, 4>} : "
                  "(tensor<3x1xi32>) -> tensor<2x3x4xi32>");
  expectAgreement("tensor<4x2x3xi32>",
                  "nn.select %x {axes = array<i64: 0, 2>, segments = [array<"
                  "i64: 3, 2, -1, 0, 4, 1>, array<i64: 1, 2, 0>]} : "
                  "(tensor<4x2x3xi32>) -> tensor<6x2x2xi32>");
  expectAgreement("tensor<i32>", "nn.transpose %x {permutation = array<i64>} : "
                                 "(tensor<i32>) -> tensor<i32>");
  expectAgreement("tensor<3xi32>",
                  "nn.slice %x {starts = array<i64: 0>, sizes = array<i64: 0>, "
                  "steps = array<i64: 1>} : (tensor<3xi32>) -> tensor<0xi32>");
}

// Strides of 2x3x4 are 12, 4, 1; dimension 0 of the result is the last one of
// the input.
TEST(StridedMap, TransposePermutesStrides) {
  OneMovement movement("tensor<2x3x4xi32>",
                       "nn.transpose %x {permutation = array<i64: 2, 0, 1>} : "
                       "(tensor<2x3x4xi32>) -> tensor<4x2x3xi32>");
  StridedMap map = movement.map();
  EXPECT_TRUE(map.isAffine());
  EXPECT_EQ(map.dims[0], StridedDimension{(StridedPiece{4, 0, 1})});
  EXPECT_EQ(map.dims[1], StridedDimension{(StridedPiece{2, 0, 12})});
  EXPECT_EQ(map.dims[2], StridedDimension{(StridedPiece{3, 0, 4})});
  // 12 = 3 * 4: the last two advance as one dimension of 6 by 4.
  StridedMap joined = coalesced(map);
  ASSERT_EQ(joined.dims.size(), 2u);
  EXPECT_EQ(joined.dims[1], StridedDimension{(StridedPiece{6, 0, 4})});
}

// Whole inner dimensions of a slice are one run: rows 1 and 2 of 4x5x6 start
// at 30 and have 30 elements each.
TEST(StridedMap, SlicesOfLeadingDimensionsAreOneRun) {
  OneMovement movement("tensor<4x5x6xi32>",
                       "nn.slice %x {starts = array<i64: 1, 0, 0>, sizes = "
                       "array<i64: 2, 5, 6>, steps = array<i64: 1, 1, 1>} : "
                       "(tensor<4x5x6xi32>) -> tensor<2x5x6xi32>");
  StridedMap map = coalesced(movement.map());
  EXPECT_EQ(map.base, 30);
  ASSERT_EQ(map.dims.size(), 1u);
  EXPECT_EQ(map.dims[0], StridedDimension{(StridedPiece{60, 0, 1})});
}

TEST(StridedMap, PickedIndicesArePieces) {
  OneMovement movement("tensor<2x3xi32>",
                       "nn.select %x {axes = array<i64: 1>, segments = [array<"
                       "i64: 2, 1, 1, 0, 2, 1>]} : (tensor<2x3xi32>) -> "
                       "tensor<2x3xi32>");
  StridedMap map = movement.map();
  EXPECT_FALSE(map.isAffine());
  EXPECT_EQ(map.dims[1],
            (StridedDimension{StridedPiece{1, 2, 1}, StridedPiece{2, 0, 1}}));
  EXPECT_EQ(map.size(1), 3);
}

TEST(StridedMap, DimensionsThatDependOnEachOtherHaveNone) {
  OneMovement movement("tensor<2x2xi32>",
                       "nn.reverse_sequence %x {batchAxis = 0 : i64, timeAxis "
                       "= 1 : i64, lengths = array<i64: 1, 2>} : "
                       "(tensor<2x2xi32>) -> tensor<2x2xi32>");
  EXPECT_FALSE(movement.hasMap());
}

} // namespace
