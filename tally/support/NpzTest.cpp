//===- NpzTest.cpp - NumPy's archives of arrays ---------------------------===//

#include "tally/support/Npz.h"

#include "tally/support/AtomicFile.h"
#include "tally/support/TestFolder.h"
#include "tally/support/TestPython.h"
#include "tally/support/TestRequirement.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tally;

namespace {

std::vector<NpzEntry> twoArrays() {
  return {{"x", {NpyType::U8, {3}, {1, 2, 3}}},
          {"y", {NpyType::I16, {50, 100}, std::vector<uint8_t>(10000, 7)}}};
}

std::vector<uint8_t> archive(const std::vector<NpzEntry> &entries,
                             NpzCompression compression) {
  Result<std::vector<uint8_t>> bytes = serializeNpz(entries, compression);
  EXPECT_TRUE(bool(bytes)) << bytes.error().str();
  return *bytes;
}

/// The rule that refuses `file`, or "accepted".
std::string refusal(const std::vector<uint8_t> &file,
                    int64_t maxBytes = defaultFileLimit) {
  Result<std::vector<NpzEntry>> entries = parseNpz(file, "t.npz", maxBytes);
  if (entries)
    return "accepted";
  EXPECT_EQ(entries.error().file, "t.npz");
  return entries.error().rule;
}

/// Replaces `from` by `to`, of equal length, wherever it occurs.
std::vector<uint8_t> replaced(std::vector<uint8_t> file, std::string_view from,
                              std::string_view to) {
  EXPECT_EQ(from.size(), to.size());
  auto at = file.begin();
  int count = 0;
  while ((at = std::search(at, file.end(), from.begin(), from.end())) !=
         file.end()) {
    std::copy(to.begin(), to.end(), at);
    ++count;
  }
  EXPECT_GT(count, 0) << from;
  return file;
}

/// Overwrites a little-endian field in both headers of the first entry. Local
/// headers start with PK\3\4, central ones with PK\1\2, where every field of
/// interest lies two bytes later.
void setField(std::vector<uint8_t> &file, size_t localOffset, uint32_t value,
              int bytes) {
  const uint8_t central[] = {'P', 'K', 1, 2};
  auto entry = std::search(file.begin(), file.end(), std::begin(central),
                           std::end(central));
  ASSERT_NE(entry, file.end());
  size_t centralOffset = size_t(entry - file.begin()) + localOffset + 2;
  for (int i = 0; i < bytes; ++i) {
    file[localOffset + i] = uint8_t(value >> (8 * i));
    file[centralOffset + i] = uint8_t(value >> (8 * i));
  }
}
constexpr size_t methodField = 8, flagsField = 6, compressedSizeField = 18,
                 sizeField = 22;

TEST(Npz, RoundTripsBothWays) {
  for (NpzCompression compression :
       {NpzCompression::Stored, NpzCompression::Deflated}) {
    Result<std::vector<NpzEntry>> back =
        parseNpz(archive(twoArrays(), compression), "t");
    ASSERT_TRUE(bool(back)) << back.error().str();
    EXPECT_EQ(*back, twoArrays());
  }
}

TEST(Npz, DeflateIsSmaller) {
  EXPECT_LT(archive(twoArrays(), NpzCompression::Deflated).size(), 1500u);
  EXPECT_GT(archive(twoArrays(), NpzCompression::Stored).size(), 10000u);
}

TEST(Npz, BytesDoNotDependOnTimeZone) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  std::vector<uint8_t> first = archive(twoArrays(), NpzCompression::Stored);
  ::setenv("TZ", "Pacific/Auckland", 1);
  ::tzset();
  EXPECT_EQ(archive(twoArrays(), NpzCompression::Stored), first);
  ::unsetenv("TZ");
  // The date field of the first local header: 1980-01-01 is 0x0021.
  EXPECT_EQ(first[12], 0x21);
  EXPECT_EQ(first[13], 0);
}

TEST(Npz, ReadsAnEmptyArchive) {
  // Just the end record: its signature and zero for every count.
  std::vector<uint8_t> file(22, 0);
  std::copy_n("PK\5\6", 4, file.begin());
  Result<std::vector<NpzEntry>> back = parseNpz(file, "t");
  ASSERT_TRUE(bool(back)) << back.error().str();
  EXPECT_TRUE(back->empty());
}

TEST(NpzRules, Zip1) {
  EXPECT_EQ(refusal({}), "NPZ-ZIP-1");
  EXPECT_EQ(refusal(std::vector<uint8_t>(100, 'x')), "NPZ-ZIP-1");
  std::vector<uint8_t> file = archive(twoArrays(), NpzCompression::Stored);
  std::vector<uint8_t> shorter(file.begin(), file.end() - 30);
  EXPECT_EQ(refusal(shorter), "NPZ-ZIP-1");
  // One flipped bit of data: the checksum no longer holds.
  file[5000] ^= 1;
  EXPECT_EQ(refusal(file), "NPZ-ZIP-1");
}

