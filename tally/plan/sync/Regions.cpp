//===- Regions.cpp - loops and ifs of a problem, checked ------------------===//

#include "tally/plan/sync/Problem.h"

using namespace tally;
using namespace tally::plan::sync;

static constexpr uint32_t kMostDistance = 65535;

static Diagnostic broken(const char *rule, std::string message,
                         std::string hint) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = rule;
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static bool holds(const Region &region, Op op) {
  return region.first <= op && op < region.end;
}

static bool isWithin(Op first, Op end, const Region &inner) {
  return first <= inner.first && inner.end <= end;
}

static bool nests(const Region &outer, const Region &inner) {
  if (inner.end <= outer.first || outer.end <= inner.first)
    return true;
  if (outer.kind == Region::Loop)
    return isWithin(outer.first, outer.end, inner);
  return isWithin(outer.first, outer.elseAt, inner) ||
         isWithin(outer.elseAt, outer.end, inner);
}

static Status checkForm(const SyncProblem &problem, const Region &region) {
  bool isIf = region.kind == Region::If;
  if (region.first > region.end || region.end > problem.operations.size() ||
      (isIf && (region.elseAt < region.first || region.elseAt > region.end)))
    return broken("SYNC-11",
                  "region '" + region.name + "' has operations " +
                      std::to_string(region.first) + " to " +
                      std::to_string(region.end) + " of " +
                      std::to_string(problem.operations.size()),
                  "regions are half-open intervals of operations");
  if (!isIf && region.trips < Region::kAnyTrips)
    return broken("SYNC-11",
                  "loop '" + region.name + "' has " +
                      std::to_string(region.trips) + " trips",
                  "say how many it has at most, or leave it out");
  return Status::success();
}

static Status checkNesting(const SyncProblem &problem) {
  const std::vector<Region> &regions = problem.regions;
  for (size_t i = 0; i < regions.size(); ++i) {
    if (Status status = checkForm(problem, regions[i]); !status)
      return status;
    for (size_t j = 0; j < i; ++j)
      if (!nests(regions[j], regions[i]))
        return broken("SYNC-11",
                      "region '" + regions[i].name + "' is partly inside '" +
                          regions[j].name + "'",
                      "regions nest or lie apart, outer ones first");
  }
  return Status::success();
}

static Status checkDistance(const SyncProblem &problem,
                            const Dependency &dependency) {
  Op from = dependency.from, to = dependency.to;
  const std::string &name = problem.operations[to].name,
                    &other = problem.operations[from].name;
  if (dependency.distance > kMostDistance)
    return broken("SYNC-12",
                  name + " depends on " + other + " of " +
                      std::to_string(dependency.distance) + " trips before",
                  "0 to 65535 are possible");
  for (const Region &region : problem.regions) {
    bool both = holds(region, from) && holds(region, to);
    if (!both)
      continue;
    if (dependency.distance && region.kind == Region::Loop)
      return Status::success();
    if (!dependency.distance && region.kind == Region::If &&
        (from < region.elseAt) != (to < region.elseAt))
      return broken("SYNC-12",
                    name + " depends on " + other + ", but if '" + region.name +
                        "' runs one or the other",
                    "leave it out, or let it go back a trip");
  }
  if (dependency.distance)
    return broken("SYNC-12",
                  name + " depends on an earlier trip's " + other +
                      ", but no loop holds both",
                  "leave the distance out");
  return Status::success();
}

Status plan::sync::checkRegions(const SyncProblem &problem) {
  if (Status status = checkNesting(problem); !status)
    return status;
  for (const Dependency &dependency : problem.dependencies)
    if (Status status = checkDistance(problem, dependency); !status)
      return status;
  return Status::success();
}
