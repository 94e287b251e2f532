//===- Problem.cpp - what every planner may rely on -----------------------===//

#include "tally/plan/sync/Problem.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::sync;

static Diagnostic broken(std::string rule, std::string message,
                         std::string hint) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

std::vector<uint32_t> SyncFile::usable() const {
  std::vector<uint32_t> numbers;
  for (uint32_t number = 0; number < count; ++number)
    if (std::find(reserved.begin(), reserved.end(), number) == reserved.end())
      numbers.push_back(number);
  return numbers;
}

static Status checkFile(const SyncFile &file) {
  if (file.bits < 1 || file.bits > 32)
    return broken("SYNC-6",
                  "registers of " + std::to_string(file.bits) + " bits",
                  "1 to 32 are possible");
  if (file.count < 0 || file.count > 65536)
    return broken("SYNC-6", std::to_string(file.count) + " registers",
                  "0 to 65536 are possible");
  if (file.waitsPerCommand < 0)
    return broken("SYNC-6",
                  std::to_string(file.waitsPerCommand) + " waits in a command",
                  "0 stands for any number");
  for (uint32_t number : file.reserved)
    if (number >= file.count)
      return broken("SYNC-6",
                    "register " + std::to_string(number) +
                        " is reserved, but the file ends at " +
                        std::to_string(file.count),
                    "reserve registers of the file only");
  return Status::success();
}

static Status checkQueues(const SyncProblem &problem) {
  for (const Queue &queue : problem.queues)
    if (queue.depth < 1)
      return broken("SYNC-2",
                    "queue '" + queue.name + "' has depth " +
                        std::to_string(queue.depth),
                    "the running operation needs one place");
  for (const Operation &operation : problem.operations) {
    if (operation.queue >= problem.queues.size())
      return broken("SYNC-3",
                    "operation '" + operation.name + "' is in queue " +
                        std::to_string(operation.queue) + " of " +
                        std::to_string(problem.queues.size()),
                    "list the queue first");
    if (operation.duration < 0 || operation.duration > UINT32_MAX)
      return broken("SYNC-3",
                    "operation '" + operation.name + "' takes " +
                        std::to_string(operation.duration),
                    "durations are from 0 to 4294967295");
  }
  return Status::success();
}

/// The circle that `dependency`, which points backward, closes.
static std::string circleOf(const SyncProblem &problem,
                            const Dependency &dependency) {
  const Operation &first = problem.operations[dependency.to],
                  &last = problem.operations[dependency.from];
  const Queue &queue = problem.queues[first.queue];
  std::string text = first.name + " waits for " + last.name;
  int64_t waiting = 1;
  for (Op op = dependency.to + 1; op <= dependency.from; ++op) {
    if (problem.operations[op].queue != first.queue)
      continue;
    if (op == dependency.from)
      return text + ", which stands behind it in queue " + queue.name;
    if (++waiting > queue.depth)
      return text + ", which is issued after " + problem.operations[op].name +
             ", which waits for a place in queue " + queue.name + " (depth " +
             std::to_string(queue.depth) + "), whose head is " + first.name;
  }
  return text + ", which is issued later: queue " + queue.name + " (depth " +
         std::to_string(queue.depth) + ") would have to hold all of " +
         std::to_string(waiting) + " operations until then";
}

static Status checkDependencies(const SyncProblem &problem) {
  size_t count = problem.operations.size();
  for (const Dependency &dependency : problem.dependencies) {
    if (dependency.from >= count || dependency.to >= count)
      return broken("SYNC-4",
                    "a dependency from operation " +
                        std::to_string(dependency.from) + " to " +
                        std::to_string(dependency.to) + " of " +
                        std::to_string(count),
                    "operations are numbered from 0 in issue order");
    if (dependency.from > dependency.to && dependency.distance == 0)
      return broken("SYNC-5",
                    "a dependency against the issue order: " +
                        circleOf(problem, dependency),
                    "issue " + problem.operations[dependency.from].name +
                        " before " + problem.operations[dependency.to].name);
  }
  return Status::success();
}

Status plan::sync::checkProblem(const SyncProblem &problem) {
  if (Status status = checkFile(problem.file); !status)
    return status;
  if (Status status = checkQueues(problem); !status)
    return status;
  if (Status status = checkDependencies(problem); !status)
    return status;
  return checkRegions(problem);
}
