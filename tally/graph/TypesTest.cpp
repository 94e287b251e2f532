//===- TypesTest.cpp ------------------------------------------------------===//

#include "tally/graph/Types.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"

#include <limits>

using namespace mlir;
using namespace tally;

namespace {
class QuantizedTensor : public testing::Test {
protected:
  QuantizedTensor() { context.loadDialect<mlir::quant::QuantDialect>(); }

  /// What the rules say of a tensor of i8 codes with this scale.
  std::string complaint(double scale) {
    Builder b(&context);
    auto element = mlir::quant::UniformQuantizedType::get(
        mlir::quant::QuantizationFlags::Signed, b.getI8Type(), b.getF32Type(),
        scale, 0, -128, 127);
    std::string text;
    ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &message) {
      text = message.str();
      return success();
    });
    (void)nn::verifyQuantizedTensor(RankedTensorType::get({2}, element), [&] {
      return emitError(UnknownLoc::get(&context));
    });
    return text;
  }

  MLIRContext context;
};
} // namespace

// The parser of the quant dialect refuses such scales itself, but a type made
// in C++ passes it by.
TEST_F(QuantizedTensor, ScalesAreFiniteAndPositive) {
  EXPECT_EQ(complaint(0.5), "");
  for (double scale : {0.0, -0.5, std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::quiet_NaN()})
    EXPECT_NE(complaint(scale).find("is not finite and positive [QT-2]"),
              std::string::npos)
        << scale;
}

// 1e-60 is a positive double, but the scale is its fp32 value: 0.
TEST_F(QuantizedTensor, ScalesThatVanishInFp32) {
  EXPECT_NE(complaint(1e-60).find("[QT-2]"), std::string::npos);
}
