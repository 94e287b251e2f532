//===- Svg.cpp - registers over time, as a drawing ------------------------===//
//
// One row a register, below them one a slot of the save area; from left to
// right the steps of the program, each with its reads, clobbers and writes. A
// box is a value while it is in that place; it is pale while only a late read
// still needs it.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Liveness.h"
#include "tally/plan/registers/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace tally;
using namespace tally::plan::registers;

static constexpr size_t kMostDrawn = 2000; ///< steps
static constexpr double kRow = 34, kBox = 26, kStep = 48, kLeft = 70;
static constexpr double kTop = 60;
static constexpr const char *kColors[] = {"#b7d3ea", "#f2c6bf", "#bfe0cc",
                                          "#dccbe6", "#f0dab5", "#bfe3dc",
                                          "#e2c4c0", "#ccd3da"};

namespace {
class Drawing {
public:
  Drawing(llvm::raw_ostream &os, const RegisterProblem &problem,
          const RegisterSolution &solution, const Liveness &liveness)
      : os(os), problem(problem), solution(solution), liveness(liveness) {
    steps = std::min(liveness.steps.size(), kMostDrawn);
  }
  void run();

private:
  void begin();
  void rowName(int64_t row, const std::string &name);
  void findHomes();
  void value(ValueId value);
  void stretch(ValueId value, Range range, int64_t row);
  void clobber(uint32_t reg);
  void box(Range range, int64_t row, const char *kind, const char *color,
           const std::string &label, const std::string &title);
  void transfer(const Transfer &transfer);
  Range spanOf(StatementId first, StatementId last) const;
  bool contains(StatementId id, StatementId wanted) const;
  std::string stepName(Point point) const;

  double x(Point point) const { return kLeft + kStep / kPointsPerStep * point; }
  double y(int64_t row) const { return kTop + kRow * static_cast<double>(row); }

  llvm::raw_ostream &os;
  const RegisterProblem &problem;
  const RegisterSolution &solution;
  const Liveness &liveness;
  size_t steps = 0;
  /// The row of each value at each drawn point where it is in a part.
  std::map<std::pair<ValueId, Point>, int64_t> partRows;
  std::map<ValueId, int64_t> slotRows;
};
} // namespace

std::string Drawing::stepName(Point point) const {
  const Step &step = liveness.steps[point / kPointsPerStep];
  const std::string &name = problem.statements[step.statement].name;
  return step.part == StepPart::Latch ? name + " again" : name;
}

bool Drawing::contains(StatementId id, StatementId wanted) const {
  const Statement &statement = problem.statements[id];
  auto inner = [&](StatementId one) { return contains(one, wanted); };
  return id == wanted || std::ranges::any_of(statement.body, inner) ||
         std::ranges::any_of(statement.otherwise, inner);
}

/// The points of two statements of one body and all between them.
Range Drawing::spanOf(StatementId first, StatementId last) const {
  auto begins = [&](const Step &step) { return step.statement == first; };
  auto ends = [&](const Step &step) { return contains(last, step.statement); };
  auto begin = std::ranges::find_if(liveness.steps, begins);
  auto end = std::find_if(liveness.steps.rbegin(), liveness.steps.rend(), ends);
  return {static_cast<Point>(begin - liveness.steps.begin()) * kPointsPerStep,
          static_cast<Point>(liveness.steps.rend() - end) * kPointsPerStep};
}

void Drawing::findHomes() {
  for (const Part &part : solution.parts) {
    Range span = spanOf(part.first, part.last);
    for (Point point = span.begin; point < span.end; ++point)
      partRows[{part.value, point}] = part.reg;
  }
  for (const Transfer &transfer : solution.transfers)
    slotRows[transfer.value] = problem.file.count + transfer.slot;
}

void Drawing::rowName(int64_t row, const std::string &name) {
  os << "<text x=\"8\" y=\"" << llvm::format("%.1f", y(row) + 18) << "\">"
     << name << "</text>\n";
}

