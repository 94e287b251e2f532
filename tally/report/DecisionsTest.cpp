//===- DecisionsTest.cpp - what people and programs are told --------------===//

#include "tally/report/Decisions.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace tally::report;

static Explanation example() {
  Explanation explanation;
  explanation.model = "net.onnx";
  explanation.categories = {"fusion", "layout"};
  explanation.kinds = {
      {"FUSE-1", "fusion", Outcome::Done, "a stage joined its producer"},
      {"FUSE-2", "fusion", Outcome::Refused, "the tensor has other readers"},
      {"LAYOUT-1", "layout", Outcome::Fact, "a weight is shared"},
      {"QDQ-1", "quantize", Outcome::Done, "not asked for"}};
  return explanation;
}

static Decision decision(size_t kind, std::string node, std::string reason = "",
                         std::string suggestion = "") {
  Decision made;
  made.kind = kind;
  made.node = std::move(node);
  made.reason = std::move(reason);
  made.suggestion = std::move(suggestion);
  return made;
}

static std::string text(const Explanation &explanation, bool all = false) {
  std::string result;
  llvm::raw_string_ostream os(result);
  printExplanation(os, explanation, all);
  return result;
}

TEST(Decisions, NothingDecidedIsSaid) {
  EXPECT_EQ(text(example()), "net.onnx\nfusion: no decisions\n"
                             "layout: no decisions\n");
}

// Five of one code without a reason: four names and the rest as a number.
TEST(Decisions, OneCodeIsOneEntry) {
  Explanation explanation = example();
  for (const char *node : {"a", "b", "c", "d", "e"})
    explanation.decisions.push_back(decision(0, node));
  EXPECT_EQ(text(explanation),
            "net.onnx\n"
            "fusion: 5 done\n"
            "  FUSE-1 done (5): a stage joined its producer\n"
            "    a, b, c, d and 1 more\n"
            "layout: no decisions\n");
}

// A node that a code names twice counts twice and stands once.
TEST(Decisions, NodesStandOnce) {
  Explanation explanation = example();
  for (const char *node : {"a", "b", "a"})
    explanation.decisions.push_back(decision(0, node));
  EXPECT_NE(text(explanation)
                .find("FUSE-1 done (3): a stage joined its "
                      "producer\n    a, b\n"),
            std::string::npos);
}

// The more frequent reason comes first, although it was met later.
TEST(Decisions, EntriesByReason) {
  Explanation explanation = example();
  explanation.decisions = {decision(1, "a", "read by x", "move x"),
                           decision(1, "b", "read by y"),
                           decision(1, "c", "read by y"), decision(2, "w")};
  EXPECT_EQ(text(explanation),
            "net.onnx\n"
            "fusion: 3 refused\n"
            "  FUSE-2 refused (3): the tensor has other readers\n"
            "    2: b, c\n"
            "      why: read by y\n"
            "    1: a\n"
            "      why: read by x\n"
            "      instead: move x\n"
            "layout: 1 fact\n"
            "  LAYOUT-1 fact (1): a weight is shared\n"
            "    w\n");
}

TEST(Decisions, ManyReasonsAreCut) {
  Explanation explanation = example();
  for (const char *reason : {"r1", "r2", "r3", "r4", "r5"})
    explanation.decisions.push_back(decision(1, "n", reason));
  std::string shown = text(explanation);
  EXPECT_NE(shown.find("why: r3"), std::string::npos);
  EXPECT_EQ(shown.find("why: r4"), std::string::npos);
  EXPECT_NE(shown.find("and 2 other reasons; --all lists them"),
            std::string::npos);
  EXPECT_NE(text(explanation, true).find("why: r5"), std::string::npos);
}

TEST(Decisions, AllNamesEdgeOtherAndFacts) {
  Explanation explanation = example();
  Decision one = decision(2, "w");
  one.edge = "w_codes";
  one.other = "v";
  one.facts = {{"Bytes", "64"}};
  explanation.decisions = {one};
  EXPECT_NE(text(explanation, true)
                .find("    w, at tensor w_codes, with v, Bytes 64\n"),
            std::string::npos);
}

// 30 words of 5 characters and a space are 180: three lines below 80 columns.
TEST(Decisions, LongTextIsBroken) {
  Explanation explanation = example();
  std::string reason = "begin";
  for (int i = 0; i < 29; ++i)
    reason += " words";
  explanation.decisions = {decision(1, "n", reason)};
  std::string shown = text(explanation);
  size_t start = 0;
  for (size_t end; (end = shown.find('\n', start)) != std::string::npos;
       start = end + 1)
    EXPECT_LE(end - start, 80u);
  size_t words = 0;
  for (size_t at = 0; (at = shown.find("words", at)) != std::string::npos; ++at)
    ++words;
  EXPECT_EQ(words, 29u);
}

TEST(Decisions, JsonHasEveryDecision) {
  Explanation explanation = example();
  explanation.decisions = {decision(0, "a"),
                           decision(1, "b", "read by y", "move y"),
                           decision(0, "c")};
  std::string written;
  llvm::raw_string_ostream os(written);
  writeExplanation(os, explanation);
  auto parsed = llvm::json::parse(written);
  ASSERT_TRUE(static_cast<bool>(parsed));
  const llvm::json::Object &object = *parsed->getAsObject();
  EXPECT_EQ(object.getInteger("version"), 1);
  const llvm::json::Array &codes = *object.getArray("codes");
  ASSERT_EQ(codes.size(), 3u); // QDQ-1's category was not asked for
  EXPECT_EQ(codes[0].getAsObject()->getInteger("count"), 2);
  EXPECT_EQ(codes[2].getAsObject()->getInteger("count"), 0);
  const llvm::json::Array &decisions = *object.getArray("decisions");
  ASSERT_EQ(decisions.size(), 3u);
  EXPECT_EQ(decisions[1].getAsObject()->getString("reason"), "read by y");
  EXPECT_EQ(decisions[1].getAsObject()->getString("suggestion"), "move y");
  EXPECT_EQ(decisions[0].getAsObject()->get("reason"), nullptr);
}
