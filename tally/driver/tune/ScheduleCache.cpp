//===- ScheduleCache.cpp - measured schedules in a file -------------------===//

#include "tally/driver/tune/ScheduleCache.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/driver/Version.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <filesystem>
#include <optional>

using namespace tally;
using namespace tally::tune;
using cpu::ChosenSchedule;
using cpu::ProductSchedule;
using cpu::ProductSchedules;
using cpu::ProductTask;
namespace json = llvm::json;
namespace fs = std::filesystem;

static constexpr const char *kFormat = "tally schedules";
static constexpr int64_t kFormatVersion = 1;

/// What made the code that was measured.
static std::string maker() {
  return std::string(kProducer) + ", kernels " +
         std::to_string(cpu::kScheduleGeneration);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Diagnostic broken(const std::string &path, const std::string &what) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "TUNE-2";
  failure.file = path;
  failure.message = what;
  failure.hint = "name another file with --tune-cache, or remove this one";
  return failure;
}

namespace {
/// Members of one entry; remembers the first that is wrong.
struct EntryReader {
  const json::Object &entry;
  std::string missing = {};

  int64_t number(const char *name, int64_t least = 1) {
    auto value = entry.getInteger(name);
    bool isSize = value && *value >= least && *value <= INT32_MAX;
    return isSize ? *value : (wrong(name), 1);
  }
  bool flag(const char *name) {
    auto value = entry.getBoolean(name);
    return value ? *value : (wrong(name), false);
  }
  std::string text(const char *name) {
    auto value = entry.getString(name);
    return value ? value->str() : (wrong(name), "");
  }
  double seconds(const char *name) {
    auto value = entry.getNumber(name);
    bool isTime = value && std::isfinite(*value) && *value >= 0;
    return isTime ? *value : (wrong(name), 0);
  }

private:
  void wrong(const char *name) {
    if (missing.empty())
      missing = name;
  }
};
} // namespace

static constexpr ProductTask::Kind kKinds[] = {ProductTask::Kind::Dots,
                                               ProductTask::Kind::Tiles};
static const char *kindName(ProductTask::Kind kind) { return nameOf(kind); }

/// The one of `all` that is called `name`.
template <typename List, typename Value>
static std::optional<Value> named(const List &all, const char *(*nameOf)(Value),
                                  const std::string &name) {
  for (Value value : all)
    if (name == nameOf(value))
      return value;
  return std::nullopt;
}

static Status readEntry(const json::Object &object, const std::string &path,
                        const std::string &where,
                        std::map<Place, ProductSchedules> &entries) {
  EntryReader entry = {object};
  if (entry.text("made_by") != maker() && entry.missing.empty())
    return Status::success();
  Place place = {entry.text("cpu"), entry.number("threads")};
  auto tier = named(cpu::allTiers(), cpu::tierName, entry.text("tier"));
  auto kind = named(kKinds, kindName, entry.text("kind"));
  if ((!tier || !kind) && entry.missing.empty())
    entry.missing = tier ? "kind" : "tier";
  ProductTask task = {
      tier.value_or(cpu::Tier()), kind.value_or(ProductTask::Kind()),
      entry.number("rows"),       entry.number("columns"),
      entry.number("steps"),      entry.number("pitch"),
      entry.flag("straight"),     entry.number("piece"),
      entry.number("squares", 0), entry.number("channels", 0)};
  ChosenSchedule chosen;
  chosen.schedule = {entry.number("tile_rows"), entry.number("tile_vectors"),
                     entry.number("row_block"), entry.number("step_block"),
                     entry.flag("copies"),      entry.flag("prefetches"),
                     entry.flag("transforms")};
  chosen.source = ChosenSchedule::Source::Cache;
  chosen.seconds = entry.seconds("seconds");
  chosen.cheapestSeconds = entry.seconds("cheapest_seconds");
  if (!entry.missing.empty())
    return broken(path, where + " has no valid \"" + entry.missing + "\"");
  if (!llvm::is_contained(cpu::candidatesOf(task), chosen.schedule))
    return broken(path, where + " has a schedule that no code is made for: " +
                            cpu::textOf(task, chosen.schedule) + " for " +
                            cpu::textOf(task));
  entries[place][task] = chosen;
  return Status::success();
}

