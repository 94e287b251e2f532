//===- Partition.cpp - a graph shared by two processors -------------------===//
//
// Idea: places alternate by level. A node's level is the least that is not
// below its operands' and has the parity of its place; the nodes of one level
// are a segment:
//
//     a M --> b H --> c M        levels 0 1 2: segments {a, d} {b} {c}
//     d M ----------> c
//
// No edge goes to a lower level, so the quotient graph has no cycle and the
// segments can run in the order of levels. A path that changes place k times
// needs k + 1 segments whatever the cut, and levels make no more: they are the
// fewest (with either parity for the machine, the better of both counts).
//
// Levels can be as early or as late as the edges allow. Late is better where a
// chain begins at the graph's inputs and ends far below (d above could join c,
// and its result would cross no border), so both are made and the fewest
// segments, then the fewest bytes, decide.
//
// PART-1 then gives the segments that are not worth their borders to the host,
// PART-2 the nodes at their borders, and all is cut anew, until nothing
// changes; nodes only leave the machine, so that ends. Cost: O(nodes + edges)
// for a cut, and at most one cut for each node at a border of each of `nodes`
// rounds; few in practice.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Partition.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace tally;
using namespace tally::schedule;

namespace {
/// Levels of the machine have one parity, the host's the other.
struct Parity {
  int64_t machine = 0;

  int64_t of(Place place) const {
    return place == Place::Machine ? machine : 1 - machine;
  }
  /// The least level of the place that is not below `level`.
  int64_t up(int64_t level, Place place) const {
    return level + ((level ^ of(place)) & 1);
  }
  int64_t down(int64_t level, Place place) const {
    return level - ((level ^ of(place)) & 1);
  }
};

using Levels = std::vector<int64_t>;
} // namespace

static Levels earlyLevels(const PartitionGraph &graph, Parity parity) {
  Levels levels;
  for (const PartitionNode &node : graph.nodes) {
    int64_t level = 0;
    for (int64_t tensor : node.reads)
      if (int64_t producer = graph.tensors[size_t(tensor)].producer;
          producer >= 0)
        level = std::max(level, levels[size_t(producer)]);
    if (node.place == Place::Machine)
      level = std::max(level, 2 * node.floor);
    levels.push_back(parity.up(level, node.place));
  }
  return levels;
}

/// As late as possible with the levels that `early` uses. Without floors: what
/// was cut off a segment could meet the rest of it again.
static Levels lateLevels(const PartitionGraph &graph, Parity parity,
                         const Levels &early) {
  auto hasFloor = [](const PartitionNode &node) { return node.floor > 0; };
  if (early.empty() || std::ranges::any_of(graph.nodes, hasFloor))
    return early;
  int64_t top = *std::ranges::max_element(early);
  Levels levels(graph.nodes.size(), top);
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    levels[n] = parity.down(levels[n], graph.nodes[n].place);
    for (int64_t tensor : graph.nodes[n].reads)
      if (int64_t producer = graph.tensors[size_t(tensor)].producer;
          producer >= 0)
        levels[size_t(producer)] =
            std::min(levels[size_t(producer)], levels[n]);
  }
  return levels;
}

//===----------------------------------------------------------------------===//
// Segments of levels
//===----------------------------------------------------------------------===//

static std::vector<PartitionSegment> group(const PartitionGraph &graph,
                                           const Levels &levels) {
  std::map<int64_t, PartitionSegment> byLevel;
  for (size_t n = 0; n < levels.size(); ++n) {
    PartitionSegment &segment = byLevel[levels[n]];
    segment.place = graph.nodes[n].place;
    segment.ordinal = levels[n] / 2;
    segment.nodes.push_back(int64_t(n));
    segment.operations += graph.nodes[n].operations;
  }
  std::vector<PartitionSegment> segments;
  for (auto &[level, segment] : byLevel)
    segments.push_back(std::move(segment));
  return segments;
}

/// Fills what crosses the segments' borders.
static void addBorders(const PartitionGraph &graph,
                       std::vector<PartitionSegment> &segments) {
  std::vector<size_t> home(graph.nodes.size());
  for (size_t s = 0; s < segments.size(); ++s)
    for (int64_t node : segments[s].nodes)
      home[size_t(node)] = s;
  std::vector<bool> leaves(graph.tensors.size());
  for (size_t s = 0; s < segments.size(); ++s) {
    std::set<int64_t> seen;
    for (int64_t node : segments[s].nodes)
      for (int64_t tensor : graph.nodes[size_t(node)].reads) {
        int64_t producer = graph.tensors[size_t(tensor)].producer;
        if ((producer >= 0 && home[size_t(producer)] == s) ||
            !seen.insert(tensor).second)
          continue;
        segments[s].inputs.push_back(tensor);
        leaves[size_t(tensor)] = true;
      }
  }
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const PartitionTensor &tensor = graph.tensors[t];
    if (tensor.producer >= 0 && (leaves[t] || tensor.isOutput))
      segments[home[size_t(tensor.producer)]].outputs.push_back(int64_t(t));
  }
  for (PartitionSegment &segment : segments)
    for (const auto *list : {&segment.inputs, &segment.outputs})
      for (int64_t tensor : *list)
        segment.borderBytes += graph.tensors[size_t(tensor)].bytes;
}

