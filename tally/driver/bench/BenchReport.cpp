//===- BenchReport.cpp - what a measurement shows -------------------------===//
//
// An operation is a multiplication or an addition, two to a multiply-add.
// Shares compare the least time with the greatest speed: both are what is left
// when other work on the machine disturbs neither.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/bench/BenchReport.h"
#include "tally/driver/Reports.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::bench;
namespace json = llvm::json;

bool tally::bench::multipliesFloats(const runtime::StageInterface &stage) {
  llvm::StringRef fused = llvm::StringRef(stage.op).split('+').second;
  for (llvm::StringRef op : llvm::split(fused, '+')) {
    if (op == "dequantize")
      return false;
    if (op == "quantize")
      return true;
  }
  return stage.isFloat;
}

Floor tally::bench::floorOf(const runtime::StageInterface &stage,
                            const Speed &speed, double part) {
  double rate = multipliesFloats(stage) ? speed.floatMacs : speed.integerMacs;
  return {part * static_cast<double>(stage.macs) / rate,
          static_cast<double>(stage.constantBytes) / speed.bytes};
}

Floor BenchReport::floorOfStage(size_t stage) const {
  auto part = parts.find(stage);
  return floorOf(interface.stages[stage], speed,
                 part == parts.end() ? 1 : part->second);
}

int64_t BenchReport::macs() const {
  int64_t total = 0;
  for (const runtime::StageInterface &stage : interface.stages)
    total += stage.macs;
  return total;
}

int64_t BenchReport::floatMacs() const {
  int64_t total = 0;
  for (const runtime::StageInterface &stage : interface.stages)
    total += multipliesFloats(stage) ? stage.macs : 0;
  return total;
}

double BenchReport::productSeconds() const {
  double total = 0;
  for (size_t i = 0; i < interface.stages.size(); ++i)
    total += floorOfStage(i).products;
  return total / static_cast<double>(threads);
}

double BenchReport::floorSeconds() const {
  double total = 0;
  for (size_t i = 0; i < interface.stages.size(); ++i)
    total += floorOfStage(i).seconds();
  return total / static_cast<double>(threads);
}

static double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

static std::string milliseconds(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.4f ms", seconds * 1e3);
  return text;
}

static std::string percent(double share) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f %%", share * 100);
  return text;
}

/// Operations in a second, of `macs` multiply-adds in a second.
static std::string speedText(double macs) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f GOP/s", 2 * macs / 1e9);
  return text;
}

static std::string spreadText(const Spread &spread) {
  return milliseconds(spread.median) + " median, half of them " +
         milliseconds(spread.lowerQuartile) + " to " +
         milliseconds(spread.upperQuartile) + ", least " +
         milliseconds(spread.minimum);
}

static std::string threadsText(int64_t threads) {
  return threads == 1 ? "one thread" : std::to_string(threads) + " threads";
}

static void printRatio(llvm::raw_ostream &os, const Spread &ratio) {
  os << llvm::format("%.2f times as long (median; half of them %.2f to %.2f)\n",
                     ratio.median, ratio.lowerQuartile, ratio.upperQuartile);
}

static void printAlone(llvm::raw_ostream &os, const AloneTime &alone) {
  os << "on one thread, in turn\n  time    " << spreadText(alone.seconds)
     << "\n  takes   ";
  printRatio(os, alone.ratio);
}

static void printRival(llvm::raw_ostream &os, const RivalTime &rival,
                       int64_t threads) {
  os << "against " << rival.name << ", " << threadsText(threads)
     << ", in turn\n  time    " << spreadText(rival.seconds) << "\n  takes   ";
  printRatio(os, rival.ratio);
}

static void printLayer(llvm::raw_ostream &os, const LayerTime &layer,
                       double total) {
  const runtime::StageInterface &stage = layer.stage;
  double rate =
      share(2 * static_cast<double>(stage.macs) / 1e9, layer.seconds.minimum);
  os << llvm::format(
            "%12.4f%9.4f%9.4f%7.1f%10.4f%8.1f%8.1f  ",
            layer.seconds.median * 1e3, layer.seconds.minimum * 1e3,
            (layer.seconds.upperQuartile - layer.seconds.lowerQuartile) * 1e3,
            100 * share(layer.seconds.median, total),
            layer.floor.seconds() * 1e3,
            100 * share(layer.floor.seconds(), layer.seconds.minimum), rate)
     << stage.op << (multipliesFloats(stage) ? " (float)  '" : "  '")
     << stage.node << (layer.schedule.empty() ? "'" : "'  ") << layer.schedule
     << "\n";
}

