//===- PlanCommand.cpp - tally plan ---------------------------------------===//

#include "tally/driver/Commands.h"
#include "tally/driver/Planners.h"

using namespace tally;

static constexpr Planner kPlanners[] = {
    {"memory", planMemory},
    {"sync", planSync},
    {"registers", planRegisters},
};

Result<std::optional<int64_t>>
tally::registerCount(const Arguments &arguments) {
  Result<std::optional<uint64_t>> count = arguments.number(option::registers);
  if (!count)
    return count.takeError();
  if (*count && **count > 65536)
    return usageError("CLI-3", "--registers goes up to 65536");
  return std::optional<int64_t>(*count);
}

static Result<int> plan(const Arguments &arguments) {
  std::vector<std::string> words = arguments.positional();
  std::vector<std::string> names;
  for (const Planner &planner : kPlanners)
    names.emplace_back(planner.name);
  if (words.size() < 2)
    return usageError("PLAN-1", "a planner or its file is missing",
                      "write tally plan " + names[0] + " FILE");
  for (const Planner &planner : kPlanners)
    if (words[0] == planner.name)
      return planner.run(arguments, words[1]);
  std::string near = nearest(words[0], names);
  return usageError("PLAN-1", "there is no planner '" + words[0] + "'",
                    near.empty() ? "`tally plan --help` lists them"
                                 : "did you mean '" + near + "'?");
}

const CommandSpec tally::kPlanCommand = {
    "plan",
    option::InPlan,
    " PLANNER FILE [OPTIONS]",
    "Solve a planning problem that is given as text",
    R"(
PLANNER is
  memory     addresses for storages that are needed at different times, from
             text or a table (docs/formats/memory-problem.md)
  sync       signals and waits on few registers for operations in queues that
             run at the same time (docs/formats/sync-problem.md)
  registers  a register for each value of a command stream
             (docs/formats/register-problem.md)

Every plan is judged before it is printed.

EXAMPLES:
  tally plan memory network.mem --svg network.svg
  tally plan memory buffers.csv --budget 1M --fit
  tally plan sync pipeline.sync
  tally plan sync pipeline.sync --registers 2 --svg pipeline.svg
  tally plan registers copy.regs --registers 3
)",
    2,
    plan};
