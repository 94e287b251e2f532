//===- GraphOrder.cpp - definitions before uses ---------------------------===//
//
// Kahn's algorithm with a heap of places, so that an ordered graph stays as it
// is. Example: nodes C(reads b) A(makes a) B(reads a, makes b): only A is
// ready, then B, then C. What is left when no node is ready lies on a cycle or
// behind one; walking from any such node to one it waits for must repeat a
// node, and the walk between the two visits is a cycle to show.
//
// Cost: O(n log n) for n node inputs and outputs, nested ones included.
// Source: A. B. Kahn, Topological sorting of large networks, 1962.
//
//===----------------------------------------------------------------------===//

#include "tally/model/GraphOrder.h"

#include "tally/model/OnnxRules.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

namespace tally::model {

namespace {

/// Which nodes wait for which, by place in the graph.
struct Waiting {
  std::vector<std::vector<size_t>> readers; ///< with repetitions
  std::vector<size_t> missing;              ///< values that are not yet there
};

} // namespace

static Waiting findWaiting(const Graph &graph) {
  std::unordered_map<std::string_view, size_t> makers;
  for (size_t place = 0; place < graph.nodes.size(); ++place)
    for (const std::string &output : graph.nodes[place].outputs)
      if (!output.empty())
        makers.emplace(output, place);
  Waiting waiting;
  waiting.readers.resize(graph.nodes.size());
  waiting.missing.resize(graph.nodes.size());
  for (size_t place = 0; place < graph.nodes.size(); ++place)
    visitReads(graph.nodes[place], [&](const std::string &name) {
      auto maker = makers.find(name);
      if (maker == makers.end())
        return;
      waiting.readers[maker->second].push_back(place);
      ++waiting.missing[place];
    });
  return waiting;
}

/// Names on one cycle among the nodes that still miss something.
static std::string showCycle(const Graph &graph, const Waiting &waiting) {
  std::unordered_map<size_t, size_t> waitsFor;
  for (size_t place = 0; place < graph.nodes.size(); ++place)
    if (waiting.missing[place] > 0)
      for (size_t reader : waiting.readers[place])
        waitsFor.emplace(reader, place);
  std::vector<size_t> walk;
  std::unordered_map<size_t, size_t> visited;
  size_t current = 0;
  while (waiting.missing[current] == 0)
    ++current;
  while (visited.emplace(current, walk.size()).second) {
    walk.push_back(current);
    current = waitsFor.at(current);
  }
  walk.erase(walk.begin(), walk.begin() + visited.at(current));
  // The walk goes against the data; show it along the data.
  std::reverse(walk.begin(), walk.end());
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(walk.size(), 5); ++i)
    text += "'" + printable(graph.nodes[walk[i]].name) + "' -> ";
  return text + (walk.size() > 5 ? "... -> " : "") + "'" +
         printable(graph.nodes[walk[0]].name) + "'";
}

Status orderNodes(Graph &graph) {
  Waiting waiting = findWaiting(graph);
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t place = 0; place < graph.nodes.size(); ++place)
    if (waiting.missing[place] == 0)
      ready.push(place);
  std::vector<size_t> order;
  while (!ready.empty()) {
    size_t place = ready.top();
    ready.pop();
    order.push_back(place);
    for (size_t reader : waiting.readers[place])
      if (--waiting.missing[reader] == 0)
        ready.push(reader);
  }
  if (order.size() < graph.nodes.size())
    return breaks(OnnxRule::GraphCyclic, "the graph '" + printable(graph.name) +
                                             "' has the cycle " +
                                             showCycle(graph, waiting));
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (size_t place : order)
    nodes.push_back(std::move(graph.nodes[place]));
  graph.nodes = std::move(nodes);
  return Status::success();
}

} // namespace tally::model
