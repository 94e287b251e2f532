//===- AtomicFileTest.cpp - a file written completely or not at all -------===//

#include "tally/support/AtomicFile.h"

#include "tally/support/ReadFile.h"
#include "tally/support/TestFolder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace tally;

namespace {

std::string contentOf(const std::string &path) {
  Result<std::vector<uint8_t>> bytes = readFile(path);
  return bytes ? std::string(bytes->begin(), bytes->end())
               : bytes.error().str();
}

unsigned modeOf(const std::string &path) {
  struct stat info{};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST(AtomicFile, AppearsOnCommitOnly) {
  TestFolder folder;
  std::string path = folder.path("out.txt");
  Result<AtomicFile> file = AtomicFile::create(path);
  ASSERT_TRUE(bool(file)) << file.error().str();
  EXPECT_TRUE(bool(file->append("one ")));
  EXPECT_TRUE(bool(file->append("two")));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(bool(file->commit()));
  EXPECT_EQ(contentOf(path), "one two");
  EXPECT_EQ(folder.entryCount(), 1u);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TestFolder folder;
  std::string path = folder.path("out.txt");
  ASSERT_TRUE(bool(writeFileAtomically(path, "old")));
  {
    Result<AtomicFile> file = AtomicFile::create(path);
    ASSERT_TRUE(bool(file));
    EXPECT_TRUE(bool(file->append("new")));
    EXPECT_EQ(folder.entryCount(), 2u);
  }
  EXPECT_EQ(contentOf(path), "old");
  EXPECT_EQ(folder.entryCount(), 1u);
}

TEST(AtomicFile, MovingKeepsOneOwner) {
  TestFolder folder;
  Result<AtomicFile> first = AtomicFile::create(folder.path("a"));
  Result<AtomicFile> second = AtomicFile::create(folder.path("b"));
  ASSERT_TRUE(first && second);
  *first = std::move(*second);
  EXPECT_TRUE(bool(first->commit()));
  EXPECT_TRUE(std::filesystem::exists(folder.path("b")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("a")));
}

TEST(AtomicFile, ModeDoesNotDependOnUmask) {
  TestFolder folder;
  mode_t before = ::umask(0077);
  EXPECT_TRUE(bool(writeFileAtomically(folder.path("data"), "")));
  EXPECT_TRUE(bool(
      writeFileAtomically(folder.path("program"), "", FileMode::Executable)));
  ::umask(before);
  EXPECT_EQ(modeOf(folder.path("data")), 0644u);
  EXPECT_EQ(modeOf(folder.path("program")), 0755u);
}

TEST(AtomicFile, AnotherWriterMayReplaceTheTemporary) {
  TestFolder folder;
  Result<AtomicFile> file = AtomicFile::create(folder.path("lib.so"));
  ASSERT_TRUE(bool(file));
  ASSERT_TRUE(bool(writeFileAtomically(file->temporaryPath(), "linked")));
  EXPECT_TRUE(bool(file->commit()));
  EXPECT_EQ(contentOf(folder.path("lib.so")), "linked");
}

TEST(AtomicFile, FollowsALink) {
  TestFolder folder;
  ASSERT_TRUE(bool(writeFileAtomically(folder.path("real"), "old")));
  std::filesystem::create_symlink("real", folder.path("link"));
  EXPECT_TRUE(bool(writeFileAtomically(folder.path("link"), "new")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(contentOf(folder.path("real")), "new");
}

TEST(AtomicFile, LongestNameWorks) {
  TestFolder folder;
  std::string path = folder.path(std::string(255, 'n'));
  Status status = writeFileAtomically(path, "x");
  EXPECT_TRUE(bool(status)) << status.error().str();
  EXPECT_EQ(contentOf(path), "x");
}

/// The rule label of the failure to write `path`.
std::string refusal(const std::string &path) {
  Status status = writeFileAtomically(path, "x");
  if (status)
    return "written";
  EXPECT_EQ(status.error().kind, FailureKind::System);
  return status.error().rule;
}

TEST(AtomicFile, RefusesWithAReason) {
  TestFolder folder;
  std::filesystem::create_symlink("nowhere", folder.path("dangling"));
  EXPECT_EQ(refusal(folder.path("missing/out")), "FILE-OUT-1");
  EXPECT_EQ(refusal(folder.path("")), "FILE-OUT-2");
  EXPECT_EQ(refusal(""), "FILE-OUT-2");
  EXPECT_EQ(refusal("/dev/null"), "FILE-OUT-2");
  EXPECT_EQ(refusal(folder.path("dangling")), "FILE-OUT-2");
}

TEST(AtomicFile, UnwritableFolderIsNamed) {
  // /proc refuses new files even to root.
  Status status = writeFileAtomically("/proc/tally-out", "x");
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().rule, "FILE-OUT-1");
  EXPECT_EQ(status.error().file, "/proc/tally-out");
}

TEST(AtomicFile, CommitReportsAVanishedTemporary) {
  TestFolder folder;
  Result<AtomicFile> file = AtomicFile::create(folder.path("out"));
  ASSERT_TRUE(bool(file));
  std::filesystem::remove(file->temporaryPath());
  Status status = file->commit();
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().rule, "FILE-OUT-3");
}

TEST(ReadFile, ReadsBytes) {
  TestFolder folder;
  std::string path = folder.path("in");
  ASSERT_TRUE(bool(writeFileAtomically(path, std::string_view("a\0b", 3))));
  EXPECT_EQ(contentOf(path), std::string("a\0b", 3));
}

TEST(ReadFile, RefusesWithAReason) {
  TestFolder folder;
  std::string fifo = folder.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ASSERT_TRUE(bool(writeFileAtomically(folder.path("five"), "12345")));
  EXPECT_EQ(readFile(folder.path("missing")).error().rule, "FILE-IN-1");
  EXPECT_EQ(readFile(folder.path("")).error().rule, "FILE-IN-2");
  EXPECT_EQ(readFile(fifo).error().rule, "FILE-IN-2"); // and does not hang
  EXPECT_EQ(readFile("/dev/zero").error().rule, "FILE-IN-2");
  EXPECT_EQ(readFile(folder.path("five"), 4).error().rule, "FILE-IN-3");
  EXPECT_TRUE(bool(readFile(folder.path("five"), 5)));
}

} // namespace
