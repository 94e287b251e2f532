//===- WireScanTest.cpp - damaged files -----------------------------------===//

#include "tally/model/OnnxTestModel.h"

#include <gtest/gtest.h>
#include <random>

using namespace tally;
using namespace tally::model;
using namespace tally::model::test;

namespace {

/// A model with a bit of everything.
std::string richModel() {
  onnx::ModelProto model = reluModel();
  addWeight(model)->add_float_data(1);
  model.mutable_graph()->mutable_initializer(0)->add_float_data(2);
  addNode(*addFunction(model, "F"), "Abs", {"a"}, {"b"});
  addCall(model, "F");
  auto *branch =
      addAttribute(addNode(*model.mutable_graph(), "If", {"x"}, {"u"}),
                   "then_branch", 5)
          ->mutable_g();
  addNode(*branch, "Abs", {"w"}, {"t"});
  setValue(branch->add_output(), "t", {2});
  return model.SerializeAsString();
}

Result<Model> read(const std::string &bytes) {
  return readOnnxBytes(std::as_bytes(std::span(bytes)));
}

TEST(WireScan, TheUndamagedFileIsFine) {
  Result<Model> model = read(richModel());
  ASSERT_TRUE(model) << model.error().str();
}

TEST(WireScan, SaysWhereAFileIsCutOff) {
  // Tags are one byte here: field 7 (graph) announces 10 bytes, 3 are left,
  // and they are a node (field 1) of 1 byte.
  const char bytes[] = {0x3A, 10, 0x0A, 1, 0x0A};
  Result<Model> model = readOnnxBytes(std::as_bytes(std::span(bytes)));
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message,
            "not a well-formed ONNX file: a message reaches past the one "
            "around it at byte 2 (inside model)");
}

TEST(WireScan, EveryPrefixIsRefusedOrWhole) {
  std::string whole = richModel();
  for (size_t size = 0; size < whole.size(); ++size) {
    Result<Model> model = read(whole.substr(0, size));
    // A cut between two fields of the model leaves a smaller valid message.
    if (!model)
      EXPECT_FALSE(model.error().rule.empty());
  }
}

TEST(WireScan, MutatedBytesNeverCrash) {
  std::string whole = richModel();
  std::mt19937 random(7); // NOLINT(bugprone-random-generator-seed)
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = whole;
    for (unsigned i = 0; i <= random() % 3; ++i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    Result<Model> model = read(bytes);
    if (!model) {
      ++refused;
      EXPECT_FALSE(model.error().rule.empty());
      EXPECT_FALSE(model.error().hint.empty());
    }
  }
  EXPECT_GT(refused, 10000);
}

TEST(WireScan, GroupsAreRefused) {
  const char bytes[] = {0x3B, 0x3C}; // start and end of a group, field 7
  Result<Model> model = readOnnxBytes(std::as_bytes(std::span(bytes)));
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().rule, "ONNX-FILE-4");
}

TEST(WireScan, UnknownFieldsAreSkipped) {
  onnx::ModelProto model = reluModel();
  std::string bytes = model.SerializeAsString();
  // Field 26 (device configurations): tag (26 << 3) | 2 = 210 as a varint.
  bytes += std::string("\xD2\x01\x03\x0A\x01\x41", 6);
  Result<Model> result = read(bytes);
  ASSERT_TRUE(result) << result.error().str();
}

} // namespace
