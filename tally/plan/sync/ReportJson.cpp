//===- ReportJson.cpp - a synchronization plan for programs ---------------===//

#include "tally/plan/sync/Report.h"
#include "tally/plan/sync/Text.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally::plan::sync;
namespace json = llvm::json;

static std::string nameOf(const SyncProblem &problem, const SyncPlan &plan,
                          Op op) {
  return json::fixUTF8(commandName(problem, plan, op));
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
  os.attributeObject("priced_trips", [&] {
    for (size_t i = 0; i < report.pricedTrips.size(); ++i)
      if (problem.regions[i].kind == Region::Loop)
        os.attribute(json::fixUTF8(problem.regions[i].name),
                     static_cast<int64_t>(report.pricedTrips[i]));
  });
}

static void writePressure(json::OStream &os, const SyncProblem &problem,
                          const SyncSolution &solution) {
  const SyncReport &report = solution.report;
  os.attributeArray("pressure", [&] {
    for (const Holder &holder : report.pressure)
      os.object([&] {
        os.attribute("op", nameOf(problem, solution.plan, holder.op));
        if (holder.op < problem.operations.size())
          os.attribute(
              "queue",
              json::fixUTF8(
                  problem.queues[problem.operations[holder.op].queue].name));
        os.attributeArray("waiters", [&] {
          for (Op waiter : holder.waiters)
            os.value(nameOf(problem, solution.plan, waiter));
        });
        os.attributeArray("live", [&] {
          os.value(static_cast<int64_t>(holder.op));
          os.value(static_cast<int64_t>(
              holder.waiters.empty() ? holder.op : holder.waiters.back()));
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

static void writeGates(json::OStream &os, const SyncProblem &problem,
                       const SyncPlan &plan) {
  os.attributeArray("gates", [&] {
    for (size_t i = 0; i < plan.gates.size(); ++i)
      os.object([&] {
        const Gate &gate = plan.gates[i];
        os.attribute("name",
                     nameOf(problem, plan,
                            static_cast<Op>(problem.operations.size() + i)));
        os.attribute("loop", json::fixUTF8(problem.regions[gate.region].name));
        os.attribute("side", gate.isAfter ? "after" : "before");
        os.attribute("queue", json::fixUTF8(problem.queues[gate.queue].name));
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
          os.attribute("op", nameOf(problem, plan, command.op));
          os.attribute("register", static_cast<int64_t>(command.reg));
          more(command);
        });
    });
  };
  list("signals", plan.signals, [](const Signal &) {});
  list("waits", plan.waits, [&](const Wait &wait) {
    os.attribute("value", wait.value);
    os.attribute("command", static_cast<int64_t>(wait.command));
    os.attribute("relative", wait.isRelative);
  });
  list("clears", plan.clears, [](const Clear &) {});
  os.attributeArray("drains", [&] {
    for (Op op : plan.drains)
      os.value(nameOf(problem, plan, op));
  });
  os.attributeArray("compensated", [&] {
    for (Op op : plan.compensated)
      os.value(nameOf(problem, plan, op));
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
    writePressure(os, problem, solution);
    writeGates(os, problem, solution.plan);
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
