//===- BenchSvg.cpp - a bar for each layer --------------------------------===//

#include "tally/driver/bench/BenchReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tally;
using namespace tally::bench;

static constexpr double kRow = 18, kBar = 13, kLeft = 300, kTop = 46,
                        kBars = 560, kRight = 130;
static constexpr size_t kLongestName = 44;

/// The end of a long name: models repeat the beginning.
static std::string shortened(const std::string &name) {
  return name.size() <= kLongestName
             ? name
             : "..." + name.substr(name.size() - kLongestName + 3);
}

static void bar(llvm::raw_ostream &os, double y, double width,
                const char *color) {
  os << llvm::format("<rect x=\"%.0f\" y=\"%.1f\" width=\"%.2f\" "
                     "height=\"%.0f\" fill=\"%s\"/>\n",
                     kLeft, y, width, kBar, color);
}

static void text(llvm::raw_ostream &os, double x, double y, const char *anchor,
                 const std::string &words) {
  os << llvm::format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
                     anchor);
  llvm::printHTMLEscaped(words, os);
  os << "</text>\n";
}

static std::string milliseconds(double seconds) {
  std::string words;
  llvm::raw_string_ostream(words) << llvm::format("%.4f ms", seconds * 1e3);
  return words;
}

static void row(llvm::raw_ostream &os, const LayerTime &layer, double y,
                double scale) {
  double width = layer.seconds.median * scale;
  bar(os, y, width, multipliesFloats(layer.stage) ? "#b9770e" : "#1b6ca8");
  bar(os, y, std::min(layer.floor.seconds() * scale, width), "#2c3e50");
  text(os, kLeft - 6, y + kBar - 2, "end",
       shortened(layer.stage.node) + " " + layer.stage.op);
  text(os, kLeft + width + 6, y + kBar - 2, "start",
       milliseconds(layer.seconds.median));
}

std::string tally::bench::drawLayers(const BenchReport &report) {
  double longest = 1e-9;
  for (const LayerTime &layer : report.layers)
    longest = std::max(longest, layer.seconds.median);
  double height = kTop + kRow * static_cast<double>(report.layers.size()) + 10;
  std::string svg;
  llvm::raw_string_ostream os(svg);
  os << llvm::format("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                     "width=\"%.0f\" height=\"%.0f\" "
                     "font-family=\"sans-serif\" font-size=\"10\">\n",
                     kLeft + kBars + kRight, height)
     << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  text(os, 8, 16, "start",
       report.model + ", " + report.tier +
           (report.threads == 1
                ? ", one thread: "
                : ", " + std::to_string(report.threads) + " threads: ") +
           milliseconds(report.seconds.median));
  text(os, 8, 32, "start",
       "median time of each layer; integers blue, floats brown, the floor "
       "dark");
  double y = kTop;
  for (const LayerTime &layer : report.layers) {
    row(os, layer, y, kBars / longest);
    y += kRow;
  }
  os << "</svg>\n";
  return svg;
}
