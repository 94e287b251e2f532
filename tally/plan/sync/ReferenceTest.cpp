//===- ReferenceTest.cpp - edges and counters against slow references -----===//

#include "tally/plan/sync/Attempt.h"
#include "tally/plan/sync/TestDrawing.h"

#include <gtest/gtest.h>

#include <random>

using namespace tally;
using namespace tally::plan::sync;

namespace {
/// reach[a][b]: a completes before b starts. All by repeated relaxation.
using Reach = std::vector<std::vector<bool>>;
} // namespace

static Reach closureOf(const SyncProblem &problem,
                       const std::vector<Edge> &edges) {
  size_t count = problem.operations.size();
  Reach reach(count, std::vector<bool>(count, false));
  for (Op a = 0; a < count; ++a)
    for (Op b = a + 1; b < count; ++b)
      reach[a][b] = problem.operations[a].queue == problem.operations[b].queue;
  for (const Edge &edge : edges)
    reach[edge.from][edge.to] = true;
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        if (reach[i][k] && reach[k][j])
          reach[i][j] = true;
  return reach;
}

static SyncProblem randomProblem(uint32_t seed, uint32_t operations,
                                 uint32_t queues, uint32_t density) {
  std::mt19937 random(seed);
  SyncProblem problem;
  problem.file.count = 64;
  for (uint32_t i = 0; i < queues; ++i)
    problem.queues.push_back({std::to_string(i), 4, true});
  for (uint32_t i = 0; i < operations; ++i)
    problem.operations.push_back(
        {std::to_string(i), static_cast<uint32_t>(random() % queues), 1});
  for (Op to = 0; to < operations; ++to)
    for (Op from = 0; from < to; ++from)
      if (random() % density == 0)
        problem.dependencies.push_back({from, to});
  return problem;
}

/// An edge is redundant when the others make the same closure without it.
static std::vector<Edge> naiveReduction(const SyncProblem &problem) {
  std::vector<Edge> edges;
  for (const Dependency &dependency : problem.dependencies)
    edges.push_back({dependency.from, dependency.to});
  for (size_t i = 0; i < edges.size();) {
    std::vector<Edge> rest = edges;
    rest.erase(rest.begin() + i);
    if (closureOf(problem, rest)[edges[i].from][edges[i].to])
      edges = rest;
    else
      ++i;
  }
  return edges;
}

TEST(SyncReference, EdgesAreTheTransitiveReduction) {
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    SyncProblem problem =
        randomProblem(seed, 4 + seed % 7, 2 + seed % 3, 2 + seed % 4);
    auto isLess = [](const Edge &a, const Edge &b) {
      return std::pair(a.to, a.from) < std::pair(b.to, b.from);
    };
    std::vector<Edge> expected = naiveReduction(problem);
    std::vector<Edge> edges =
        Order::reduce(problem, problem.dependencies)->edges();
    std::sort(expected.begin(), expected.end(), isLess);
    std::sort(edges.begin(), edges.end(), isLess);
    ASSERT_EQ(edges, expected) << "seed " << seed;
  }
}

/// Whether b is reached from a, by steps to operations `after` each; not by the
/// direct one if `isIndirect`.
static bool reaches(const SyncProblem &problem,
                    const std::vector<std::vector<Op>> &after, Op a, Op b,
                    bool isIndirect) {
  std::vector<bool> seen(b + 1, false);
  std::vector<Op> open{a};
  while (!open.empty()) {
    Op op = open.back();
    open.pop_back();
    for (Op next : after[op]) {
      if (next > b || (isIndirect && op == a && next == b) || seen[next])
        continue;
      if (next == b)
        return true;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return problem.operations[a].queue == problem.operations[b].queue;
}

TEST(SyncReference, LargerReductionsHaveNoMoreAndNoFewerEdges) {
  SyncProblem problem = randomProblem(5, 600, 8, 40);
  std::vector<Edge> edges =
      Order::reduce(problem, problem.dependencies)->edges();
  std::vector<std::vector<Op>> after(600);
  std::vector<Op> last(8, UINT32_MAX);
  for (Op op = 0; op < 600; ++op) {
    Op &before = last[problem.operations[op].queue];
    if (before != UINT32_MAX)
      after[before].push_back(op);
    before = op;
  }
  for (const Edge &edge : edges)
    after[edge.from].push_back(edge.to);
  for (const Dependency &one : problem.dependencies)
    ASSERT_TRUE(reaches(problem, after, one.from, one.to, false));
  for (const Edge &edge : edges)
    ASSERT_FALSE(reaches(problem, after, edge.from, edge.to, true));
  EXPECT_GT(edges.size(), 300u);
  EXPECT_LT(edges.size(), problem.dependencies.size());
}

namespace {
struct Producer {
  Op op;
  std::vector<Op> waiters;
};
} // namespace

static std::vector<Producer> producersOf(const std::vector<Edge> &edges) {
  std::vector<Producer> producers;
  for (const Edge &edge : edges) {
    auto at = std::find_if(producers.begin(), producers.end(),
                           [&](auto &one) { return one.op == edge.from; });
    if (at == producers.end())
      at = producers.insert(at, {edge.from, {}});
    at->waiters.push_back(edge.to);
  }
  return producers;
}

/// The rule in words: sharing makes a waiter of `a` wait for x as well, unless
/// x counts only after a. It must not be new to the waiter.
static bool addsNoOrder(const Reach &reach, const Producer &a,
                        const Producer &x) {
  return reach[a.op][x.op] ||
         std::all_of(a.waiters.begin(), a.waiters.end(),
                     [&](Op waiter) { return reach[x.op][waiter]; });
}

/// The fewest counters, all assignments tried.
static uint32_t fewest(const Reach &reach,
                       const std::vector<Producer> &producers,
                       std::vector<uint32_t> &counter, uint32_t used) {
  size_t next = counter.size();
  if (next == producers.size())
    return used;
  uint32_t best = UINT32_MAX;
  for (uint32_t choice = 0; choice <= used; ++choice) {
    bool fits = true;
    for (size_t i = 0; i < next; ++i)
      fits &= counter[i] != choice ||
              (addsNoOrder(reach, producers[i], producers[next]) &&
               addsNoOrder(reach, producers[next], producers[i]));
    if (!fits)
      continue;
    counter.push_back(choice);
    best = std::min(
        best, fewest(reach, producers, counter, std::max(used, choice + 1)));
    counter.pop_back();
  }
  return best;
}

TEST(SyncReference, CountersAreAnExactColoring) {
  int shared = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    SyncProblem problem = randomProblem(seed, 5 + seed % 5, 3 + seed % 3, 3);
    Result<SyncSolution> solution = solve(problem);
    std::vector<Edge> edges =
        Order::reduce(problem, problem.dependencies)->edges();
    std::vector<Producer> producers = producersOf(edges);
    std::vector<uint32_t> counter;
    uint32_t expected =
        fewest(closureOf(problem, edges), producers, counter, 0);
    ASSERT_EQ(solution->report.needed, expected) << "seed " << seed;
    ASSERT_NE(solution->report.proof, Proof::Bracket);
    shared += expected < producers.size();
  }
  EXPECT_GT(shared, 1000);
}
