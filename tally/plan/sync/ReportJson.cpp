//===- ReportJson.cpp - a synchronization plan for programs ---------------===//

#include "tally/plan/sync/Report.h"
#include "tally/plan/sync/Text.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally::plan::sync;
namespace json = llvm::json;

static std::string nameOf(const SyncProblem &problem, Op op) {
  return json::fixUTF8(problem.operations[op].name);
}

static void writeReport(json::OStream &os, const SyncProblem &problem,
                        const SyncReport &report) {
  os.attribute("kind", kindName(problem.file.kind));
  os.attribute("method", methodName(report.method));
  os.attribute("dependencies", static_cast<int64_t>(report.dependencies));
  os.attribute("edges", static_cast<int64_t>(report.edges));
  os.attribute("added_edges", static_cast<int64_t>(report.addedOrder));
  os.attribute("usable", report.usable);
  os.attribute("reserved", static_cast<int64_t>(problem.file.reserved.size()));
  os.attribute("needed", report.needed);
  os.attribute("lower_bound", report.lowerBound);
  os.attribute("proof", proofName(report.proof));
  os.attribute("makespan", report.makespan);
  os.attribute("unlimited", report.unlimited);
  os.attribute("serial", report.serial);
}

static void writePressure(json::OStream &os, const SyncProblem &problem,
                          const SyncReport &report) {
  os.attributeArray("pressure", [&] {
    for (const Holder &holder : report.pressure)
      os.object([&] {
        os.attribute("op", nameOf(problem, holder.op));
        os.attributeArray("waiters", [&] {
          for (Op waiter : holder.waiters)
            os.value(nameOf(problem, waiter));
        });
        os.attribute("slack", holder.slack);
      });
  });
  os.attributeArray("prices", [&] {
    for (const PricePoint &point : report.curve)
      os.object([&] {
        os.attribute("registers", point.registers);
        os.attribute("makespan", point.makespan);
        os.attribute("method", methodName(point.method));
      });
  });
}

static void writeCommands(json::OStream &os, const SyncProblem &problem,
                          const SyncPlan &plan) {
  os.attributeArray("registers", [&] {
    for (const Register &reg : plan.registers)
      os.value(json::fixUTF8(registerName(problem, reg)));
  });
  auto list = [&](const char *key, const auto &commands, auto more) {
    os.attributeArray(key, [&] {
      for (const auto &command : commands)
        os.object([&] {
          os.attribute("op", nameOf(problem, command.op));
          os.attribute("register", static_cast<int64_t>(command.reg));
          more(command);
        });
    });
  };
  list("signals", plan.signals, [](const Signal &) {});
  list("waits", plan.waits, [&](const Wait &wait) {
    os.attribute("value", wait.value);
    os.attribute("command", static_cast<int64_t>(wait.command));
  });
  list("clears", plan.clears, [](const Clear &) {});
  os.attributeArray("drains", [&] {
    for (Op op : plan.drains)
      os.value(nameOf(problem, op));
  });
  os.attributeArray("final_clears", [&] {
    for (uint32_t reg : plan.finalClears)
      os.value(static_cast<int64_t>(reg));
  });
}

void tally::plan::sync::writeSolutionJson(llvm::raw_ostream &stream,
                                          const SyncProblem &problem,
                                          const SyncSolution &solution) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    writeReport(os, problem, solution.report);
    writePressure(os, problem, solution.report);
    writeCommands(os, problem, solution.plan);
  });
  stream << "\n";
}

void tally::plan::sync::writeRefusalJson(llvm::raw_ostream &stream,
                                         const Diagnostic &failure) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attributeObject("refused", [&] {
      os.attribute("rule", failure.rule);
      os.attribute("message", json::fixUTF8(failure.message));
      os.attribute("hint", json::fixUTF8(failure.hint));
      if (!failure.file.empty())
        os.attribute("file", json::fixUTF8(failure.file));
    });
  });
  stream << "\n";
}
