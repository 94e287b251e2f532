//===- Epochs.cpp - every trip starts with registers at 0 -----------------===//
//
// Code is cut where a loop begins and ends, and where an if that holds a loop
// begins, changes branch and ends. Between two cuts it is a straight line (its
// ifs compensated), planned by itself, and it begins with a drain: so it finds
// registers at 0 whichever way it was reached, and whatever it depends on
// beyond itself has completed.
//
//   loop { a; b after a }: drain, a signals 0, b waits 0>=1, in every trip.
//
// A piece that uses no register and depends on nothing beyond itself needs no
// drain, and neither does the first one if nothing leads back to it.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Program.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace tally;
using namespace tally::plan::sync;

namespace {
/// Operations [begin, end).
struct Piece {
  Op begin = 0, end = 0;
  bool dependsOnOthers = false;
  std::vector<Dependency> dependencies; ///< within it, from its begin
};
} // namespace

static std::vector<Piece> piecesOf(const SyncProblem &problem) {
  std::set<Op> cuts{0, static_cast<Op>(problem.operations.size())};
  for (const Region &region : problem.regions) {
    bool holdsLoop = std::any_of(
        problem.regions.begin(), problem.regions.end(), [&](const Region &one) {
          return one.kind == Region::Loop && one.first < one.end &&
                 region.first <= one.first && one.end <= region.end;
        });
    if (!holdsLoop)
      continue;
    cuts.insert({region.first, region.end});
    if (region.kind == Region::If)
      cuts.insert(region.elseAt);
  }
  std::vector<Piece> pieces;
  for (auto at = cuts.begin(); std::next(at) != cuts.end(); ++at)
    pieces.push_back({*at, *std::next(at), false, {}});
  return pieces;
}

static void distribute(const SyncProblem &problem, std::vector<Piece> &pieces) {
  auto pieceOf = [&](Op op) -> Piece & {
    auto next = std::upper_bound(
        pieces.begin(), pieces.end(), op,
        [](Op value, const Piece &piece) { return value < piece.begin; });
    return *std::prev(next);
  };
  for (const Dependency &one : problem.dependencies) {
    Piece &piece = pieceOf(one.to);
    if (&piece == &pieceOf(one.from) && one.distance == 0)
      piece.dependencies.push_back(
          {one.from - piece.begin, one.to - piece.begin, one.strength});
    else
      piece.dependsOnOthers = true;
  }
}

static Result<SyncSolution> solvePiece(const SyncProblem &problem,
                                       Piece &piece) {
  SyncProblem line;
  line.queues = problem.queues;
  line.file = problem.file;
  line.operations.assign(problem.operations.begin() + piece.begin,
                         problem.operations.begin() + piece.end);
  line.dependencies = std::move(piece.dependencies);
  return solve(line);
}

Result<Way> tally::plan::sync::planEpochs(const SyncProblem &problem) {
  Way way;
  way.method = Method::Epochs;
  if (!problem.file.drains) {
    way.obstacle = "the command processor does not drain";
    return way;
  }
  Nesting nesting(problem);
  PlanBuilder builder(problem);
  std::vector<Piece> pieces = piecesOf(problem);
  distribute(problem, pieces);
  for (Piece &piece : pieces) {
    if (piece.begin == piece.end)
      continue;
    Result<SyncSolution> solution = solvePiece(problem, piece);
    if (!solution)
      return solution.takeError();
    std::vector<Op> ids(piece.end - piece.begin);
    std::iota(ids.begin(), ids.end(), piece.begin);
    builder.add(solution->plan, ids);
    bool isFirst = piece.begin == 0 && nesting.loopAround(0) == kOutside;
    if (piece.dependsOnOthers ||
        (!solution->plan.registers.empty() && !isFirst))
      builder.drain(piece.begin);
    way.needed = std::max(way.needed, solution->report.needed);
    way.edges += solution->report.edges;
    way.addedOrder += solution->report.addedOrder;
  }
  way.plan =
      builder.finish({}, [&](Op op) { return nesting.isConditional(op); });
  return way;
}

Result<Way> tally::plan::sync::planBranches(const SyncProblem &problem) {
  SyncProblem line = problem;
  line.regions.clear();
  Result<SyncSolution> solution = solve(line);
  if (!solution)
    return solution.takeError();
  PlanBuilder builder(problem);
  Nesting nesting(problem);
  std::vector<Op> ids(problem.operations.size());
  std::iota(ids.begin(), ids.end(), 0);
  builder.add(solution->plan, ids);
  Way way;
  way.method = solution->report.method;
  way.needed = solution->report.needed;
  way.edges = solution->report.edges;
  way.addedOrder = solution->report.addedOrder;
  way.pressure = std::move(solution->report.pressure);
  way.plan =
      builder.finish({}, [&](Op op) { return nesting.isConditional(op); });
  return way;
}
