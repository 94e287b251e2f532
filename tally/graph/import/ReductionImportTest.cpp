//===- ReductionImportTest.cpp - rows of reductions and of order ----------===//

#include "tally/graph/import/TestNode.h"

using namespace tally;
using namespace tally::nn::test;

namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<int64_t>;

// As an int64_t these are -2, 5 and -1.
Value unsignedNumbers() {
  return value<uint64_t>({UINT64_MAX - 1, 5, UINT64_MAX});
}

TEST(ReductionImport, UnsignedOf64BitsAreNotSigned) {
  auto reduced = [](OneNode &&node) -> OneNode & {
    return node.input(unsignedNumbers()).attribute("keepdims", int64_t(0));
  };
  expect<uint64_t>(reduced(OneNode("ReduceMax", 20)), {UINT64_MAX});
  expect<uint64_t>(reduced(OneNode("ReduceMin", 20)), {5});
  // (2^64 - 2 + 5 + 2^64 - 1) / 3 = 2 * (2^64 + 1) / 3 and
  // 2^64 + 1 = 3 * 6148914691236517205 + 2.
  expect<uint64_t>(reduced(OneNode("ReduceMean", 20)),
                   {2 * 6148914691236517205u + 1});
  expect<int64_t>(reduced(OneNode("ArgMax", 20)), {2});
  expect<int64_t>(reduced(OneNode("ArgMin", 20)), {1});
}

TEST(ReductionImport, TopKOfUnsigned) {
  OneNode node("TopK", 11);
  node.input(unsignedNumbers()).constant(value<int64_t>({3})).outputs(2);
  auto results = node.runAll();
  ASSERT_TRUE(results) << results.error().str();
  auto order = (*results)[1].values<int64_t>();
  EXPECT_EQ(std::vector(order.begin(), order.end()),
            (std::vector<int64_t>{2, 0, 1}));
}

TEST(ReductionImport, AxesAreDistinctDimensions) {
  OneNode twice("ReduceSum", 11);
  twice.input(value<float>({1, 2}))
      .attribute("axes", std::vector<int64_t>{0, -1});
  EXPECT_EQ(twice.error(), "node 'n': ReduceSum: axis 0 is given more than "
                           "once [IMP-6]");
  OneNode outside("ArgMax", 13);
  outside.input(value<float>({1, 2})).attribute("axis", int64_t(1));
  EXPECT_EQ(outside.error(), "node 'n': ArgMax: axis 1 is outside a tensor of "
                             "rank 1 [IMP-6]");
  OneNode k("TopK", 11);
  k.input(value<float>({1, 2})).constant(value<int64_t>({1, 1})).outputs(2);
  EXPECT_EQ(k.error(), "node 'n': TopK: k must be one number [IMP-6]");
}

TEST(ReductionImport, HardmaxMarksTheFirstLargest) {
  OneNode last("Hardmax", 13);
  last.input(value<float>({1, 3, 3, 2, 0, 1}, Ints{2, 3}));
  expect<float>(last, {0, 1, 0, 1, 0, 0});
  EXPECT_EQ(last.operators(), (Names{"arg_max", "constant", "one_hot"}));
  OneNode first("Hardmax", 13);
  first.input(value<float>({1, 3, 3, 2, 0, 1}, Ints{2, 3}))
      .attribute("axis", int64_t(0));
  expect<float>(first, {0, 1, 1, 1, 0, 0});
}

TEST(ReductionImport, HardmaxOfAnAxisThatIsNotThere) {
  OneNode node("Hardmax", 13);
  node.input(value<float>({1, 2})).attribute("axis", int64_t(1));
  EXPECT_EQ(node.error(),
            "node 'n': Hardmax: axis 1 is outside a tensor of rank "
            "1 [IMP-6]");
}

TEST(ReductionImport, GlobalLpPoolIsANorm) {
  OneNode euclid("GlobalLpPool", 2);
  euclid.input(value<float>({3, -4, 0, -2}, Ints{1, 2, 2}));
  expect<float>(euclid, {5, 2});
  EXPECT_EQ(euclid.operators(), Names{"reduce_l2"});
  OneNode sum("GlobalLpPool", 2);
  sum.input(value<float>({3, -4, 0, -2}, Ints{1, 2, 2}))
      .attribute("p", int64_t(1));
  expect<float>(sum, {7, 2});
  OneNode cubic("GlobalLpPool", 2);
  cubic.input(value<float>({1}, Ints{1, 1, 1})).attribute("p", int64_t(3));
  EXPECT_EQ(cubic.error(), "node 'n': GlobalLpPool: a norm of order 3: orders "
                           "1 and 2 are supported [IMP-6]");
}

} // namespace
