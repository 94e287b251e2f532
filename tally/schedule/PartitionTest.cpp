//===- PartitionTest.cpp - a graph shared by two processors ---------------===//

#include "tally/schedule/Partition.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace tally;
using namespace tally::schedule;

namespace {
constexpr Place M = Place::Machine, H = Place::Host;

/// Nodes with one result each; tensor n is given for n < inputs, and the result
/// of node n - inputs otherwise.
class Builder {
public:
  explicit Builder(int64_t inputs, int64_t bytes = 8) : bytes(bytes) {
    for (int64_t i = 0; i < inputs; ++i)
      graph.tensors.push_back({bytes, -1, false});
  }
  int64_t node(Place place, std::vector<int64_t> reads,
               int64_t operations = 1000) {
    graph.nodes.push_back({place, std::move(reads), operations, 0});
    graph.tensors.push_back({bytes, int64_t(graph.nodes.size()) - 1, false});
    return int64_t(graph.tensors.size()) - 1;
  }
  void output(int64_t tensor) { graph.tensors[size_t(tensor)].isOutput = true; }

  PartitionGraph graph;

private:
  int64_t bytes;
};

Partition cutOf(const PartitionGraph &graph) {
  auto result = partition(graph);
  EXPECT_TRUE(result) << result.error().str();
  return result ? *result : Partition();
}

std::vector<std::vector<int64_t>> nodesOf(const Partition &partition) {
  std::vector<std::vector<int64_t>> nodes;
  for (const PartitionSegment &segment : partition.segments)
    nodes.push_back(segment.nodes);
  return nodes;
}

using Lists = std::vector<std::vector<int64_t>>;
} // namespace

TEST(Partition, AGraphOfOnePlaceIsOneSegment) {
  Builder b(1);
  int64_t x = b.node(M, {0});
  b.output(b.node(M, {x}));
  Partition cut = cutOf(b.graph);
  EXPECT_EQ(nodesOf(cut), (Lists{{0, 1}}));
  EXPECT_EQ(cut.segments[0].place, M);
  EXPECT_EQ(cut.segments[0].inputs, (std::vector<int64_t>{0}));
  EXPECT_EQ(cut.segments[0].outputs, (std::vector<int64_t>{2}));
  EXPECT_EQ(cut.segments[0].borderBytes, 16); // the input's 8, the output's 8
}

TEST(Partition, AChainThatChangesPlaceTwiceIsThreeSegments) {
  Builder b(1);
  int64_t x = b.node(M, {0}), y = b.node(H, {x});
  b.output(b.node(M, {y}));
  Partition cut = cutOf(b.graph);
  EXPECT_EQ(nodesOf(cut), (Lists{{0}, {1}, {2}}));
  EXPECT_EQ(cut.segments[1].place, H);
}

TEST(Partition, BranchesShareSegments) {
  // Two chains M H M that meet: three segments, not six.
  Builder b(1);
  int64_t a = b.node(M, {0}), c = b.node(M, {0});
  int64_t d = b.node(H, {a}), e = b.node(H, {c});
  b.output(b.node(M, {d, e}));
  EXPECT_EQ(nodesOf(cutOf(b.graph)), (Lists{{0, 1}, {2, 3}, {4}}));
}

TEST(Partition, ASourceWaitsForTheSegmentThatReadsIt) {
  // Node 1 could run with node 0; with node 3 its result crosses no border.
  Builder b(2);
  int64_t a = b.node(M, {0}), s = b.node(M, {1}), h = b.node(H, {a});
  b.output(b.node(M, {h, s}));
  Partition cut = cutOf(b.graph);
  EXPECT_EQ(nodesOf(cut), (Lists{{0}, {2}, {1, 3}}));
}

TEST(Partition, SourcesOfBothPlacesNeedNoSegmentMore) {
  // The host's source 2 joins the host's segment in the middle.
  Builder b(2);
  int64_t a = b.node(M, {0}), h = b.node(H, {a}), s = b.node(H, {1});
  b.output(b.node(M, {h, s}));
  EXPECT_EQ(nodesOf(cutOf(b.graph)), (Lists{{0}, {1, 2}, {3}}));
}

