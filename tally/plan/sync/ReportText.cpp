//===- ReportText.cpp - a synchronization plan for people -----------------===//

#include "tally/plan/sync/Report.h"
#include "tally/plan/sync/Text.h"

#include "llvm/Support/raw_ostream.h"

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

static void printPressure(llvm::raw_ostream &os, const SyncProblem &problem,
                          const SyncReport &report) {
  if (report.pressure.empty())
    return;
  os << "cannot share with each other:\n";
  for (const Holder &holder : report.pressure) {
    os << "  " << problem.operations[holder.op].name << " ("
       << problem.queues[problem.operations[holder.op].queue].name
       << "), awaited by";
    for (Op waiter : holder.waiters)
      os << " " << problem.operations[waiter].name;
    os << ", live operations " << holder.op << " to " << holder.waiters.back()
       << ", slack " << holder.slack << "\n";
  }
}

static void printPrices(llvm::raw_ostream &os, const SyncReport &report) {
  os << "plan: " << methodName(report.method) << ", " << report.addedOrder
     << " edges added; predicted " << report.makespan << " (unlimited "
     << report.unlimited << ", serial " << report.serial << ")\n";
  for (const PricePoint &point : report.curve)
    os << "  " << point.registers << " registers: " << point.makespan << " ("
       << methodName(point.method) << ")\n";
}

namespace {
/// Walks the commands in issue order.
class CommandPrinter {
public:
  CommandPrinter(llvm::raw_ostream &os, const SyncProblem &problem,
                 const SyncPlan &plan)
      : os(os), problem(problem), plan(plan) {}

  void print() {
    for (Op op = 0; op < problem.operations.size(); ++op)
      printOne(op);
    for (uint32_t reg : plan.finalClears)
      os << "at the end clear " << name(reg) << "\n";
  }

private:
  std::string name(uint32_t reg) const {
    return registerName(problem, plan.registers[reg]);
  }

  void printOne(Op op) {
    if (drain < plan.drains.size() && plan.drains[drain] == op) {
      os << "drain\n";
      ++drain;
    }
    os << problem.operations[op].name << ":";
    uint32_t command = 0;
    for (; wait < plan.waits.size() && plan.waits[wait].op == op; ++wait) {
      if (plan.waits[wait].command != command)
        os << " | before it:";
      command = plan.waits[wait].command;
      os << " wait " << name(plan.waits[wait].reg);
      if (problem.file.kind == FileKind::Counter)
        os << ">=" << plan.waits[wait].value;
    }
    for (; clear < plan.clears.size() && plan.clears[clear].op == op; ++clear)
      os << " clear " << name(plan.clears[clear].reg);
    for (; signal < plan.signals.size() && plan.signals[signal].op == op;
         ++signal)
      os << " signal " << name(plan.signals[signal].reg);
    os << "\n";
  }

  llvm::raw_ostream &os;
  const SyncProblem &problem;
  const SyncPlan &plan;
  size_t signal = 0, wait = 0, clear = 0, drain = 0;
};
} // namespace

void tally::plan::sync::printSolution(llvm::raw_ostream &os,
                                      const SyncProblem &problem,
                                      const SyncSolution &solution) {
  printNeed(os, problem, solution.report);
  printPressure(os, problem, solution.report);
  printPrices(os, solution.report);
  os << "\n";
  CommandPrinter(os, problem, solution.plan).print();
}
