//===- ScheduleCacheTest.cpp - measured schedules in a file ---------------===//

#include "tally/driver/tune/ScheduleCache.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/TestFolder.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::tune;
using cpu::ChosenSchedule;
using cpu::ProductSchedules;
using cpu::ProductTask;

namespace {

const Place kPlace = {"znver3", 1};
const ProductTask kTask = {
    cpu::Tier::Avx2, ProductTask::Kind::Dots, 49, 512, 256, 1024};

ProductSchedules schedules(const ProductTask &task = kTask) {
  ChosenSchedule chosen;
  chosen.schedule = {5, 1, 49, 64, true, false};
  chosen.source = ChosenSchedule::Source::Measured;
  chosen.seconds = 0.00125;
  chosen.cheapestSeconds = 0.0015;
  return {{task, chosen}};
}

ScheduleCache filled() {
  ScheduleCache cache;
  cache.put(kPlace, schedules());
  return cache;
}

/// The text of `filled` with one part in the place of another.
std::string changed(const std::string &from, const std::string &to) {
  std::string text = filled().text();
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expectBroken(const std::string &text, const std::string &why) {
  auto cache = ScheduleCache::parse(text, "cache.json");
  ASSERT_FALSE(cache) << why;
  EXPECT_EQ(cache.error().kind, FailureKind::Model);
  EXPECT_EQ(cache.error().rule, "TUNE-2");
  EXPECT_EQ(cache.error().file, "cache.json");
  EXPECT_NE(cache.error().message.find(why), std::string::npos)
      << cache.error().message;
  EXPECT_NE(cache.error().hint.find("--tune-cache"), std::string::npos);
}

TEST(ScheduleCache, GivesBackWhatWasPut) {
  auto cache = ScheduleCache::parse(filled().text(), "cache.json");
  ASSERT_TRUE(cache) << cache.error().str();
  EXPECT_EQ(cache->text(), filled().text());
  ProductSchedules found = cache->at(kPlace);
  ASSERT_EQ(found.size(), 1u);
  ChosenSchedule chosen = found.at(kTask), put = schedules().at(kTask);
  EXPECT_EQ(chosen.schedule, put.schedule);
  EXPECT_EQ(chosen.source, ChosenSchedule::Source::Cache);
  EXPECT_EQ(chosen.seconds, put.seconds);
  EXPECT_EQ(chosen.cheapestSeconds, put.cheapestSeconds);
}

TEST(ScheduleCache, BelongsToAPlaceAndAProduct) {
  ScheduleCache cache = filled();
  EXPECT_TRUE(cache.at({"skylake-avx512", 1}).empty());
  EXPECT_TRUE(cache.at({"znver3", 2}).empty());
  for (auto member :
       {&ProductTask::rows, &ProductTask::columns, &ProductTask::steps,
        &ProductTask::pitch, &ProductTask::squares, &ProductTask::channels}) {
    ProductTask other = kTask;
    ++(other.*member);
    EXPECT_FALSE(cache.at(kPlace).contains(other));
  }
  ProductTask other = kTask;
  other.tier = cpu::Tier::AvxVnni;
  EXPECT_FALSE(cache.at(kPlace).contains(other));
  other = kTask;
  other.kind = ProductTask::Kind::Tiles;
  EXPECT_FALSE(cache.at(kPlace).contains(other));
  other = kTask;
  other.isStraight = false;
  EXPECT_FALSE(cache.at(kPlace).contains(other));
}

TEST(ScheduleCache, AnotherVersionsEntriesAreNotLookedAt) {
  for (const auto &[from, to] :
       {std::pair<std::string, std::string>(", kernels ", ", kernels 9"),
        {"\"made_by\": \"tally ", "\"made_by\": \"tally 9"}}) {
    auto cache = ScheduleCache::parse(changed(from, to), "cache.json");
    ASSERT_TRUE(cache) << cache.error().str();
    EXPECT_TRUE(cache->at(kPlace).empty());
    EXPECT_EQ(cache->text(), ScheduleCache().text());
  }
}

TEST(ScheduleCache, BrokenFilesAreToldApart) {
  expectBroken("", "no JSON: ");
  expectBroken("{\"format\": ", "no JSON: ");
  expectBroken("[]", "lacks \"format\": \"tally schedules\"");
  expectBroken("{\"version\": 1, \"entries\": []}", "lacks \"format\"");
  expectBroken(changed("\"version\": 1", "\"version\": 2"),
               "of another version than 1");
  expectBroken(R"({"format": "tally schedules", "version": 1})",
               "without \"entries\"");
  expectBroken(R"({"format": "tally schedules", "version": 1, "entries": [1]})",
               "entry 0 is no object");
}

TEST(ScheduleCache, BrokenEntriesAreNamed) {
  auto expect = [](const char *from, const char *to, const char *member) {
    expectBroken(changed(from, to),
                 "entry 0 has no valid \"" + std::string(member) + "\"");
  };
  expect("\"cpu\"", "\"gpu\"", "cpu");
  expect("\"threads\": 1", "\"threads\": 0", "threads");
  expect("\"avx2\"", "\"avx3\"", "tier");
  expect("\"rows\": 49", "\"rows\": -49", "rows");
  expect("\"rows\": 49", "\"rows\": 4900000000", "rows");
  expect("\"columns\": 512", "\"columns\": \"512\"", "columns");
  expect("\"steps\": 256", "\"steps\": 0.5", "steps");
  expect("\"dots\"", "\"dot\"", "kind");
  expect("\"straight\": true", "\"straight\": 1", "straight");
  expect("\"squares\": 0", "\"squares\": -1", "squares");
  expect("\"channels\": 0", "\"channels\": true", "channels");
  expect("\"copies\": true", "\"copies\": null", "copies");
  expect("\"transforms\": false", "\"transforms\": 0", "transforms");
  expect("\"seconds\": 0.00125", "\"seconds\": -1", "seconds");
  expectBroken(changed("\"tile_rows\": 5", "\"tile_rows\": 7"),
               "entry 0 has a schedule that no code is made for: 7x1, 64 steps "
               "at a time, copied for dots 49 x 512 x 256");
  // A product without squares has none to be made by.
  expectBroken(changed("\"transforms\": false", "\"transforms\": true"),
               "entry 0 has a schedule that no code is made for: 5x1, ");
}

TEST(ScheduleCache, AFileMayBeAbsentOnlyWhereOneIsMade) {
  TestFolder folder;
  std::string path = folder.path("none.json");
  auto cache = ScheduleCache::read(path, /*mayBeAbsent=*/true);
  ASSERT_TRUE(cache);
  EXPECT_TRUE(cache->at(kPlace).empty());
  auto needed = ScheduleCache::read(path, /*mayBeAbsent=*/false);
  ASSERT_FALSE(needed);
  EXPECT_EQ(needed.error().rule, "FILE-IN-1");
}

/// What others wrote meanwhile stays; the folder is made.
TEST(ScheduleCache, AddsToAFile) {
  TestFolder folder;
  std::string path = folder.path("a/b/cache.json");
  ASSERT_TRUE(prepareFile(path));
  ASSERT_TRUE(addToFile(path, kPlace, schedules()));
  ASSERT_TRUE(addToFile(path, {"znver4", 2}, schedules()));
  ProductTask other = kTask;
  other.columns = 1024;
  ASSERT_TRUE(addToFile(path, kPlace, schedules(other)));
  auto cache = ScheduleCache::read(path, /*mayBeAbsent=*/false);
  ASSERT_TRUE(cache) << cache.error().str();
  EXPECT_EQ(cache->at(kPlace).size(), 2u);
  EXPECT_TRUE(cache->at(kPlace).contains(other));
  EXPECT_EQ(cache->at({"znver4", 2}).size(), 1u);
}

TEST(ScheduleCache, ABrokenFileIsNotWrittenOver) {
  TestFolder folder;
  std::string path = folder.path("cache.json");
  ASSERT_TRUE(writeFileAtomically(path, std::string_view("mine")));
  Status status = addToFile(path, kPlace, schedules());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().rule, "TUNE-2");
}

} // namespace