TEST(NpzRules, Entry1) {
  std::vector<uint8_t> file = archive(twoArrays(), NpzCompression::Stored);
  EXPECT_EQ(refusal(replaced(file, "x.npy", "x.txt")), "NPZ-ENTRY-1");
  EXPECT_EQ(refusal(replaced(file, "x.npy", "y.npy")), "NPZ-ENTRY-1");

  std::vector<NpzEntry> entries = twoArrays();
  entries[1].name = "x";
  EXPECT_EQ(serializeNpz(entries).error().rule, "NPZ-ENTRY-1");
  entries[1].name = "";
  EXPECT_EQ(serializeNpz(entries).error().rule, "NPZ-ENTRY-1");
  EXPECT_EQ(serializeNpz({}).error().rule, "NPZ-ENTRY-1");
}

TEST(NpzRules, Method1) {
  std::vector<uint8_t> file = archive(twoArrays(), NpzCompression::Deflated);
  setField(file, methodField, 12, 2); // bzip2
  EXPECT_EQ(refusal(file), "NPZ-METHOD-1");
  file = archive(twoArrays(), NpzCompression::Stored);
  setField(file, flagsField, 1, 2); // encrypted
  EXPECT_EQ(refusal(file), "NPZ-METHOD-1");
}

TEST(NpzRules, Size1) {
  // 131 bytes of array (128 header + 3) cannot hold 4 GB, deflated or not.
  std::vector<uint8_t> file = archive(twoArrays(), NpzCompression::Stored);
  setField(file, sizeField, 0xfffffff0u, 4);
  EXPECT_EQ(refusal(file), "NPZ-SIZE-1");
  file = archive(twoArrays(), NpzCompression::Deflated);
  setField(file, sizeField, 0xfffffff0u, 4);
  EXPECT_EQ(refusal(file), "NPZ-SIZE-1");
  // The arrays take 128 + 3 and 128 + 10000 bytes: 10259 in all.
  file = archive(twoArrays(), NpzCompression::Deflated);
  EXPECT_EQ(refusal(file, 10258), "NPZ-SIZE-1");
  EXPECT_EQ(refusal(file, 10259), "accepted");
}

TEST(NpzRules, WrongClaimedSize) {
  // A claim that deflate could reach, but that the data does not.
  std::vector<uint8_t> file = archive(twoArrays(), NpzCompression::Deflated);
  setField(file, sizeField, 132, 4);
  EXPECT_EQ(refusal(file), "NPZ-ZIP-1");
  setField(file, sizeField, 130, 4);
  EXPECT_EQ(refusal(file), "NPZ-ZIP-1");
}

TEST(NpzRules, BrokenArrayNamesItsEntry) {
  std::vector<uint8_t> file = archive(
      {{"weights", {NpyType::U8, {3}, {1, 2, 3}}}}, NpzCompression::Stored);
  setField(file, sizeField, 130, 4);
  setField(file, compressedSizeField, 130, 4);
  Result<std::vector<NpzEntry>> entries = parseNpz(file, "t.npz");
  ASSERT_FALSE(bool(entries));
  EXPECT_EQ(entries.error().node, "weights.npy");
}

TEST(NpzRules, EveryTruncationIsRefused) {
  std::vector<uint8_t> file = archive(twoArrays(), NpzCompression::Deflated);
  for (size_t length = 0; length < file.size(); ++length)
    EXPECT_NE(refusal({file.begin(), file.begin() + int64_t(length)}),
              "accepted");
}

/// No single wrong byte may do worse than be refused.
TEST(NpzRules, EveryMutationIsSurvived) {
  std::vector<uint8_t> file = archive(twoArrays(), NpzCompression::Deflated);
  for (size_t at = 0; at < file.size(); ++at)
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> mutated = file;
      mutated[at] ^= flip;
      refusal(mutated);
    }
}

TEST(NpzAgainstNumpy, RoundTrip) {
  std::string python = testPython(TALLY_SOURCE_DIR);
  TALLY_REQUIRE_OR_SKIP(!python.empty(),
                        "no Python environment (scripts/setup makes one)");
  TestFolder folder;
  for (NpzCompression compression :
       {NpzCompression::Stored, NpzCompression::Deflated}) {
    ASSERT_TRUE(bool(writeNpz(folder.path("a.npz"), twoArrays(), compression)));
    ASSERT_TRUE(runPython(python,
                          "import sys, numpy as np;"
                          "d = sys.argv[1];"
                          "a = dict(np.load(d + '/a.npz'));"
                          "assert a['x'].tolist() == [1, 2, 3];"
                          "assert (a['y'] == 0x0707).all();"
                          "assert a['y'].shape == (50, 100);"
                          "np.savez(d + '/s.npz', **a);"
                          "np.savez_compressed(d + '/c.npz', **a)",
                          folder.path("")));
    for (const char *name : {"s.npz", "c.npz"}) {
      Result<std::vector<NpzEntry>> back = readNpz(folder.path(name));
      ASSERT_TRUE(bool(back)) << back.error().str();
      EXPECT_EQ(*back, twoArrays()) << name;
    }
  }
}

} // namespace
