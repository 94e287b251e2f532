//===- ReductionImportTest.cpp - rows of reductions and of order ----------===//

#include "tally/graph/import/TestNode.h"

using namespace tally;
using namespace tally::nn::test;

namespace {

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

} // namespace
