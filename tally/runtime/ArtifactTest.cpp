//===- ArtifactTest.cpp - what a file says about itself -------------------===//

#include "tally/runtime/Artifact.h"
#include "tally/runtime/Host.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"
#include "tally/support/TestFolder.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace tally;
using namespace tally::runtime;

namespace {
/// The bytes of test/doubler.c, compiled.
std::vector<uint8_t> object(const char *path = DOUBLER_OBJECT) {
  auto bytes = readFile(path);
  EXPECT_TRUE(bytes) << bytes.error().str();
  return bytes ? *bytes : std::vector<uint8_t>();
}

std::string ruleOf(std::vector<uint8_t> bytes) {
  auto artifact = parseArtifact(std::move(bytes), "file");
  if (artifact)
    return "accepted";
  EXPECT_EQ(artifact.error().file, "file");
  return artifact.error().rule;
}

/// Replaces every occurrence of `from` by `to`, of equal length.
std::vector<uint8_t> replaced(std::vector<uint8_t> bytes, std::string_view from,
                              std::string_view to) {
  EXPECT_EQ(from.size(), to.size());
  auto at = bytes.begin();
  size_t count = 0;
  while ((at = std::search(at, bytes.end(), from.begin(), from.end())) !=
         bytes.end()) {
    std::copy(to.begin(), to.end(), at);
    ++count;
  }
  EXPECT_GT(count, 0u);
  return bytes;
}
} // namespace

TEST(Artifact, AnObjectTellsItsInterface) {
  auto artifact = readArtifact(DOUBLER_OBJECT);
  ASSERT_TRUE(artifact) << artifact.error().str();
  EXPECT_EQ(artifact->form, ArtifactForm::Object);
  EXPECT_EQ(artifact->interface.symbol, "doubler");
  EXPECT_EQ(artifact->interface.inputs[0].name, "in/x");
  EXPECT_EQ(artifact->interface.inputs[0].quant->scale(), 0.5f);
  EXPECT_EQ(artifact->elf().size(), artifact->file.size());
}

TEST(Artifact, OtherFilesAreRefused) {
  EXPECT_EQ(ruleOf({}), "ART-1");
  EXPECT_EQ(ruleOf({'P', 'K', 3, 4}), "ART-1");
  EXPECT_EQ(ruleOf({0x7f, 'E', 'L', 'F'}), "ART-1");
  std::string archive = "!<arch>\nrubbish";
  EXPECT_EQ(ruleOf({archive.begin(), archive.end()}), "ART-1");
  std::string none = "!<arch>\n";
  EXPECT_EQ(ruleOf({none.begin(), none.end()}), "ART-1");
  std::string thin = "!<thin>\n";
  EXPECT_EQ(ruleOf({thin.begin(), thin.end()}), "ART-1");
}

TEST(Artifact, A32BitFileIsRefused) {
  auto bytes = object();
  bytes[4] = 1; // EI_CLASS: 32-bit
  EXPECT_EQ(ruleOf(bytes), "ART-1");
}

TEST(Artifact, AnExecutableIsRefused) {
  auto bytes = object();
  bytes[16] = 2; // e_type: ET_EXEC
  EXPECT_EQ(ruleOf(bytes), "ART-1");
}

TEST(Artifact, AFileWithoutTheNoteIsRefused) {
  EXPECT_EQ(ruleOf(replaced(object(), std::string_view("Tally\0", 6),
                            std::string_view("Other\0", 6))),
            "ART-2");
}

TEST(Artifact, TruncationIsFound) {
  auto bytes = object();
  // Every cut loses the section table, which stands at the end.
  for (size_t size = 0; size < bytes.size(); size += 13)
    EXPECT_EQ(ruleOf({bytes.begin(), bytes.begin() + size}), "ART-1") << size;
}

TEST(Artifact, DamageNeverCrashes) {
  auto good = object();
  for (size_t at = 0; at < good.size(); ++at) {
    auto bytes = good;
    bytes[at] ^= 0xff;
    (void)parseArtifact(bytes, "file");
  }
}

TEST(Artifact, AnotherFormatVersionIsRefused) {
  EXPECT_EQ(ruleOf(replaced(object(), "\"version\":1", "\"version\":9")),
            "IFC-2");
}

TEST(Artifact, AnInterfaceThatIsNoJsonIsRefused) {
  EXPECT_EQ(ruleOf(replaced(object(), "{\"version\":1", "?\"version\":1")),
            "IFC-1");
}

TEST(Artifact, AnotherKindOfMachineIsRefused) {
  Interface interface;
  interface.target = "riscv64-linux-gnu";
  interface.tiers = {"x86-64"};
  Status status = checkHost(interface);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().rule, "ART-3");
  EXPECT_EQ(status.error().kind, FailureKind::Unsupported);
}

TEST(Artifact, AnotherProcessorIsRefused) {
  Interface interface;
  interface.target = "x86_64-linux-gnu";
  interface.tiers = {"avx99"};
  Status status = checkHost(interface);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().rule, "ART-4");
  EXPECT_NE(status.error().message.find("avx99"), std::string::npos);
  interface.tiers.push_back("x86-64");
  EXPECT_TRUE(checkHost(interface));
}

/// Code that AVX2 emulates needs AVX2; where that is there, the hint tells of
/// it.
TEST(Artifact, EmulatedCodeNeedsAvx2) {
  bool hasAvx2 = missingFeatures("avx2").empty();
  Interface interface;
  interface.target = "x86_64-linux-gnu";
  interface.tiers = {"avx99"};
  Status plain = checkHost(interface);
  ASSERT_FALSE(plain);
  EXPECT_EQ(plain.error().hint.find("--emulate") != std::string::npos, hasAvx2);
  interface.emulated = true;
  Status emulated = checkHost(interface);
  EXPECT_EQ(static_cast<bool>(emulated), hasAvx2);
  if (!emulated)
    EXPECT_EQ(emulated.error().rule, "ART-4");
}

/// The baseline is there wherever a test runs; of what is not, the missing
/// parts are named.
TEST(Artifact, WhatATierLacksIsNamed) {
  EXPECT_TRUE(missingFeatures("x86-64").empty());
  EXPECT_TRUE(missingFeatures("no such tier").empty());
  for (const char *tier : {"avx2", "avxvnni", "avx512vnni"}) {
    Interface interface;
    interface.target = hostTarget();
    interface.tiers = {tier};
    auto missing = missingFeatures(tier);
    Status status = checkHost(interface);
    EXPECT_EQ(missing.empty(), static_cast<bool>(status)) << tier;
    for (const std::string &feature : missing)
      EXPECT_NE(status.error().message.find(feature), std::string::npos)
          << status.error().str();
  }
}

TEST(Artifact, WhatLooksLikeOne) {
  TestFolder folder;
  ASSERT_TRUE(writeFileAtomically(folder.path("renamed"), object()));
  EXPECT_TRUE(looksLikeArtifact(folder.path("renamed")));
  EXPECT_FALSE(looksLikeArtifact("/nonexistent"));
  for (const char *name : {"/nonexistent.so", "/nonexistent.o", "a.a"})
    EXPECT_TRUE(looksLikeArtifact(name)) << name;
  EXPECT_FALSE(looksLikeArtifact(TALLY_SOURCE_DIR "/CMakeLists.txt"));
}