TEST(Partition, AValueOfBothSidesLeavesOnceAndComesInTwice) {
  Builder b(1);
  int64_t a = b.node(M, {0}), h = b.node(H, {a});
  b.output(b.node(M, {a, h}));
  b.output(a);
  Partition cut = cutOf(b.graph);
  ASSERT_EQ(nodesOf(cut), (Lists{{0}, {1}, {2}}));
  EXPECT_EQ(cut.segments[0].outputs, (std::vector<int64_t>{a}));
  EXPECT_EQ(cut.segments[1].inputs, (std::vector<int64_t>{a}));
  EXPECT_EQ(cut.segments[2].inputs, (std::vector<int64_t>{a, h}));
}

TEST(Partition, CheapSegmentsBetweenBordersGoToTheHost) {
  // 15 operations for 8 bytes in and 8 out are refused, 16 are worth it.
  for (int64_t operations : {15, 16}) {
    Builder b(1);
    int64_t x = b.node(H, {0});
    int64_t y = b.node(M, {x}, operations);
    b.output(b.node(H, {y}));
    Partition cut = cutOf(b.graph);
    if (operations == 16) {
      EXPECT_EQ(cut.segments.size(), 3u);
      EXPECT_TRUE(cut.cheap.empty());
      continue;
    }
    EXPECT_EQ(nodesOf(cut), (Lists{{0, 1, 2}}));
    ASSERT_EQ(cut.cheap.size(), 1u);
    EXPECT_EQ(cut.cheap[0].node, 1);
    EXPECT_EQ(cut.cheap[0].operations, 15);
    EXPECT_EQ(cut.cheap[0].bytes, 16);
    EXPECT_TRUE(cut.cheap[0].withSegment);
  }
}

TEST(Partition, CodesCrossAndNotTheFloatsMadeOfThem) {
  // The second node makes 32 bytes of 8. On the host, 8 bytes leave the machine
  // instead of 32, 24 fewer. So 23 operations on the machine are not worth it
  // and 24 are.
  for (int64_t operations : {23, 24}) {
    Builder b(1);
    int64_t codes = b.node(M, {0});
    int64_t floats = b.node(M, {codes}, operations);
    b.graph.tensors[size_t(floats)].bytes = 32;
    b.output(b.node(H, {floats}));
    Partition cut = cutOf(b.graph);
    ASSERT_EQ(cut.segments.size(), 2u);
    EXPECT_EQ(cut.segments[0].outputs,
              (std::vector<int64_t>{operations == 23 ? codes : floats}));
    ASSERT_EQ(cut.cheap.size(), operations == 23 ? 1u : 0u);
    if (operations == 24)
      continue;
    EXPECT_EQ(cut.cheap[0].node, 1);
    EXPECT_EQ(cut.cheap[0].operations, 23);
    EXPECT_EQ(cut.cheap[0].bytes, 24);
    EXPECT_FALSE(cut.cheap[0].withSegment);
  }
}

TEST(Partition, NoSegmentIsMadeForANodeAtTheBorder) {
  // The caller's 32 bytes become 8 on the machine: on the host they would take
  // a segment of their own.
  Builder b(1);
  b.graph.tensors[0].bytes = 32;
  int64_t codes = b.node(M, {0}, 1);
  b.output(b.node(H, {b.node(M, {codes})}));
  EXPECT_EQ(nodesOf(cutOf(b.graph)), (Lists{{0, 1}, {2}}));
}

TEST(Partition, ASegmentIsCutInTwo) {
  Builder b(1);
  for (int64_t i = 0; i < 5; ++i)
    b.output(b.node(M, {0})); // no edges between the five
  Partition whole = cutOf(b.graph);
  ASSERT_EQ(whole.segments.size(), 1u);
  ASSERT_TRUE(cut(b.graph, whole.segments[0]));
  Partition halves = cutOf(b.graph);
  EXPECT_EQ(nodesOf(halves), (Lists{{0, 1, 2}, {3, 4}}));
  ASSERT_TRUE(cut(b.graph, halves.segments[1]));
  EXPECT_EQ(nodesOf(cutOf(b.graph)), (Lists{{0, 1, 2}, {3}, {4}}));
}

