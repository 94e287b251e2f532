//===- NpuExplain.cpp - tally explain for an accelerator ------------------===//

#include "tally/driver/NpuExplain.h"
#include "tally/driver/ExplainStates.h"
#include "tally/driver/RemarkCollector.h"
#include "tally/driver/SimulatedStates.h"
#include "tally/driver/fallback/CompileSegments.h"
#include "tally/emit/lower/Buffers.h"
#include "tally/plan/memory/Report.h"
#include "tally/plan/sync/Report.h"
#include "tally/report/Decisions.h"
#include "tally/support/AtomicFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;

/// A node that the machine cannot run can run on the CPU.
static void nameFallback(const NpuArguments &asked, Diagnostic &failure) {
  if (asked.fallsBack || failure.rule != "NPU-10" || failure.node.empty())
    return;
  failure.hint += failure.hint.empty() ? "" : "; or ";
  failure.hint += "let the CPU run the node with --fallback=cpu";
}

Diagnostic tally::reportRefusal(const Arguments &arguments,
                                const NpuArguments &asked, Diagnostic failure,
                                const schedule::Refusal &refusal) {
  failure.file = asked.model.path;
  if (!refusal.shortage) {
    nameFallback(asked, failure);
    return failure;
  }
  report::Shortage record =
      shortageOf(refusal, asked.machine, asked.search.budget);
  if (arguments.has(option::json))
    report::writeShortage(llvm::outs(), record);
  else
    report::printShortage(llvm::outs(), record);
  return failure;
}

namespace {
/// All that is told about one model.
struct Told {
  report::Explanation rewrites;
  report::ScheduleAccount schedule;
  std::vector<report::MemoryAccount> memories;
  report::GlobalAccount global;
  report::SyncAccount sync;
  std::vector<std::string> categories;

  bool has(const char *category) const {
    return llvm::is_contained(categories, category);
  }
  bool hasRewrites() const { return !rewrites.categories.empty(); }
};
} // namespace

static void print(const Told &told, bool all) {
  llvm::raw_ostream &os = llvm::outs();
  if (told.hasRewrites())
    report::printExplanation(os, told.rewrites, all);
  if (told.has("schedule")) {
    os << "schedule for " << told.schedule.machine << ":\n";
    report::printSchedule(os, told.schedule, all);
  }
  if (told.has("memory")) {
    os << "memory:\n";
    for (const report::MemoryAccount &memory : told.memories)
      report::printMemory(os, memory, all);
    os << "  ";
    report::printGlobal(os, told.global);
  }
  if (told.has("sync")) {
    os << "synchronization:\n";
    report::printSync(os, told.sync, all);
  }
}

static void writeJson(const Told &told) {
  llvm::json::OStream os(llvm::outs(), 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("machine", told.schedule.machine);
    if (told.hasRewrites()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      report::writeExplanation(stream, told.rewrites);
      os.attributeBegin("rewrites");
      os.rawValue(llvm::StringRef(text).trim());
      os.attributeEnd();
    }
    if (told.has("schedule")) {
      os.attributeBegin("schedule");
      report::writeSchedule(os, told.schedule);
      os.attributeEnd();
    }
    if (told.has("memory")) {
      os.attributeArray("memories", [&] {
        for (const report::MemoryAccount &memory : told.memories)
          report::writeMemory(os, memory);
      });
      report::writeGlobal(os, told.global);
    }
    if (told.has("sync")) {
      os.attributeBegin("sync");
      report::writeSync(os, told.sync);
      os.attributeEnd();
    }
  });
  llvm::outs() << "\n";
}

/// FILE-sram.svg and FILE-arena.svg, where there is something, and
/// FILE-timeline.svg.
static Status draw(const std::string &file, const NpuPlan &plan) {
  llvm::StringRef stem = file;
  stem.consume_back(".svg");
  for (auto [name, space] : {std::pair("sram", &plan.memory.sram),
                             std::pair("arena", &plan.memory.arena)})
    if (!space->solution.plan.offsets.empty())
      if (Status status = writeFileAtomically(
              (stem + "-" + name + ".svg").str(),
              plan::memory::drawSvg(space->problem, space->solution));
          !status)
        return status;
  return writeFileAtomically(
      (stem + "-timeline.svg").str(),
      plan::sync::drawSvg(plan.sync.problem, plan.sync.solution));
}

/// The states of the program, with what its commands do.
static runtime::Interface statesIn(const NpuPlan &plan,
                                   mlir::func::FuncOp function,
                                   const machine::Machine &machine) {
  isa::Program program;
  emit::fillBuffers(function, program);
  emit::fillStates(plan.program, function, machine, program);
  return statesOf(program);
}

/// Plans, and collects what is told.
static Result<Told> tell(const Arguments &arguments, const NpuArguments &asked,
                         const std::vector<std::string> &categories) {
  std::vector<std::string> rewrites = categories;
  llvm::erase_if(rewrites, [](const std::string &name) {
    return llvm::is_contained(kMachineSections, name);
  });
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto collector = RemarkCollector::start(context, rewrites,
                                          arguments.value(option::remarks));
  if (!collector)
    return collector.takeError();
  PhaseRunner phases{PhaseControl()};
  auto module = importForMachine(phases, context, asked.model);
  if (!module)
    return module.takeError();
  auto shared = sharedCopy(asked, **module);
  if (Status status = placeStatesForMachine(phases, **module, asked.machine);
      !status)
    return status.takeError();
  schedule::Refusal refusal;
  auto plan = planForMachine(phases, **module, asked, true, &refusal);
  bool isShared = !plan && asked.fallsBack && isRefusal(plan.error());
  if (!plan && !isShared)
    return reportRefusal(arguments, asked, plan.takeError(), refusal);
  if (isShared)
    if (Status status = explainSegments(asked, *shared, categories); !status)
      return status.takeError();
  if (!isShared) {
    mlir::func::FuncOp function = mainFunction(**module);
    explainOutputs(**module, emit::copiedOutputs(plan->program, function));
    explainStates(**module, statesIn(*plan, function, asked.machine));
  }
  auto explanation = (*collector)->finish();
  if (!explanation)
    return explanation.takeError();
  explanation->model = asked.model.path;
  if (isShared) {
    Told told{std::move(*explanation), {}, {}, {}, {}, rewrites};
    told.schedule.machine = asked.machine.name;
    return told;
  }
  if (std::string svg = arguments.value(option::svg); !svg.empty())
    if (Status status = draw(svg, *plan); !status)
      return status.takeError();
  return Told{std::move(*explanation),
              scheduleOf(mainFunction(**module), *plan, asked.machine),
              memoriesOf(plan->memory),
              globalOf(plan->memory, asked.machine, asked.search.budget),
              syncOf(plan->sync),
              categories};
}

Result<int>
tally::explainForMachine(const Arguments &arguments,
                         const std::vector<std::string> &categories) {
  auto asked = parseNpuArguments(arguments);
  if (!asked)
    return asked.takeError();
  auto told = tell(arguments, *asked, categories);
  if (!told)
    return told.takeError();
  if (arguments.has(option::json))
    writeJson(*told);
  else
    print(*told, arguments.has(option::all));
  return 0;
}
