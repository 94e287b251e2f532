//===- ReportJson.cpp - a verdict for programs ----------------------------===//

#include "tally/run/checker/Report.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::checker;
namespace json = llvm::json;

static void writeText(json::OStream &os, const char *key,
                      const std::string &text) {
  if (!text.empty())
    os.attribute(key, json::fixUTF8(text));
}

static void writePlace(json::OStream &os, const Place &place) {
  os.attribute("address", int64_t(place.instruction) * isa::kInstructionBytes);
  os.attribute("instruction", json::fixUTF8(place.text));
  os.attribute("actor", json::fixUTF8(place.actor));
  if (place.entry > 0)
    os.attribute("entry", int64_t(place.entry));
  writeText(os, "node", place.node);
  writeText(os, "line", place.line);
}

static void writePlace(json::OStream &os, const char *key,
                       const std::optional<Place> &place) {
  if (place)
    os.attributeObject(key, [&] { writePlace(os, *place); });
}

static void writeOverlap(json::OStream &os, const Overlap &overlap) {
  os.attributeObject("overlap", [&] {
    os.attribute("space", json::fixUTF8(overlap.space));
    if (overlap.bytes.begin < overlap.bytes.end) {
      os.attribute("begin", overlap.bytes.begin);
      os.attribute("end", overlap.bytes.end);
    }
    writeText(os, "symbol", overlap.symbol);
  });
}

static void writeSchedule(json::OStream &os, const Verdict &verdict) {
  os.attribute("schedule_needs_deeper_queues", verdict.scheduleNeedsDepth);
  os.attributeArray("schedule", [&] {
    for (const ScheduleStep &step : verdict.schedule)
      os.object([&] {
        os.attribute("from", int64_t(step.from));
        os.attribute("to", int64_t(step.to));
        writePlace(os, step.last);
      });
  });
}

static void writeRejection(json::OStream &os, const Verdict &verdict) {
  os.attribute("rule", llvm::StringRef(infoOf(verdict.rule).code));
  os.attribute("message", json::fixUTF8(verdict.message));
  writeText(os, "hint", verdict.hint);
  writePlace(os, "first", verdict.first);
  writePlace(os, "second", verdict.second);
  if (verdict.overlap)
    writeOverlap(os, *verdict.overlap);
  if (!verdict.schedule.empty())
    writeSchedule(os, verdict);
  if (!verdict.blocked.empty())
    os.attributeArray("blocked", [&] {
      for (const Blocked &blocked : verdict.blocked)
        os.object([&] {
          writePlace(os, blocked.at);
          os.attribute("reason", json::fixUTF8(blocked.reason));
        });
    });
  if (!verdict.scalars.empty())
    os.attributeObject("scalars", [&] {
      for (const auto &[name, value] : verdict.scalars)
        os.attribute(json::fixUTF8(name), value);
    });
}

static void writeReview(json::OStream &os, const WaitReview &review) {
  os.attribute("count", review.waits);
  os.attribute("tried", review.tried);
  os.attributeArray("needless", [&] {
    for (const Place &place : review.needless)
      os.object([&] { writePlace(os, place); });
  });
}

void tally::checker::writeVerdictJson(llvm::raw_ostream &stream,
                                      const Verdict &verdict,
                                      const WaitReview *review) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("accepted", verdict.isAccepted);
    if (!verdict.isAccepted)
      writeRejection(os, verdict);
    const Statistics &statistics = verdict.statistics;
    os.attributeObject("statistics", [&] {
      os.attribute("executions", int64_t(statistics.executions));
      os.attribute("instructions", int64_t(statistics.instructions));
      os.attribute("entries", int64_t(statistics.entries));
      os.attribute("commands", int64_t(statistics.commands));
      os.attribute("accesses", int64_t(statistics.accesses));
      os.attribute("rounds", int64_t(statistics.rounds));
    });
    if (review)
      os.attributeObject("waits", [&] { writeReview(os, *review); });
  });
  stream << "\n";
}
