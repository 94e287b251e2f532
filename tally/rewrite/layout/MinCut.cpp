//===- MinCut.cpp - two colours at least cost -----------------------------===//
//
// The points become vertices between a source (First) and a sink (Second), and
// a net of cost w two vertices more,
//
//     p --inf--> enter --w--> leave --inf--> p      for every point p of it
//
// so that a cut which separates any two of its points cuts the one edge of
// weight w, once. A maximum flow saturates a minimum cut; what the source still
// reaches is First.
//
// Flow is augmented along shortest paths (J. Edmonds, R. M. Karp: Theoretical
// Improvements in Algorithmic Efficiency for Network Flow Problems, 1972).
// Cost: one breadth-first search per augmentation; few nets are cut in
// practice, and each takes few augmentations.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/layout/MinCut.h"

#include <algorithm>
#include <limits>

using namespace tally::rewrite;

namespace {
class FlowNetwork {
public:
  explicit FlowNetwork(size_t vertices) : outgoing(vertices) {}

  void addEdge(size_t from, size_t to, int64_t capacity) {
    outgoing[from].push_back(edges.size());
    edges.push_back({to, capacity});
    outgoing[to].push_back(edges.size());
    edges.push_back({from, 0}); // the reverse, at edge ^ 1
  }

  void saturate(size_t source, size_t sink) {
    for (search(source); reached[sink]; search(source))
      augment(source, sink);
  }

  bool isReached(size_t vertex) const { return reached[vertex]; }

private:
  struct Edge {
    size_t to;
    int64_t capacity; ///< that is left
  };

  void search(size_t source);
  void augment(size_t source, size_t sink);

  std::vector<Edge> edges;
  std::vector<std::vector<size_t>> outgoing; ///< edges, by vertex
  std::vector<size_t> arrival;               ///< edge of the last search
  std::vector<bool> reached;
};
} // namespace

/// Marks what `source` reaches through edges with capacity left.
void FlowNetwork::search(size_t source) {
  reached.assign(outgoing.size(), false);
  arrival.assign(outgoing.size(), 0);
  std::vector<size_t> queue = {source};
  reached[source] = true;
  for (size_t next = 0; next < queue.size(); ++next)
    for (size_t edge : outgoing[queue[next]]) {
      size_t to = edges[edge].to;
      if (edges[edge].capacity == 0 || reached[to])
        continue;
      reached[to] = true;
      arrival[to] = edge;
      queue.push_back(to);
    }
}

void FlowNetwork::augment(size_t source, size_t sink) {
  int64_t amount = std::numeric_limits<int64_t>::max();
  auto back = [&](size_t vertex) { return edges[arrival[vertex] ^ 1].to; };
  for (size_t vertex = sink; vertex != source; vertex = back(vertex))
    amount = std::min(amount, edges[arrival[vertex]].capacity);
  for (size_t vertex = sink; vertex != source; vertex = back(vertex)) {
    edges[arrival[vertex]].capacity -= amount;
    edges[arrival[vertex] ^ 1].capacity += amount;
  }
}

std::vector<Colour>
tally::rewrite::cheapestColouring(const ColouringProblem &problem) {
  constexpr int64_t infinite = int64_t(1) << 62;
  FlowNetwork network(problem.points + 2 * problem.nets.size());
  size_t vertex = problem.points;
  for (const ColouringProblem::Net &net : problem.nets) {
    size_t enter = vertex++, leave = vertex++;
    network.addEdge(enter, leave, net.cost);
    for (size_t point : net.points) {
      network.addEdge(point, enter, infinite);
      network.addEdge(leave, point, infinite);
    }
  }
  network.saturate(ColouringProblem::kFirst, ColouringProblem::kSecond);
  std::vector<Colour> colours;
  for (size_t point = 0; point < problem.points; ++point)
    colours.push_back(network.isReached(point) ? Colour::First
                                               : Colour::Second);
  return colours;
}

int64_t tally::rewrite::colouringCost(const ColouringProblem &problem,
                                      const std::vector<Colour> &colours) {
  int64_t cost = 0;
  for (const ColouringProblem::Net &net : problem.nets) {
    bool isCut =
        std::any_of(net.points.begin(), net.points.end(), [&](size_t p) {
          return colours[p] != colours[net.points[0]];
        });
    cost += isCut ? net.cost : 0;
  }
  return cost;
}
