//===- DifferencesTest.cpp - what people and programs are told ------------===//

#include "tally/report/Differences.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

using namespace tally::report;

/// Of four codes two differ, one for a reason; of two floats one.
static DifferenceReport example() {
  TensorDifference codes;
  codes.node = "conv";
  codes.op = "Conv";
  codes.tensor = "y";
  codes.type = "int8 codes";
  codes.isCodes = true;
  codes.count = 4;
  codes.different = 2;
  codes.histogram = {{-1, 1}, {0, 2}, {3, 1}};
  codes.largest = 3;
  codes.sqnr = 20;
  codes.elements = {
      {{0, 1}, 12, 13, (int64_t(25) << kFineBits) / 2, Rule::TieFp32},
      {{1, 1}, 7, 4, std::nullopt, std::nullopt}};
  codes.explained = {{Rule::TieFp32, 1}};
  TensorDifference floats;
  floats.node = "softmax";
  floats.op = "Softmax";
  floats.tensor = "p";
  floats.type = "float32";
  floats.isFloat = true;
  floats.count = 2;
  floats.different = 1;
  floats.largest = 0.25;
  DifferenceReport report;
  report.model = "net.onnx";
  report.executor = "cpu";
  report.reference = "ref.npz";
  report.tensors = {floats, codes};
  report.missing = 1;
  report.decisions = {{"p", 1, 2}};
  return report;
}

// Five of the seven integers that differ have a rule; two and one code have
// not.
TEST(Differences, IntegersCount) {
  DifferenceReport report = example();
  TensorDifference integers;
  integers.tensor = "resized";
  integers.type = "int8";
  integers.count = 10;
  integers.different = 7;
  integers.explained = {{Rule::InputDiffers, 5}};
  report.tensors.push_back(integers);
  EXPECT_EQ(report.differentCodes(), 9);
  EXPECT_EQ(report.unexplained(), 3);
  report.isOtherModel = true;
  EXPECT_EQ(report.unexplained(), 0);
}

TEST(Differences, Sums) {
  DifferenceReport report = example();
  EXPECT_EQ(report.differentCodes(), 2);
  EXPECT_EQ(report.comparedCodes(), 4);
  EXPECT_EQ(report.unexplained(), 1);
  EXPECT_EQ(report.ruleCounts(), (std::map<Rule, int64_t>{{Rule::TieFp32, 1}}));
  ASSERT_NE(report.first(), nullptr);
  EXPECT_EQ(report.first()->tensor, "y");
  report.tensors.pop_back();
  EXPECT_EQ(report.first(), nullptr);
}

TEST(Differences, Text) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printDifferences(os, example(), false);
  EXPECT_EQ(text,
            "net.onnx: cpu against ref.npz\n"
            "compared: 2 tensors; 2 of 4 codes differ\n"
            "not compared: 1 not in the reference\n"
            "first: node 'conv', tensor 'y'\n"
            "codes that differ:\n"
            "  'conv' (Conv)\n"
            "    y: 2 of 4 (int8 codes), SQNR 20.0 dB\n"
            "    ours - reference: -1: 1, +3: 1\n"
            "why:\n"
            "  TIE-FP32 (1): the reference's fp32 scale or product moved the "
            "value to a tie or across it\n"
            "    y[0,1]: ours 12, reference 13, exactly 12.500000000000 steps\n"
            "  unexplained (1)\n"
            "    y[1,1]: ours 7, reference 4\n"
            "floats that differ:\n"
            "  'softmax' (Softmax)\n"
            "    p: 1 of 2 (float32), by at most 0.25\n"
            "decisions of output 'p': 1 of 2 agree\n");
}

