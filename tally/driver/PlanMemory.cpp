//===- PlanMemory.cpp - tally plan memory ---------------------------------===//

#include "tally/driver/Codegen.h"
#include "tally/driver/Planners.h"
#include "tally/plan/memory/Report.h"
#include "tally/plan/memory/Text.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::plan::memory;

static Result<MemoryProblem> readProblem(const Arguments &arguments,
                                         const std::string &file) {
  Result<std::vector<uint8_t>> bytes = readFile(file);
  if (!bytes)
    return bytes.takeError();
  Result<MemoryProblem> problem = parseProblem(
      {reinterpret_cast<const char *>(bytes->data()), bytes->size()}, file);
  if (!problem || !arguments.has(option::budget))
    return problem;
  Result<int64_t> budget = parseBytes(arguments.value(option::budget));
  if (!budget)
    return budget.takeError();
  problem->limits.budget = *budget;
  return problem;
}

static Result<SolveOptions> parseOptions(const Arguments &arguments) {
  SolveOptions options;
  options.fit = arguments.has(option::fit);
  Result<std::optional<uint64_t>> steps = arguments.number(option::steps);
  if (!steps)
    return steps.takeError();
  if (*steps)
    options.steps = **steps;
  return options;
}

/// The problem's plan, if the judge has nothing against it.
static Result<MemorySolution> planJudged(const MemoryProblem &problem,
                                         const SolveOptions &options,
                                         Refusal &refusal) {
  Result<MemorySolution> solution =
      tally::plan::memory::planMemory(problem, options, &refusal);
  if (!solution)
    return solution;
  Violation violation = findViolation(problem, solution->plan);
  if (!violation)
    return solution;
  refusal.diagnostic.message =
      "the plan breaks the law \"" + violation.law + "\": " + violation.message;
  return refusal.diagnostic;
}

static Diagnostic refused(const Arguments &arguments,
                          const MemoryProblem &problem, Refusal refusal,
                          const std::string &file) {
  if (refusal.diagnostic.file.empty())
    refusal.diagnostic.file = file;
  if (arguments.has(option::json))
    writeRefusalJson(llvm::outs(), problem, refusal);
  return refusal.diagnostic;
}

/// A plan that does not fit is drawn, too: limits are lines in it.
static Status draw(const Arguments &arguments, const MemoryProblem &problem,
                   const MemorySolution &solution) {
  std::string svg = arguments.value(option::svg);
  if (svg.empty() || solution.plan.offsets.size() != problem.storages.size())
    return Status::success();
  return writeFileAtomically(svg, drawSvg(problem, solution));
}

Result<int> tally::planMemory(const Arguments &arguments,
                              const std::string &file) {
  Result<SolveOptions> options = parseOptions(arguments);
  if (!options)
    return options.takeError();
  Result<MemoryProblem> problem = readProblem(arguments, file);
  Refusal refusal;
  if (!problem) {
    refusal.diagnostic = problem.takeError();
    return refused(arguments, MemoryProblem(), std::move(refusal), file);
  }
  Result<MemorySolution> solution = planJudged(*problem, *options, refusal);
  if (Status status =
          draw(arguments, *problem, solution ? *solution : refusal.solution);
      !status)
    return status.takeError();
  if (!solution)
    return refused(arguments, *problem, std::move(refusal), file);
  if (arguments.has(option::json))
    writeSolutionJson(llvm::outs(), *problem, *solution);
  else
    printSolution(llvm::outs(), *problem, *solution);
  return 0;
}
