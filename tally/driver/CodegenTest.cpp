//===- CodegenTest.cpp - what a person is told before code is made --------===//

#include "tally/driver/Codegen.h"
#include "tally/ops/Ops.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tally;

namespace {
/// slowSelfTest of (batch x 1000 x 1000) multiply-adds; nothing is evaluated.
std::optional<std::string> slow(int64_t batch) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<nn::NnDialect, func::FuncDialect>();
  std::string rows = std::to_string(batch) + "x1000xf32>";
  auto module = parseSourceString<ModuleOp>(
      "func.func @main(%x: tensor<" + rows +
          ", %w: tensor<1000x1000xf32>) -> tensor<" + rows +
          " {\n  %0 = nn.matmul %x, %w : (tensor<" + rows +
          ", tensor<1000x1000xf32>) -> tensor<" + rows +
          "\n  return %0 : tensor<" + rows + "\n}\n",
      &context);
  EXPECT_TRUE(module);
  return module ? slowSelfTest(*module) : std::nullopt;
}
} // namespace

TEST(SlowSelfTest, IsToldByTheNumberOfMultiplyAdds) {
  EXPECT_EQ(slow(9'999), std::nullopt); // 9.999 10^9
  EXPECT_EQ(slow(12'000),               // 12 10^9
            "the self-test first takes 12 billion multiply-adds on the exact "
            "evaluator; --no-self-test goes without it");
}
