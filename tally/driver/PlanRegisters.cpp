//===- PlanRegisters.cpp - tally plan registers ---------------------------===//

#include "tally/driver/Planners.h"
#include "tally/plan/registers/Report.h"
#include "tally/plan/registers/Text.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::plan::registers;

static Result<RegisterProblem> readProblem(const Arguments &arguments,
                                           const std::string &file) {
  Result<std::optional<int64_t>> count = registerCount(arguments);
  if (!count)
    return count.takeError();
  Result<std::vector<uint8_t>> bytes = readFile(file);
  if (!bytes)
    return bytes.takeError();
  Result<RegisterProblem> problem = parseProblem(
      {reinterpret_cast<const char *>(bytes->data()), bytes->size()}, file);
  if (!problem || !*count)
    return problem;
  problem->file.count = **count;
  problem->file.reserved.clear();
  return problem;
}

/// The problem's plan, if the judge has nothing against it.
static Result<RegisterSolution> planJudged(const RegisterProblem &problem,
                                           Refusal &refusal) {
  Result<RegisterSolution> solution =
      tally::plan::registers::planRegisters(problem, &refusal);
  if (!solution)
    return solution;
  std::string violation = findViolation(problem, *solution);
  if (violation.empty())
    return solution;
  refusal.diagnostic.message = "the plan is wrong: " + violation;
  return refusal.diagnostic;
}

static Diagnostic refused(const Arguments &arguments, Refusal refusal,
                          const std::string &file) {
  if (refusal.diagnostic.file.empty())
    refusal.diagnostic.file = file;
  if (arguments.has(option::json))
    writeRefusalJson(llvm::outs(), refusal);
  return refusal.diagnostic;
}

Result<int> tally::planRegisters(const Arguments &arguments,
                                 const std::string &file) {
  Result<RegisterProblem> problem = readProblem(arguments, file);
  Refusal refusal;
  if (!problem) {
    refusal.diagnostic = problem.takeError();
    return refused(arguments, std::move(refusal), file);
  }
  Result<RegisterSolution> solution = planJudged(*problem, refusal);
  if (!solution)
    return refused(arguments, std::move(refusal), file);
  if (std::string svg = arguments.value(option::svg); !svg.empty())
    if (Status status = writeFileAtomically(svg, drawSvg(*problem, *solution));
        !status)
      return status.takeError();
  if (arguments.has(option::json))
    writePlanJson(llvm::outs(), *problem, *solution);
  else
    printPlan(llvm::outs(), *problem, *solution);
  return 0;
}
