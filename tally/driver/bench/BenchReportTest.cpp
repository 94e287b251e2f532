//===- BenchReportTest.cpp - what a measurement shows ---------------------===//

#include "tally/driver/bench/BenchReport.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace tally;
using namespace tally::bench;

namespace {

/// A core of 1000 multiply-adds of bytes, 100 of floats and 500 bytes a second.
/// A stage of 4000 multiply-adds and 1000 bytes (4 s, 2 s), one in float of 200
/// and 3000 bytes (2 s, 6 s).
BenchReport example() {
  BenchReport report;
  report.model = "net.onnx";
  report.tier = "avx2";
  report.samples = 2;
  report.interface.stages = {
      {"first<&>", "conv+relu", "", 4000, 1000, false, ""},
      {"second", "matmul", "", 200, 3000, true, ""}};
  report.seconds = {16, 17, 20, 22};
  report.speed = {1000, 100, 500, 65536};
  for (const runtime::StageInterface &stage : report.interface.stages)
    report.layers.push_back(
        {stage, {8, 9, 10, 12}, floorOf(stage, report.speed)});
  return report;
}

std::string text(const BenchReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printReport(os, report);
  return text;
}

TEST(BenchReport, chargesEachStageItsGreaterCost) {
  BenchReport report = example();
  EXPECT_EQ(report.macs(), 4200);
  EXPECT_EQ(report.floatMacs(), 200);
  EXPECT_EQ(report.productSeconds(), 4 + 2);
  EXPECT_EQ(report.floorSeconds(), 4 + 6);
}

/// A quarter of the first stage's products, 1 s, is less than its 2 s of bytes.
TEST(BenchReport, chargesTheProductsThatAreMade) {
  BenchReport report = example();
  report.parts[0] = 0.25;
  EXPECT_EQ(report.macs(), 4200);
  EXPECT_EQ(report.productSeconds(), 1 + 2);
  EXPECT_EQ(report.floorSeconds(), 2 + 6);
  EXPECT_EQ(report.floorOfStage(0).products, 1);
}

TEST(BenchReport, takesTheProductsTypeForTheStages) {
  auto floats = [](const char *op, bool isFloat) {
    return multipliesFloats({"", op, "", 1, 0, isFloat, ""});
  };
  EXPECT_FALSE(floats("gemm+dequantize", true));
  EXPECT_TRUE(floats("gemm+relu+quantize", false));
  EXPECT_TRUE(floats("matmul+add", true));
  EXPECT_FALSE(floats("conv+relu", false));
  EXPECT_FALSE(floats("quantize", false));
}

TEST(BenchReport, printsSharesOfTheLeastTime) {
  // 6 s of products and a floor of 10 s, of 16 s; 2 * 4200 operations in 20 s.
  std::string printed = text(example());
  EXPECT_NE(printed.find("used 37.5 %"), std::string::npos) << printed;
  EXPECT_NE(printed.find("10000.0000 ms, 62.5 % of the least time"),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find("conv+relu  'first<&>'"), std::string::npos);
  EXPECT_NE(printed.find("matmul (float)  'second'"), std::string::npos);
  EXPECT_EQ(printed.find("against"), std::string::npos);
}

TEST(BenchReport, comparesWithTheOther) {
  BenchReport report = example();
  report.rival =
      RivalTime{"onnxruntime 9", {32, 33, 40, 44}, {1.5, 1.75, 2, 2.5}};
  EXPECT_NE(text(report).find("takes   2.00 times as long (median; half of "
                              "them 1.75 to 2.50)"),
            std::string::npos)
      << text(report);
}

TEST(BenchReport, isJson) {
  std::string written;
  llvm::raw_string_ostream os(written);
  writeReport(os, example());
  auto value = llvm::json::parse(written);
  ASSERT_TRUE(static_cast<bool>(value));
  const llvm::json::Object &object = *value->getAsObject();
  EXPECT_EQ(object.getInteger("version"), 1);
  EXPECT_EQ(object.getInteger("macs"), 4200);
  EXPECT_EQ(object.getObject("seconds")->getNumber("median"), 20);
  const llvm::json::Array &layers = *object.getArray("layers");
  ASSERT_EQ(layers.size(), 2U);
  const llvm::json::Object &second = *layers[1].getAsObject();
  EXPECT_EQ(second.getNumber("floor_products"), 2);
  EXPECT_EQ(second.getNumber("floor_constants"), 6);
}

TEST(BenchReport, drawsABarAndAFloorForEachLayer) {
  std::string svg = drawLayers(example());
  // The longest layer, 10 s, is 560 wide; the floors of 4 s and 6 s likewise.
  EXPECT_NE(svg.find("width=\"560.00\""), std::string::npos);
  EXPECT_NE(svg.find("width=\"224.00\""), std::string::npos);
  EXPECT_NE(svg.find("width=\"336.00\""), std::string::npos);
  EXPECT_NE(svg.find("first&lt;&amp;&gt;"), std::string::npos);
}

} // namespace
