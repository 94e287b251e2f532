//===- OnnxRulesTest.cpp - one file that breaks each rule -----------------===//
//
// Each case makes a file that breaks one rule in one way; another test checks
// that no rule is without a case.
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxRuleCases.h"

#include <set>

using namespace tally;
using namespace tally::model;
using namespace tally::model::test;

namespace {

class OnnxRules : public ::testing::TestWithParam<RuleCase> {};

TEST_P(OnnxRules, RefusesTheFile) {
  const RuleCase &test = GetParam();
  const OnnxRuleText &text = onnxRules()[static_cast<size_t>(test.rule)];
  SCOPED_TRACE(std::string(text.label) + ": " + test.what);
  Folder folder;
  Result<Model> model = test.read(folder);
  ASSERT_FALSE(model);
  const Diagnostic &failure = model.error();
  EXPECT_EQ(failure.rule, text.label) << failure.str();
  EXPECT_EQ(failure.kind, text.kind);
  EXPECT_FALSE(failure.file.empty());
  EXPECT_FALSE(failure.message.empty());
  EXPECT_FALSE(failure.hint.empty());
  EXPECT_EQ(failure.message.find('\n'), std::string::npos);
  EXPECT_LT(failure.str().size(), 1200u);
  EXPECT_TRUE(isUtf8(failure.str()));
  if (*test.node)
    EXPECT_EQ(failure.node, test.node) << failure.str();
}

std::vector<RuleCase> allCases() {
  std::vector<RuleCase> all;
  for (auto cases : {graphRuleCases(), dataRuleCases()})
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, OnnxRules, ::testing::ValuesIn(allCases()));

TEST(OnnxRuleTable, EveryRuleHasACase) {
  std::set<OnnxRule> tested;
  for (const RuleCase &test : allCases())
    tested.insert(test.rule);
  for (size_t i = 0; i < onnxRules().size(); ++i)
    EXPECT_TRUE(tested.contains(static_cast<OnnxRule>(i)))
        << onnxRules()[i].label << " has no test";
}

TEST(OnnxRuleTable, LabelsAreDistinct) {
  std::set<std::string_view> labels;
  for (const OnnxRuleText &rule : onnxRules())
    EXPECT_TRUE(labels.insert(rule.label).second) << rule.label;
}

TEST(OnnxRuleTable, TheModelBeforeItsChangesIsValid) {
  Result<Model> model = readBack(reluModel());
  ASSERT_TRUE(model) << model.error().str();
}

} // namespace
