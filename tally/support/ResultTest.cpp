//===- ResultTest.cpp - values or explained failures ----------------------===//

#include "tally/support/Result.h"
#include "tally/support/CheckedMath.h"
#include "tally/support/RealText.h"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <memory>

using namespace tally;

namespace {

constexpr int64_t maxInt64 = std::numeric_limits<int64_t>::max();

TEST(Diagnostic, PrintsWhatItHas) {
  Diagnostic full{FailureKind::Model, "scale is 0", "NN-QUANT-3",
                  "net.onnx",         "conv1",      "requantize the model"};
  EXPECT_EQ(full.str(), "net.onnx: node 'conv1': scale is 0 [NN-QUANT-3]; "
                        "requantize the model");
  EXPECT_EQ(
      (Diagnostic{FailureKind::Usage, "no model given", {}, {}, {}, {}}).str(),
      "no model given");
}

TEST(Result, HoldsAValueOrAFailure) {
  Result<std::unique_ptr<int>> value = std::make_unique<int>(7);
  ASSERT_TRUE(bool(value));
  EXPECT_EQ(*std::move(value).value(), 7);

  Diagnostic why;
  why.message = "no";
  Result<std::unique_ptr<int>> failed = why;
  ASSERT_FALSE(bool(failed));
  EXPECT_EQ(failed.error().message, "no");
  EXPECT_EQ(failed.takeError().message, "no");
}

TEST(Status, IsSuccessUnlessGivenAFailure) {
  EXPECT_TRUE(bool(Status::success()));
  Diagnostic why;
  why.rule = "R-1";
  Status failed = why;
  ASSERT_FALSE(bool(failed));
  EXPECT_EQ(failed.error().rule, "R-1");
}

TEST(CheckedMath, RefusesWhatDoesNotFit) {
  EXPECT_EQ(checkedAdd(maxInt64 - 1, 1), maxInt64);
  EXPECT_EQ(checkedAdd(maxInt64, 1), std::nullopt);
  EXPECT_EQ(checkedMul(int64_t(1) << 31, int64_t(1) << 31), int64_t(1) << 62);
  EXPECT_EQ(checkedMul(int64_t(1) << 32, int64_t(1) << 31), std::nullopt);
}

// As a float 0.1 is 0.100000001490116; the fewest digits that lead back to it
// are "0.1". As a double it needs the others.
TEST(RealText, HasTheDigitsThatCount) {
  EXPECT_EQ(shortest(0.1f), "0.1");
  EXPECT_EQ(shortest(static_cast<double>(0.1f)), "0.10000000149011612");
  EXPECT_EQ(shortest(1e-12f), "1e-12");
  EXPECT_EQ(shortest(-2.0f), "-2");
  EXPECT_EQ(shortest(std::numeric_limits<float>::infinity()), "inf");
}

TEST(CheckedMath, CountsElements) {
  EXPECT_EQ(checkedElementCount({}), 1);
  EXPECT_EQ(checkedElementCount(std::array<int64_t, 3>{2, 3, 4}), 24);
  EXPECT_EQ(checkedElementCount(std::array<int64_t, 2>{2, -1}), std::nullopt);
  EXPECT_EQ(checkedElementCount(std::array<int64_t, 2>{maxInt64, 2}),
            std::nullopt);
}

} // namespace