Result<ScheduleCache> ScheduleCache::parse(const std::string &text,
                                           const std::string &path) {
  auto value = json::parse(text);
  if (!value)
    return broken(path, "no JSON: " + llvm::toString(value.takeError()));
  const json::Object *file = value->getAsObject();
  if (!file || file->getString("format") != kFormat)
    return broken(path, "no cache of schedules: it lacks \"format\": \"" +
                            std::string(kFormat) + "\"");
  if (file->getInteger("version") != kFormatVersion)
    return broken(path, "a cache of schedules of another version than " +
                            std::to_string(kFormatVersion));
  const json::Array *list = file->getArray("entries");
  if (!list)
    return broken(path, "a cache of schedules without \"entries\"");
  ScheduleCache cache;
  for (auto [i, entry] : llvm::enumerate(*list)) {
    std::string where = "entry " + std::to_string(i);
    const json::Object *object = entry.getAsObject();
    if (!object)
      return broken(path, where + " is no object");
    if (Status status = readEntry(*object, path, where, cache.entries); !status)
      return status.takeError();
  }
  return cache;
}

Result<ScheduleCache> ScheduleCache::read(const std::string &path,
                                          bool mayBeAbsent) {
  std::error_code failed;
  if (mayBeAbsent && !fs::exists(path, failed))
    return ScheduleCache();
  auto bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  return parse(std::string(bytes->begin(), bytes->end()), path);
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

ProductSchedules ScheduleCache::at(const Place &place) const {
  auto found = entries.find(place);
  return found == entries.end() ? ProductSchedules() : found->second;
}

void ScheduleCache::put(const Place &place, const ProductSchedules &schedules) {
  for (const auto &[task, chosen] : schedules)
    entries[place][task] = chosen;
}

static void writeEntry(json::OStream &os, const Place &place,
                       const ProductTask &task, const ChosenSchedule &chosen) {
  const ProductSchedule &schedule = chosen.schedule;
  os.object([&] {
    os.attribute("made_by", maker());
    os.attribute("cpu", json::fixUTF8(place.cpu));
    os.attribute("threads", place.threads);
    os.attribute("tier", cpu::tierName(task.tier));
    os.attribute("kind", nameOf(task.kind));
    os.attribute("rows", task.rows);
    os.attribute("columns", task.columns);
    os.attribute("steps", task.steps);
    os.attribute("pitch", task.pitch);
    os.attribute("straight", task.isStraight);
    os.attribute("piece", task.piece);
    os.attribute("squares", task.squares);
    os.attribute("channels", task.channels);
    os.attribute("tile_rows", schedule.rows);
    os.attribute("tile_vectors", schedule.vectors);
    os.attribute("row_block", schedule.rowBlock);
    os.attribute("step_block", schedule.stepBlock);
    os.attribute("copies", schedule.copies);
    os.attribute("prefetches", schedule.prefetches);
    os.attribute("transforms", schedule.transforms);
    os.attribute("seconds", chosen.seconds);
    os.attribute("cheapest_seconds", chosen.cheapestSeconds);
  });
}

std::string ScheduleCache::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream os(stream, 1);
  os.object([&] {
    os.attribute("format", kFormat);
    os.attribute("version", kFormatVersion);
    os.attributeArray("entries", [&] {
      for (const auto &[place, schedules] : entries)
        for (const auto &[task, chosen] : schedules)
          writeEntry(os, place, task, chosen);
    });
  });
  stream << "\n";
  return text;
}

Status tune::prepareFile(const std::string &path) {
  // A folder that cannot be made is told by the writing.
  std::error_code failed;
  if (fs::path folder = fs::path(path).parent_path(); !folder.empty())
    fs::create_directories(folder, failed);
  auto file = AtomicFile::create(path);
  return file ? Status::success() : file.takeError();
}

Status tune::addToFile(const std::string &path, const Place &place,
                       const ProductSchedules &schedules) {
  auto cache = ScheduleCache::read(path, /*mayBeAbsent=*/true);
  if (!cache)
    return cache.takeError();
  cache->put(place, schedules);
  return writeFileAtomically(path, std::string_view(cache->text()));
}