TEST(Differences, TextOfWhatIsNotCompared) {
  DifferenceReport report = example();
  report.fromEvaluator = 3;
  report.insideGroups = 20;
  report.changedByShowing = Share{5, 100};
  std::string text;
  llvm::raw_string_ostream os(text);
  printDifferences(os, report, false);
  EXPECT_NE(
      text.find(
          "compared: 2 tensors; 2 of 4 codes differ\n"
          "  3 that the compiled form merges or moves are the evaluator's\n"
          "not compared: 20 floats between a Dequantize and a Quantize, where "
          "ours has codes\n"
          "not compared: 1 not in the reference\n"
          "the reference's own outputs change when inner tensors are shown: 5 "
          "of 100 elements\n"),
      std::string::npos)
      << text;
}

// Of a thousand alike the first ten are kept, and the first two of a rule that
// comes later.
TEST(Differences, KeepsAFewOfEachRule) {
  TensorDifference tensor;
  auto add = [&](std::optional<Rule> rule, int64_t times) {
    for (int64_t i = 0; i < times; ++i)
      if (tensor.countRule(rule))
        tensor.elements.push_back({{i}, 0, 1, std::nullopt, rule});
  };
  add(Rule::InputDiffers, 1000);
  EXPECT_EQ(tensor.elements.size(), 10u);
  add(Rule::TieFp32, 5);
  EXPECT_EQ(tensor.elements.size(), 12u);
  add(std::nullopt, 5);
  EXPECT_EQ(tensor.elements.size(), 14u);
  EXPECT_EQ(tensor.explained,
            (std::map<Rule, int64_t>{{Rule::InputDiffers, 1000},
                                     {Rule::TieFp32, 5}}));
}

// Two elements of a rule are shown, with `all` every one.
TEST(Differences, TextIsShort) {
  DifferenceReport report = example();
  auto &elements = report.tensors[1].elements;
  elements.assign(5, elements[0]);
  for (bool all : {false, true}) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printDifferences(os, report, all);
    size_t lines = 0;
    for (size_t at = 0; (at = text.find("y[0,1]", at)) != std::string::npos;
         ++at)
      ++lines;
    EXPECT_EQ(lines, all ? 5u : 2u);
  }
}

TEST(Differences, Json) {
  DifferenceReport report = example();
  report.insideGroups = 20;
  report.fromEvaluator = 3;
  report.changedByShowing = Share{5, 100};
  report.tensors[1].explained = {{Rule::TieFp32, 12}};
  auto &elements = report.tensors[1].elements;
  elements.assign(12, elements[0]);
  for (bool all : {false, true}) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeDifferences(os, report, all);
    auto parsed = llvm::json::parse(text);
    ASSERT_TRUE(static_cast<bool>(parsed));
    const llvm::json::Object &object = *parsed->getAsObject();
    EXPECT_EQ(object.getInteger("version"), 1);
    EXPECT_EQ(object.getObject("rules")->getInteger("TIE-FP32"), 12);
    EXPECT_EQ(object.getInteger("missing"), 1);
    EXPECT_EQ(object.getInteger("inside_groups"), 20);
    EXPECT_EQ(object.getInteger("from_evaluator"), 3);
    EXPECT_EQ(object.getObject("changed_by_showing")->getInteger("different"),
              5);
    const llvm::json::Object &codes =
        *(*object.getArray("tensors"))[1].getAsObject();
    EXPECT_EQ(codes.getArray("codes")->size(), all ? 12u : 10u);
    EXPECT_EQ((*codes.getArray("codes"))[0].getAsObject()->getNumber("exact"),
              12.5);
    EXPECT_EQ(codes.getObject("rules")->getInteger("TIE-FP32"), 12);
    EXPECT_EQ(codes.getObject("histogram")->getInteger("-1"), 1);
  }
}

// The page for users explains every rule under a heading of its own.
TEST(Differences, EveryRuleIsDocumented) {
  std::ifstream file(TALLY_SOURCE_DIR "/docs/reference/differences.md");
  std::stringstream page;
  page << file.rdbuf();
  for (const RuleRow &row : ruleRows())
    EXPECT_NE(page.str().find("\n## " + std::string(row.code) + "\n"),
              std::string::npos)
        << row.code;
}
