//===- Report.cpp - a register plan for people ----------------------------===//

#include "tally/plan/registers/Report.h"

#include "tally/plan/registers/Refusal.h"
#include "tally/plan/registers/Spill.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

using namespace tally;
using namespace tally::plan::registers;

static int64_t usedRegisters(const RegisterSolution &solution) {
  std::set<int64_t> used(solution.registers.begin(), solution.registers.end());
  for (const Transfer &transfer : solution.transfers)
    used.insert(transfer.reg);
  for (const Part &part : solution.parts)
    used.insert(part.reg);
  used.erase(kNone);
  return static_cast<int64_t>(used.size());
}

/// Of each statement, in the order of the text.
static std::vector<RegisterReport::Pressure>
pressureOf(const RegisterProblem &problem, const Liveness &liveness) {
  std::vector<RegisterReport::Pressure> result;
  std::vector<size_t> rowOf(problem.statements.size());
  for (size_t at = 0; at < liveness.steps.size(); ++at) {
    const Step &step = liveness.steps[at];
    if (step.part != StepPart::Latch) {
      rowOf[step.statement] = result.size();
      result.push_back({problem.statements[step.statement].name, 0});
    }
    int64_t &most = result[rowOf[step.statement]].registers;
    for (size_t point = 0; point < kPointsPerStep; ++point)
      most = std::max<int64_t>(most,
                               liveness.pressure[at * kPointsPerStep + point]);
  }
  return result;
}

static double costOf(const RegisterProblem &problem,
                     const RegisterSolution &solution) {
  std::set<ValueId> saved;
  for (const Transfer &transfer : solution.transfers)
    saved.insert(transfer.value);
  SpilledProblem costs(problem);
  double cost = 0;
  for (ValueId value : saved)
    cost += costs.costOf(value);
  return cost;
}

static double movesOf(const RegisterProblem &problem,
                      const RegisterSolution &solution) {
  std::vector<double> trips = tripsOf(problem);
  double moves = 0;
  for (const Part &part : solution.parts)
    moves += part.enters * trips[part.first] + part.leaves * trips[part.last];
  return moves;
}

RegisterReport
tally::plan::registers::makeReport(const RegisterProblem &problem,
                                   const RegisterSolution &solution) {
  RegisterReport report;
  report.usable = static_cast<int64_t>(usableRegisters(problem.file).size());
  report.used = usedRegisters(solution);
  report.cost = costOf(problem, solution);
  report.moves = movesOf(problem, solution);
  Result<Liveness> liveness = computeLiveness(problem);
  if (!liveness || liveness->pressure.empty())
    return report;
  report.pressure = pressureOf(problem, *liveness);
  auto peak = std::ranges::max_element(liveness->pressure);
  Point point = static_cast<Point>(peak - liveness->pressure.begin());
  report.peak = *peak;
  report.peakAt =
      problem.statements[liveness->steps[point / kPointsPerStep].statement]
          .name;
  report.peakSet = holdersAt(problem, *liveness, point);
  return report;
}

static void printPart(llvm::raw_ostream &os, const RegisterProblem &problem,
                      const Part &part) {
  const std::string &first = problem.statements[part.first].name;
  const std::string &last = problem.statements[part.last].name;
  os << "  r" << part.reg << " '" << problem.values[part.value].name << "'";
  os << " from '" << first << "' to '" << last << "'"
     << (part.enters ? ", moved there" : "")
     << (part.leaves ? ", moved back" : "") << "\n";
}

static void printTransfer(llvm::raw_ostream &os, const RegisterProblem &problem,
                          const Transfer &transfer) {
  bool reload = transfer.kind == Transfer::Reload;
  os << "  " << (reload ? "before '" : "after '")
     << problem.statements[transfer.statement].name
     << "': " << (reload ? "reload '" : "save '")
     << problem.values[transfer.value].name << "' "
     << (reload ? "to r" : "from r") << transfer.reg << ", slot "
     << transfer.slot << "\n";
}

void tally::plan::registers::printPlan(llvm::raw_ostream &os,
                                       const RegisterProblem &problem,
                                       const RegisterSolution &solution) {
  RegisterReport report = makeReport(problem, solution);
  os << "registers: " << report.used << " of " << report.usable
     << " used; peak " << report.peak;
  if (!report.peakAt.empty())
    os << " at '" << report.peakAt << "'";
  os << "\n";
  for (const Holder &holder : report.peakSet)
    os << "  " << describe(holder) << "\n";
  os << "values:\n";
  for (ValueId value = 0; value < problem.values.size(); ++value)
    if (int64_t reg = solution.registers[value]; reg != kNone)
      os << "  r" << reg << " '" << problem.values[value].name << "'\n";
  if (!solution.parts.empty())
    os << "parts, " << llvm::format("%g", report.moves) << " moves:\n";
  for (const Part &part : solution.parts)
    printPart(os, problem, part);
  if (!solution.transfers.empty())
    os << "transfers, cost " << llvm::format("%g", report.cost) << ":\n";
  for (const Transfer &transfer : solution.transfers)
    printTransfer(os, problem, transfer);
  os << "pressure:\n";
  for (const RegisterReport::Pressure &row : report.pressure)
    os << "  " << row.registers << " '" << row.statement << "'\n";
}
