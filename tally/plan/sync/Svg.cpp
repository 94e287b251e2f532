//===- Svg.cpp - queues, signals and waits as a drawing -------------------===//
//
// An arrow is drawn from a signal to a wait on the same register when the
// signal is the last one of its queue before the waiter, in issue order: those
// are what the wait is there for.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Execution.h"
#include "tally/plan/sync/Report.h"
#include "tally/plan/sync/Schedule.h"

#include <algorithm>
#include <map>

using namespace tally::plan::sync;

static constexpr Op kMostDrawn = 2000;
static constexpr double kRow = 60, kBox = 28, kLeft = 120, kTop = 30;
static constexpr const char *kColors[] = {"#1b6ca8", "#c0392b", "#2e8b57",
                                          "#8e44ad", "#b9770e", "#148f77",
                                          "#7b241c", "#34495e"};

namespace {
class Drawing {
public:
  Drawing(const SyncProblem &problem, const SyncPlan &plan)
      : problem(problem), plan(plan) {
    drawn = static_cast<Op>(
        std::min<size_t>(problem.operations.size(), kMostDrawn));
    for (const Signal &signal : plan.signals)
      signalsOf[signal.reg].push_back(signal.op);
    collectArrows();
    schedule = predict(problem, byTarget(), plan.drains);
    int64_t end = 1;
    for (Op op = 0; op < drawn; ++op)
      end = std::max(end, schedule.end[op]);
    scale = std::max(1.0, std::min(40.0, 30000.0 / static_cast<double>(end)));
    width = kLeft + scale * static_cast<double>(end) + 40;
  }

  std::string text() {
    begin();
    for (Op drain : plan.drains)
      if (drain < drawn)
        line(x(schedule.start[drain]), kTop, x(schedule.start[drain]), bottom(),
             "#888", "drain");
    for (Op op = 0; op < drawn; ++op)
      box(op);
    for (const Arrow &arrow : arrows)
      if (arrow.to < drawn)
        draw(arrow);
    return svg + "</svg>\n";
  }

private:
  struct Arrow {
    Op from, to;
    uint32_t reg;
  };

  void collectArrows() {
    for (const Wait &wait : plan.waits) {
      std::map<uint32_t, Op> lastOfQueue;
      auto drain =
          std::upper_bound(plan.drains.begin(), plan.drains.end(), wait.op);
      Op first = drain == plan.drains.begin() ? 0 : *std::prev(drain);
      const std::vector<Op> &ops = signalsOf[wait.reg];
      auto end = std::lower_bound(ops.begin(), ops.end(), wait.op);
      for (auto at = end; at != ops.begin() &&
                          lastOfQueue.size() < problem.queues.size() &&
                          end - at < 64;) {
        if (*--at < first)
          break;
        lastOfQueue.try_emplace(problem.operations[*at].queue, *at);
      }
      for (auto [queue, op] : lastOfQueue)
        arrows.push_back({op, wait.op, wait.reg});
    }
  }

  std::vector<Edge> byTarget() const {
    std::vector<Edge> edges;
    edges.reserve(arrows.size());
    for (const Arrow &arrow : arrows)
      edges.push_back({arrow.from, arrow.to});
    return edges;
  }

  double x(int64_t time) const {
    return kLeft + scale * static_cast<double>(time);
  }
  double y(Op op) const { return kTop + kRow * problem.operations[op].queue; }
  double bottom() const {
    return kTop + kRow * static_cast<double>(problem.queues.size());
  }

  static std::string number(double value) {
    std::string text = std::to_string(value);
    return text.substr(0, text.find('.') + 2);
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
    svg += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\">" +
           escaped(text) + "</text>\n";
  }

  void begin() {
    svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) +
          "\" height=\"" + number(bottom() + 20) +
          "\" font-family=\"sans-serif\" font-size=\"11\">\n"
          "<defs><marker id=\"head\" markerWidth=\"6\" markerHeight=\"6\" "
          "refX=\"6\" refY=\"3\" orient=\"auto\"><path d=\"M0,0 L6,3 L0,6 "
          "z\"/></marker></defs>\n";
    for (size_t queue = 0; queue < problem.queues.size(); ++queue)
      label(8, kTop + kRow * static_cast<double>(queue) + 18,
            problem.queues[queue].name);
  }

  void box(Op op) {
    double boxWidth =
        std::max(2.0, x(schedule.end[op]) - x(schedule.start[op]) - 1);
    svg += "<rect class=\"op\" x=\"" + number(x(schedule.start[op])) +
           "\" y=\"" + number(y(op)) + "\" width=\"" + number(boxWidth) +
           "\" height=\"" + number(kBox) +
           "\" fill=\"#dbe7f0\" stroke=\"#567\"><title>" +
           escaped(problem.operations[op].name) + " [" +
           std::to_string(schedule.start[op]) + ", " +
           std::to_string(schedule.end[op]) + ")</title></rect>\n";
    if (boxWidth > 14)
      label(x(schedule.start[op]) + 3, y(op) + 18, problem.operations[op].name);
  }

  void line(double x1, double y1, double x2, double y2, const char *color,
            const std::string &title) {
    svg += "<line class=\"" + std::string(title == "drain" ? title : "wait") +
           "\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" +
           number(x2) + "\" y2=\"" + number(y2) + "\" stroke=\"" + color +
           "\"" + (title == "drain" ? "" : " marker-end=\"url(#head)\"") +
           "><title>" + escaped(title) + "</title></line>\n";
  }

  void draw(const Arrow &arrow) {
    line(x(schedule.end[arrow.from]), y(arrow.from) + kBox / 2,
         x(schedule.start[arrow.to]), y(arrow.to) + kBox / 2,
         kColors[arrow.reg % std::size(kColors)],
         problem.operations[arrow.from].name + " -> " +
             problem.operations[arrow.to].name + ", register " +
             registerName(problem, plan.registers[arrow.reg]));
  }

  const SyncProblem &problem;
  const SyncPlan &plan;
  Op drawn = 0;
  std::map<uint32_t, std::vector<Op>> signalsOf;
  std::vector<Arrow> arrows;
  Schedule schedule;
  double scale = 1, width = 0;
  std::string svg;
};
} // namespace

std::string tally::plan::sync::drawSvg(const SyncProblem &problem,
                                       const SyncSolution &solution) {
  if (problem.regions.empty())
    return Drawing(problem, solution.plan).text();
  Execution run =
      execute(problem, solution.plan, {solution.report.pricedTrips});
  return Drawing(run.problem, run.plan).text();
}
