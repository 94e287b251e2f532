//===- ReportText.cpp - a synchronization plan for people -----------------===//

#include "tally/plan/sync/Outline.h"
#include "tally/plan/sync/Report.h"
#include "tally/plan/sync/Text.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <span>

using namespace tally::plan::sync;

std::string tally::plan::sync::registerName(const SyncProblem &problem,
                                            const Register &reg) {
  std::string name;
  if (reg.source != kAnyQueue)
    name += problem.queues[reg.source].name;
  if (reg.destination != kAnyQueue)
    name += ">" + problem.queues[reg.destination].name;
  return name + (name.empty() ? "" : ":") + std::to_string(reg.number);
}

std::string tally::plan::sync::commandName(const SyncProblem &problem,
                                           const SyncPlan &plan, Op op) {
  size_t count = problem.operations.size();
  if (op < count)
    return problem.operations[op].name;
  const Gate &gate = plan.gates[op - count];
  return std::string(gate.isAfter ? "after " : "before ") +
         problem.regions[gate.region].name + " in " +
         problem.queues[gate.queue].name;
}

static void printNeed(llvm::raw_ostream &os, const SyncProblem &problem,
                      const SyncReport &report) {
  os << report.edges << " of " << report.dependencies
     << " dependencies need a signal; the others follow from them and the "
        "queues\n";
  os << kindName(problem.file.kind) << "s: " << report.needed
     << " needed without added order";
  if (report.proof == Proof::Bracket)
    os << " (at least " << report.lowerBound << ")";
  else
    os << " (no fewer, proof: " << proofName(report.proof) << ")";
  os << ", " << report.usable << " usable, " << problem.file.reserved.size()
     << " reserved\n";
}

/// "live operations 3 to 7"; of a loop, "live from trip to trip".
static std::string lifeOf(const Holder &holder) {
  Op last = holder.waiters.empty() ? holder.op : holder.waiters.back();
  if (last <= holder.op)
    return "live from trip to trip";
  return "live operations " + std::to_string(holder.op) + " to " +
         std::to_string(last);
}

static void printWaiters(llvm::raw_ostream &os, const SyncProblem &problem,
                         const SyncPlan &plan, const Holder &holder) {
  for (Op waiter : holder.waiters)
    os << " " << commandName(problem, plan, waiter);
  if (holder.waiters.size() > 1)
    os << " (" << holder.waiters.size() << " waiters)";
}

static void printPressure(llvm::raw_ostream &os, const SyncProblem &problem,
                          const SyncSolution &solution) {
  const SyncReport &report = solution.report;
  if (report.pressure.empty())
    return;
  os << (report.pricedTrips.empty() ? "cannot share with each other:\n"
                                    : "signals of loops and ifs:\n");
  for (const Holder &holder : report.pressure) {
    os << "  " << commandName(problem, solution.plan, holder.op);
    if (holder.op < problem.operations.size())
      os << " (" << problem.queues[problem.operations[holder.op].queue].name
         << ")";
    os << ", awaited by";
    printWaiters(os, problem, solution.plan, holder);
    os << ", " << lifeOf(holder) << ", slack " << holder.slack << "\n";
  }
}

static void printPrices(llvm::raw_ostream &os, const SyncProblem &problem,
                        const SyncReport &report) {
  os << "plan: " << methodName(report.method) << ", " << report.addedOrder
     << " edges added; predicted " << report.makespan << " (unlimited "
     << report.unlimited << ", serial " << report.serial << ")\n";
  for (size_t i = 0; i < report.pricedTrips.size(); ++i)
    if (problem.regions[i].kind == Region::Loop)
      os << "  with " << report.pricedTrips[i] << " trips of "
         << problem.regions[i].name << "\n";
  for (const PricePoint &point : report.curve)
    os << "  " << point.registers << " registers: " << point.makespan << " ("
       << methodName(point.method) << ")\n";
}

namespace {
/// Walks the commands in the order of the text.
class CommandPrinter {
public:
  CommandPrinter(llvm::raw_ostream &os, const SyncProblem &problem,
                 const SyncPlan &plan)
      : os(os), problem(problem), plan(plan) {}

  void print() {
    for (const OutlineStep &step : outlineOf(problem))
      printStep(step);
    for (uint32_t reg : plan.finalClears)
      os << "at the end clear " << name(reg) << "\n";
  }

private:
  std::string name(uint32_t reg) const {
    return registerName(problem, plan.registers[reg]);
  }

  void printStep(const OutlineStep &step) {
    if (step.kind == OutlineStep::Operation)
      return printOne(step.index, step.depth);
    const Region &region = problem.regions[step.index];
    bool isLoop = region.kind == Region::Loop;
    if (isLoop && step.kind == OutlineStep::Begin)
      printGates(step.index, false, step.depth);
    os.indent(step.depth * 2);
    if (step.kind == OutlineStep::Begin)
      os << (isLoop ? "loop " : "if ") << region.name << "\n";
    else
      os << (step.kind == OutlineStep::Else ? "else\n" : "end\n");
    if (isLoop && step.kind == OutlineStep::End)
      printGates(step.index, true, step.depth);
  }

  void printGates(uint32_t region, bool isAfter, uint32_t depth) {
    for (size_t i = 0; i < plan.gates.size(); ++i)
      if (plan.gates[i].region == region && plan.gates[i].isAfter == isAfter)
        printOne(static_cast<Op>(problem.operations.size() + i), depth);
  }

  template <typename Command>
  static std::span<const Command> ofOp(const std::vector<Command> &all, Op op) {
    auto begin = std::partition_point(all.begin(), all.end(),
                                      [&](auto &one) { return one.op < op; });
    auto end = std::partition_point(begin, all.end(),
                                    [&](auto &one) { return one.op == op; });
    return {begin, end};
  }

  void printOne(Op op, uint32_t depth) {
    if (std::binary_search(plan.drains.begin(), plan.drains.end(), op))
      os.indent(depth * 2) << "drain\n";
    os.indent(depth * 2) << commandName(problem, plan, op) << ":";
    printWaits(op);
    for (const Clear &clear : ofOp(plan.clears, op))
      os << " clear " << name(clear.reg);
    for (const Signal &signal : ofOp(plan.signals, op))
      os << " signal " << name(signal.reg);
    if (std::binary_search(plan.compensated.begin(), plan.compensated.end(),
                           op))
      os << " (these also where another branch runs)";
    os << "\n";
  }

  void printWaits(Op op) {
    uint32_t command = 0;
    for (const Wait &wait : ofOp(plan.waits, op)) {
      if (wait.command != command)
        os << " | before it:";
      command = wait.command;
      os << " wait " << name(wait.reg);
      if (wait.isRelative)
        os << " but " << wait.value;
      else if (problem.file.kind == FileKind::Counter)
        os << ">=" << wait.value;
    }
  }

  llvm::raw_ostream &os;
  const SyncProblem &problem;
  const SyncPlan &plan;
};
} // namespace

void tally::plan::sync::printSolution(llvm::raw_ostream &os,
                                      const SyncProblem &problem,
                                      const SyncSolution &solution) {
  printNeed(os, problem, solution.report);
  printPressure(os, problem, solution);
  printPrices(os, problem, solution.report);
  os << "\n";
  CommandPrinter(os, problem, solution.plan).print();
}
