//===- ScheduleReport.cpp - schedules as people and programs see them -----===//

#include "tally/driver/tune/ScheduleReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace tally;

void tune::printSchedules(llvm::raw_ostream &os,
                          const std::vector<ScheduleRow> &rows) {
  std::map<std::pair<std::string, std::string>, const ScheduleRow *> products;
  for (const ScheduleRow &row : rows)
    products[{row.tier, row.product}] = &row;
  std::map<std::string, int64_t> sources;
  int64_t others = 0;
  double before = 0, saved = 0;
  for (const auto &[product, row] : products) {
    ++sources[row->source];
    others += row->schedule != row->cheapest;
    before += row->cheapestSeconds;
    saved += row->cheapestSeconds - row->seconds;
  }
  os << "schedules: " << sources["measured"] << " measured, "
     << sources["cache"] << " from the cache, " << sources["model"]
     << " neither; " << others << " other than the cheapest"
     << llvm::format(", which saves %.3f of %.3f ms\n", saved * 1e3,
                     before * 1e3);
}

void tune::writeSchedules(llvm::json::OStream &os,
                          const std::vector<ScheduleRow> &rows) {
  os.attributeArray("schedules", [&] {
    for (const ScheduleRow &row : rows)
      os.object([&] {
        os.attribute("node", llvm::json::fixUTF8(row.node));
        os.attribute("tier", row.tier);
        os.attribute("product", row.product);
        os.attribute("schedule", row.schedule);
        os.attribute("cheapest", row.cheapest);
        os.attribute("source", row.source);
        if (row.source == "model")
          return;
        os.attribute("seconds", row.seconds);
        os.attribute("cheapest_seconds", row.cheapestSeconds);
      });
  });
}
