//===- Svg.cpp - storages in time and memory as a drawing -----------------===//
//
// Steps at which nothing begins or ends are left out, so a column is as wide
// as any other. With accesses, operations stand side by side in the order of
// the text: a storage is drawn from its first access to its last, though what
// is really ordered may be less.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tally::plan::memory;

static constexpr StorageId kMostDrawn = 5000;
static constexpr double kWidth = 1200, kHeight = 600, kLeft = 90, kTop = 20;

namespace {
class Drawing {
public:
  Drawing(const MemoryProblem &problem, const MemorySolution &solution)
      : problem(problem), solution(solution), os(svg) {
    for (const Storage &storage : problem.storages)
      hasAccesses |= !storage.accesses.empty();
    for (const Storage &storage : problem.storages)
      for (const Interval &life : livesOf(storage))
        for (int64_t step : {life.begin, life.end})
          columns.push_back(step);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    if (columns.size() < 2)
      columns = {0, 1};
    height = std::max<int64_t>(solution.report.extent, 1);
    if (int64_t limit = problem.limits.tightest(); limit < 2 * height)
      height = std::max(height, limit);
  }

  std::string text() {
    os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
       << number(kLeft + kWidth + 20) << "\" height=\""
       << number(kTop + kHeight + 30)
       << "\" font-family=\"sans-serif\" font-size=\"11\">\n";
    axis();
    for (const Region &region : problem.reserved)
      band("reserved", "#bbb", columns.front(), columns.back(), region.begin,
           std::min(region.end, height), "reserved " + region.name);
    StorageId drawn = std::min<StorageId>(problem.storages.size(), kMostDrawn);
    for (StorageId id = 0; id < drawn; ++id)
      draw(id);
    peakStep();
    limits();
    os << "</svg>\n";
    return svg;
  }

private:
  std::vector<Interval> livesOf(const Storage &storage) const {
    if (!hasAccesses)
      return storage.life;
    if (storage.accesses.empty())
      return {};
    auto [first, last] =
        std::minmax_element(storage.accesses.begin(), storage.accesses.end());
    return {{*first, int64_t(*last) + 1}};
  }

  static std::string number(double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.1f", value);
    return text;
  }
  double x(int64_t step) const {
    auto at = std::lower_bound(columns.begin(), columns.end(), step);
    return kLeft +
           kWidth * double(at - columns.begin()) / double(columns.size() - 1);
  }
  double y(int64_t address) const {
    return kTop + kHeight * (1 - double(address) / double(height));
  }

  static std::string escaped(const std::string &text) {
    std::string result;
    for (char c : text)
      result += c == '&'   ? "&amp;"
                : c == '<' ? "&lt;"
                : c == '>' ? "&gt;"
                           : std::string(1, c);
    return result;
  }

  void label(double x, double y, const std::string &text) {
    os << "<text x=\"" << number(x) << "\" y=\"" << number(y) << "\">"
       << escaped(text) << "</text>\n";
  }

  void line(const char *kind, double x1, double y1, double x2, double y2,
            const char *color) {
    os << "<line class=\"" << kind << "\" x1=\"" << number(x1) << "\" y1=\""
       << number(y1) << "\" x2=\"" << number(x2) << "\" y2=\"" << number(y2)
       << "\" stroke=\"" << color << "\"/>\n";
  }

  void band(const char *kind, const char *color, int64_t begin, int64_t end,
            int64_t bottom, int64_t top, const std::string &title) {
    os << "<rect class=\"" << kind << "\" x=\"" << number(x(begin)) << "\" y=\""
       << number(y(top)) << "\" width=\"" << number(x(end) - x(begin))
       << "\" height=\"" << number(y(bottom) - y(top)) << "\" fill=\"" << color
       << "\" stroke=\"#456\" stroke-width=\"0.5\"><title>" << escaped(title)
       << "</title></rect>\n";
  }

  void axis() {
    for (int tick = 0; tick <= 4; ++tick) {
      int64_t address = height / 4 * tick;
      line("tick", kLeft - 5, y(address), kLeft + kWidth, y(address), "#ddd");
      label(4, y(address) + 4, std::to_string(address));
    }
    label(kLeft, kTop + kHeight + 16, std::to_string(columns.front()));
    label(kLeft + kWidth - 20, kTop + kHeight + 16,
          std::to_string(columns.back()));
  }

  bool isPeak(StorageId id) const {
    const std::vector<StorageId> &peak = solution.report.peakSet;
    return std::find(peak.begin(), peak.end(), id) != peak.end();
  }

  /// Parts are inside of their roots; the caller's bytes are elsewhere.
  void draw(StorageId id) {
    const Storage &storage = problem.storages[id];
    if (storage.kind == StorageClass::Caller || storage.bytes == 0 ||
        (storage.isPart() && isOfCaller(id)))
      return;
    int64_t bottom = solution.plan.offsets[id], top = bottom + storage.bytes;
    std::string title = storage.name + ", " + std::to_string(storage.bytes) +
                        " bytes at " + std::to_string(bottom);
    const char *kind = storage.isPart() ? "part"
                       : isPeak(id)     ? "peak"
                                        : "storage";
    const char *color = storage.isPart() ? "#dfe9c8"
                        : isPeak(id)     ? "#e07b6a"
                                         : "#c3d7e8";
    if (storage.kind != StorageClass::Transient)
      band(kind, isPeak(id) ? color : "#d8cbe6", columns.front(),
           columns.back(), bottom, top,
           title + " (" + className(storage.kind) + ")");
    else
      for (const Interval &life : livesOf(storage))
        if (life.begin < life.end)
          band(kind, color, life.begin, life.end, bottom, top,
               title + ", [" + std::to_string(life.begin) + ", " +
                   std::to_string(life.end) + ")");
  }

  bool isOfCaller(StorageId id) const {
    while (problem.storages[id].isPart())
      id = static_cast<StorageId>(problem.storages[id].root);
    return problem.storages[id].kind == StorageClass::Caller;
  }

  void peakStep() {
    if (int64_t step = solution.report.peakStep; step != kNone) {
      line("peak-step", x(step), kTop, x(step), kTop + kHeight, "#a02c1c");
      label(x(step) + 2, kTop - 6,
            "peak " + std::to_string(solution.report.livePeak) + " at step " +
                std::to_string(step));
    }
  }

  void limits() {
    const Limits &limits = problem.limits;
    for (auto [name, bytes] : {std::pair("encodable", limits.encodable),
                               std::pair("capacity", limits.capacity),
                               std::pair("budget", limits.budget),
                               std::pair("extent", solution.report.extent)})
      if (bytes <= height) {
        line("limit", kLeft, y(bytes), kLeft + kWidth, y(bytes), "#333");
        label(kLeft + kWidth - 160, y(bytes) - 3,
              std::string(name) + " " + std::to_string(bytes));
      }
  }

  const MemoryProblem &problem;
  const MemorySolution &solution;
  bool hasAccesses = false;
  std::vector<int64_t> columns;
  int64_t height = 1;
  std::string svg;
  llvm::raw_string_ostream os;
};
} // namespace

std::string tally::plan::memory::drawSvg(const MemoryProblem &problem,
                                         const MemorySolution &solution) {
  return Drawing(problem, solution).text();
}
