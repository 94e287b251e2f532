//===- PlanSync.cpp - tally plan sync -------------------------------------===//

#include "tally/driver/Planners.h"
#include "tally/plan/sync/Report.h"
#include "tally/plan/sync/Text.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::plan::sync;

static Result<SyncProblem> readProblem(const Arguments &arguments,
                                       const std::string &file) {
  Result<std::vector<uint8_t>> bytes = readFile(file);
  if (!bytes)
    return bytes.takeError();
  Result<SyncProblem> problem = parseProblem(
      {reinterpret_cast<const char *>(bytes->data()), bytes->size()}, file);
  Result<std::optional<int64_t>> count = registerCount(arguments);
  if (!count)
    return count.takeError();
  if (!problem || !*count)
    return problem;
  problem->file.count = **count;
  problem->file.reserved.clear();
  return problem;
}

static Result<SyncSolution> solveJudged(const SyncProblem &problem,
                                        const std::string &file) {
  Result<SyncSolution> solution = solve(problem, {.priceCurve = true});
  if (!solution) {
    Diagnostic failure = solution.takeError();
    failure.file = file;
    return failure;
  }
  Violation violation = findViolation(problem, solution->plan);
  if (!violation)
    return solution;
  Diagnostic bug;
  bug.message =
      "the plan breaks the law " + violation.law + ": " + violation.message;
  bug.file = file;
  return bug;
}

static Diagnostic refused(const Arguments &arguments, Diagnostic failure) {
  if (arguments.has(option::json))
    writeRefusalJson(llvm::outs(), failure);
  return failure;
}

Result<int> tally::planSync(const Arguments &arguments,
                            const std::string &file) {
  Result<SyncProblem> problem = readProblem(arguments, file);
  if (!problem)
    return refused(arguments, problem.takeError());
  Result<SyncSolution> solution = solveJudged(*problem, file);
  if (!solution)
    return refused(arguments, solution.takeError());
  if (std::string svg = arguments.value(option::svg); !svg.empty())
    if (Status status = writeFileAtomically(svg, drawSvg(*problem, *solution));
        !status)
      return status.takeError();
  if (arguments.has(option::json))
    writeSolutionJson(llvm::outs(), *problem, *solution);
  else
    printSolution(llvm::outs(), *problem, *solution);
  return 0;
}