TEST(Partition, OneNodeIsNotCut) {
  Builder b(1);
  b.output(b.node(M, {0}));
  EXPECT_FALSE(cut(b.graph, cutOf(b.graph).segments[0]));
}

TEST(Partition, ReadingAheadIsRefused) {
  Builder b(1);
  b.node(M, {2}); // the result of the next node
  b.node(M, {0});
  auto result = partition(b.graph);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().rule, "PART-3");
  EXPECT_EQ(result.error().kind, FailureKind::Internal);
}

//===----------------------------------------------------------------------===//
// Laws on random graphs
//===----------------------------------------------------------------------===//

namespace {
Builder randomGraph(std::mt19937 &random) {
  auto below = [&](int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random);
  };
  Builder b(1 + below(3));
  int64_t nodes = 1 + below(14);
  for (int64_t n = 0; n < nodes; ++n) {
    std::vector<int64_t> reads;
    for (int64_t i = below(3); i >= 0; --i)
      reads.push_back(below(int64_t(b.graph.tensors.size())));
    std::ranges::sort(reads);
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    int64_t result = b.node(below(2) ? M : H, reads);
    if (below(3) == 0)
      b.output(result);
  }
  return b;
}

/// Changes of place on the path that begins at a node of place `first` and has
/// most of them, or -1 where there is none.
int64_t mostChanges(const PartitionGraph &graph, Place first) {
  std::vector<int64_t> changes;
  for (const PartitionNode &node : graph.nodes) {
    int64_t most = node.place == first ? 0 : -1;
    for (int64_t tensor : node.reads) {
      int64_t producer = graph.tensors[size_t(tensor)].producer;
      if (producer < 0 || changes[size_t(producer)] < 0)
        continue;
      bool isOther = graph.nodes[size_t(producer)].place != node.place;
      most = std::max(most, changes[size_t(producer)] + isOther);
    }
    changes.push_back(most);
  }
  return *std::ranges::max_element(changes);
}

/// Segments alternate, so those in a sequence that begins with one place hold a
/// path of k changes in k + 1 of them where it begins with that place, and in
/// k + 2 otherwise.
int64_t fewestSegments(const PartitionGraph &graph) {
  int64_t m = mostChanges(graph, M), h = mostChanges(graph, H);
  if (m < 0 || h < 0)
    return 1;
  return std::min(std::max(m + 1, h + 2), std::max(h + 1, m + 2));
}
} // namespace

TEST(Partition, SegmentsCanRunInTheirOrderAndAreTheFewest) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    Builder b = randomGraph(random);
    const PartitionGraph &graph = b.graph;
    Partition cut = cutOf(graph);
    std::vector<bool> made(graph.tensors.size()), done(graph.nodes.size());
    for (size_t t = 0; t < graph.tensors.size(); ++t)
      made[t] = graph.tensors[t].producer < 0;
    for (const PartitionSegment &segment : cut.segments) {
      std::vector<bool> inside = made; // what its inputs promise, and no more
      for (size_t t = 0; t < inside.size(); ++t)
        inside[t] = std::ranges::count(segment.inputs, int64_t(t));
      for (int64_t tensor : segment.inputs)
        EXPECT_TRUE(made[size_t(tensor)]);
      for (int64_t node : segment.nodes) {
        EXPECT_EQ(graph.nodes[size_t(node)].place, segment.place);
        EXPECT_FALSE(done[size_t(node)]);
        done[size_t(node)] = true;
        for (int64_t tensor : graph.nodes[size_t(node)].reads)
          EXPECT_TRUE(inside[size_t(tensor)]);
        inside[size_t(node) + graph.tensors.size() - graph.nodes.size()] = true;
      }
      for (int64_t tensor : segment.outputs)
        made[size_t(tensor)] = true;
    }
    EXPECT_EQ(std::ranges::count(done, true), int64_t(done.size()));
    for (size_t t = 0; t < graph.tensors.size(); ++t)
      EXPECT_TRUE(made[t] || !graph.tensors[t].isOutput);
    EXPECT_EQ(int64_t(cut.segments.size()), fewestSegments(graph));
  }
}