void Drawing::begin() {
  int64_t rows = problem.file.count + problem.file.slots;
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
     << llvm::format("%.1f", x(static_cast<Point>(steps * kPointsPerStep)) + 20)
     << "\" height=\"" << llvm::format("%.1f", y(rows) + 10)
     << "\" font-family=\"sans-serif\" font-size=\"11\">\n";
  for (int64_t reg = 0; reg < problem.file.count; ++reg)
    rowName(reg, "r" + std::to_string(reg));
  for (int64_t slot = 0; slot < problem.file.slots; ++slot)
    rowName(problem.file.count + slot, "slot " + std::to_string(slot));
  for (Point point = 0; point < steps * kPointsPerStep;
       point += kPointsPerStep) {
    os << "<text class=\"step\" transform=\"translate("
       << llvm::format("%.1f", x(point) + 4) << ","
       << llvm::format("%.1f", kTop - 6) << ") rotate(-40)\">";
    llvm::printHTMLEscaped(stepName(point), os);
    os << "</text>\n";
  }
}

void Drawing::box(Range range, int64_t row, const char *kind, const char *color,
                  const std::string &label, const std::string &title) {
  range.end =
      std::min<Point>(range.end, static_cast<Point>(steps * kPointsPerStep));
  if (range.begin >= range.end)
    return;
  os << "<rect class=\"" << kind << "\" x=\""
     << llvm::format("%.1f", x(range.begin)) << "\" y=\""
     << llvm::format("%.1f", y(row)) << "\" width=\""
     << llvm::format("%.1f", x(range.end) - x(range.begin)) << "\" height=\""
     << llvm::format("%.1f", kBox) << "\" fill=\"" << color
     << "\" stroke=\"#567\"><title>";
  llvm::printHTMLEscaped(title, os);
  os << "</title></rect>\n";
  if (label.empty())
    return;
  os << "<text x=\"" << llvm::format("%.1f", x(range.begin) + 3) << "\" y=\""
     << llvm::format("%.1f", y(row) + 17) << "\">";
  llvm::printHTMLEscaped(label, os);
  os << "</text>\n";
}

/// A range of points at which `value` is in one row.
void Drawing::stretch(ValueId value, Range range, int64_t row) {
  const Value &what = problem.values[value];
  std::string title = what.name;
  if (!what.role.empty())
    title += " (" + what.role + ")";
  title += ": " + stepName(range.begin) + " to " + stepName(range.end - 1);
  box(range, row, "value", kColors[value % std::size(kColors)], what.name,
      title);
  for (Range flight : liveness.onlyInFlight[value]) {
    flight.begin = std::max(flight.begin, range.begin);
    flight.end = std::min(flight.end, range.end);
    box(flight, row, "flight", "#f7f7f7", "", what.name + " in flight");
  }
}

void Drawing::value(ValueId value) {
  int64_t home = solution.registers[value];
  if (auto slot = slotRows.find(value); slot != slotRows.end())
    home = slot->second;
  auto rowAt = [&](Point point) {
    auto part = partRows.find({value, point});
    return part == partRows.end() ? home : part->second;
  };
  for (Range range : liveness.values[value])
    for (Point begin = range.begin, end = begin; begin < range.end;
         begin = end) {
      while (end < range.end && rowAt(end) == rowAt(begin))
        ++end;
      stretch(value, {begin, end}, rowAt(begin));
    }
}

void Drawing::clobber(uint32_t reg) {
  for (Range range : liveness.clobbers[reg])
    box(range, reg, "clobber", "#555", "",
        "clobbered by " + stepName(range.begin));
}

/// A value of the save area visits a register for one statement.
void Drawing::transfer(const Transfer &transfer) {
  bool reload = transfer.kind == Transfer::Reload;
  Range span = spanOf(transfer.statement, transfer.statement);
  const std::string &name = problem.values[transfer.value].name;
  Range point{span.begin, span.begin + 1};
  if (!reload)
    point = {span.end - 1, span.end};
  box(point, transfer.reg, reload ? "reload" : "save",
      kColors[transfer.value % std::size(kColors)], "",
      (reload ? "reload " : "save ") + name);
}

void Drawing::run() {
  findHomes();
  begin();
  for (ValueId id = 0; id < problem.values.size(); ++id)
    value(id);
  for (uint32_t reg = 0; reg < liveness.clobbers.size(); ++reg)
    clobber(reg);
  for (const Transfer &one : solution.transfers)
    transfer(one);
  os << "</svg>\n";
}

std::string tally::plan::registers::drawSvg(const RegisterProblem &problem,
                                            const RegisterSolution &solution) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (Result<Liveness> liveness = computeLiveness(problem))
    Drawing(os, problem, solution, *liveness).run();
  return text;
}