static int64_t totalBorder(const std::vector<PartitionSegment> &segments) {
  int64_t bytes = 0;
  for (const PartitionSegment &segment : segments)
    bytes += segment.borderBytes;
  return bytes;
}

static std::vector<PartitionSegment> fewest(const PartitionGraph &graph) {
  std::vector<PartitionSegment> best;
  auto cost = [](const std::vector<PartitionSegment> &segments) {
    return std::pair(segments.size(), totalBorder(segments));
  };
  for (int64_t machine : {0, 1}) {
    Parity parity{machine};
    Levels early = earlyLevels(graph, parity);
    for (const Levels &levels : {early, lateLevels(graph, parity, early)}) {
      auto segments = group(graph, levels);
      addBorders(graph, segments);
      if (best.empty() || cost(segments) < cost(best))
        best = std::move(segments);
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Nodes that are not worth it
//===----------------------------------------------------------------------===//

/// PART-1. Whether nodes left the machine.
static bool takeSegments(PartitionGraph &graph, Partition &partition) {
  bool changed = false;
  for (const PartitionSegment &segment : partition.segments) {
    if (segment.place == Place::Host ||
        segment.operations >= segment.borderBytes)
      continue;
    changed = true;
    for (int64_t node : segment.nodes) {
      graph.nodes[size_t(node)].place = Place::Host;
      partition.cheap.push_back(
          {node, true, segment.operations, segment.borderBytes});
    }
  }
  return changed;
}

/// Nodes of the machine that read or make what crosses their segment's border.
static std::vector<int64_t> borderNodes(const PartitionGraph &graph,
                                        const Partition &partition) {
  std::vector<int64_t> nodes;
  for (const PartitionSegment &segment : partition.segments) {
    if (segment.place == Place::Host)
      continue;
    std::set<int64_t> crossing(segment.inputs.begin(), segment.inputs.end());
    std::set<int64_t> makers;
    for (int64_t tensor : segment.outputs)
      makers.insert(graph.tensors[size_t(tensor)].producer);
    for (int64_t node : segment.nodes)
      if (makers.contains(node) ||
          std::ranges::any_of(graph.nodes[size_t(node)].reads,
                              [&](int64_t t) { return crossing.contains(t); }))
        nodes.push_back(node);
  }
  return nodes;
}

/// Bytes that cross borders of the machine's segments.
static int64_t machineBorder(const std::vector<PartitionSegment> &segments) {
  int64_t bytes = 0;
  for (const PartitionSegment &segment : segments)
    bytes += segment.place == Place::Machine ? segment.borderBytes : 0;
  return bytes;
}

/// PART-2. Whether nodes left the machine.
static bool takeBorderNodes(PartitionGraph &graph, Partition &partition) {
  bool changed = false;
  for (int64_t node : borderNodes(graph, partition)) {
    PartitionNode &moved = graph.nodes[size_t(node)];
    moved.place = Place::Host;
    auto segments = fewest(graph);
    int64_t saved = machineBorder(partition.segments) - machineBorder(segments);
    if (segments.size() > partition.segments.size() ||
        saved <= moved.operations) {
      moved.place = Place::Machine;
      continue;
    }
    changed = true;
    partition.cheap.push_back({node, false, moved.operations, saved});
    partition.segments = std::move(segments);
  }
  return changed;
}

static Status checkOrder(const PartitionGraph &graph) {
  auto tensors = int64_t(graph.tensors.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (int64_t tensor : graph.nodes[n].reads)
      if (tensor < 0 || tensor >= tensors ||
          graph.tensors[size_t(tensor)].producer >= int64_t(n))
        return Diagnostic{.kind = FailureKind::Internal,
                          .message = "node " + std::to_string(n) +
                                     " reads a tensor that no node before it "
                                     "makes",
                          .rule = "PART-3"};
  return Status::success();
}

Result<Partition> tally::schedule::partition(PartitionGraph graph) {
  if (Status status = checkOrder(graph); !status)
    return status.takeError();
  Partition result;
  do
    result.segments = fewest(graph);
  while (graph.weighsBorders &&
         (takeSegments(graph, result) || takeBorderNodes(graph, result)));
  std::ranges::sort(result.cheap, {}, &CheapNode::node);
  return result;
}

bool tally::schedule::cut(PartitionGraph &graph,
                          const PartitionSegment &segment) {
  size_t count = segment.nodes.size();
  for (size_t i = (count + 1) / 2; i < count; ++i)
    graph.nodes[size_t(segment.nodes[i])].floor = segment.ordinal + 1;
  return count > 1;
}