static void printLayers(llvm::raw_ostream &os, const BenchReport &report) {
  double total = 0;
  for (const LayerTime &layer : report.layers)
    total += layer.seconds.median;
  os << "by layer, in ms (floor %: of the least time)\n"
     << "      median    least   spread      %     floor floor %   GOP/s\n";
  for (const LayerTime &layer : report.layers)
    printLayer(os, layer, total);
  os << llvm::format("%12.4f  all of them\n", total * 1e3);
}

void tally::bench::printReport(llvm::raw_ostream &os,
                               const BenchReport &report) {
  const Speed &speed = report.speed;
  auto macs = static_cast<double>(report.macs());
  os << report.model << ": " << report.tier << ", "
     << threadsText(report.threads) << ", " << report.samples << " samples of "
     << report.runsPerSample << (report.runsPerSample == 1 ? " run" : " runs")
     << "\n  time    " << spreadText(report.seconds) << "\n  work    "
     << report.macs() << " multiply-adds, " << report.floatMacs()
     << " of them in float; " << speedText(share(macs, report.seconds.median))
     << " by the median, " << speedText(share(macs, report.seconds.minimum))
     << " at best\n"
     << "  peak    " << speedText(speed.integerMacs) << " of bytes, "
     << speedText(speed.floatMacs) << " of floats; used "
     << percent(share(report.productSeconds(), report.seconds.minimum))
     << "\n  floor   " << milliseconds(report.floorSeconds()) << ", "
     << percent(share(report.floorSeconds(), report.seconds.minimum))
     << " of the least time; constants at "
     << llvm::format("%.1f GB/s", speed.bytes / 1e9) << ", as "
     << bytesText(speed.readFrom) << " are read\n";
  if (report.alone)
    printAlone(os, *report.alone);
  if (report.rival)
    printRival(os, *report.rival, report.threads);
  if (report.schedules)
    tune::printSchedules(os, *report.schedules);
  if (!report.layers.empty())
    printLayers(os, report);
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

static void writeSpread(json::OStream &os, const char *name,
                        const Spread &spread) {
  os.attributeObject(name, [&] {
    os.attribute("minimum", spread.minimum);
    os.attribute("lower_quartile", spread.lowerQuartile);
    os.attribute("median", spread.median);
    os.attribute("upper_quartile", spread.upperQuartile);
  });
}

static void writeLayer(json::OStream &os, const LayerTime &layer) {
  os.object([&] {
    os.attribute("node", json::fixUTF8(layer.stage.node));
    os.attribute("operator", layer.stage.op);
    os.attribute("float", multipliesFloats(layer.stage));
    os.attribute("macs", layer.stage.macs);
    os.attribute("constant_bytes", layer.stage.constantBytes);
    writeSpread(os, "seconds", layer.seconds);
    os.attribute("floor_products", layer.floor.products);
    os.attribute("floor_constants", layer.floor.constants);
    if (!layer.schedule.empty())
      os.attribute("schedule", layer.schedule);
  });
}

static void writeSpeed(json::OStream &os, const Speed &speed) {
  os.attributeObject("core", [&] {
    os.attribute("integer_macs_per_second", speed.integerMacs);
    os.attribute("float_macs_per_second", speed.floatMacs);
    os.attribute("bytes_per_second", speed.bytes);
    os.attribute("bytes_read", speed.readFrom);
  });
}

static void writeRival(json::OStream &os, const RivalTime &rival) {
  os.attributeObject("against", [&] {
    os.attribute("name", rival.name);
    writeSpread(os, "seconds", rival.seconds);
    writeSpread(os, "ratio", rival.ratio);
  });
}

void tally::bench::writeReport(llvm::raw_ostream &stream,
                               const BenchReport &report) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("model", json::fixUTF8(report.model));
    os.attribute("tier", report.tier);
    os.attribute("threads", report.threads);
    os.attribute("samples", report.samples);
    os.attribute("runs_per_sample", report.runsPerSample);
    os.attribute("macs", report.macs());
    os.attribute("float_macs", report.floatMacs());
    os.attribute("constant_bytes", report.interface.constBytes);
    os.attribute("arena_bytes", report.interface.arenaBytes);
    writeSpread(os, "seconds", report.seconds);
    os.attribute("seconds_of_products", report.productSeconds());
    os.attribute("seconds_of_floor", report.floorSeconds());
    writeSpeed(os, report.speed);
    if (report.alone)
      os.attributeObject("alone", [&] {
        writeSpread(os, "seconds", report.alone->seconds);
        writeSpread(os, "ratio", report.alone->ratio);
      });
    if (report.rival)
      writeRival(os, *report.rival);
    if (report.schedules)
      tune::writeSchedules(os, *report.schedules);
    if (!report.layers.empty())
      os.attributeArray("layers", [&] {
        for (const LayerTime &layer : report.layers)
          writeLayer(os, layer);
      });
  });
  stream << "\n";
}
