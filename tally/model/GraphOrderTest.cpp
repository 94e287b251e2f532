//===- GraphOrderTest.cpp - definitions before uses -----------------------===//

#include "tally/model/GraphOrder.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::model;

namespace {

Node node(std::string name, std::vector<std::string> inputs,
          std::vector<std::string> outputs) {
  Node result;
  result.name = std::move(name);
  result.inputs = std::move(inputs);
  result.outputs = std::move(outputs);
  return result;
}

std::string order(Graph &graph) {
  std::string names;
  for (const Node &each : graph.nodes)
    names += each.name;
  return names;
}

TEST(GraphOrder, KeepsAnOrderThatIsFine) {
  Graph graph;
  graph.nodes = {node("C", {}, {"c"}), node("A", {}, {"a"}),
                 node("B", {"a", "c", ""}, {"", "b"})};
  ASSERT_TRUE(orderNodes(graph));
  EXPECT_EQ(order(graph), "CAB");
}

TEST(GraphOrder, MovesOnlyWhatMustMove) {
  Graph graph;
  graph.nodes = {node("C", {"b"}, {"c"}), node("A", {"x"}, {"a"}),
                 node("D", {"x"}, {"d"}), node("B", {"a"}, {"b"})};
  ASSERT_TRUE(orderNodes(graph));
  // A is ready first, then D and B; C, the earliest place, after B.
  EXPECT_EQ(order(graph), "ADBC");
}

TEST(GraphOrder, CountsUsesInNestedGraphs) {
  auto inner = std::make_shared<Graph>();
  inner->nodes = {node("T", {"a"}, {"t"})};
  auto outer = std::make_shared<Graph>();
  outer->nodes = {node("I", {}, {"i"})};
  outer->nodes[0].attributes.push_back(
      {"body", Attribute::GraphPtr(std::move(inner))});
  Graph graph;
  graph.nodes = {node("L", {}, {"l"}), node("A", {}, {"a"})};
  graph.nodes[0].attributes.push_back(
      {"bodies", std::vector<Attribute::GraphPtr>{std::move(outer)}});
  ASSERT_TRUE(orderNodes(graph));
  EXPECT_EQ(order(graph), "AL");
}

TEST(GraphOrder, CountsOutputsOfNestedGraphs) {
  auto inner = std::make_shared<Graph>();
  inner->outputs.push_back({"a", ElementType::Float32, {}, ""});
  Graph graph;
  graph.nodes = {node("L", {}, {"l"}), node("A", {}, {"a"})};
  graph.nodes[0].attributes.push_back(
      {"body", Attribute::GraphPtr(std::move(inner))});
  ASSERT_TRUE(orderNodes(graph));
  EXPECT_EQ(order(graph), "AL");
}

TEST(GraphOrder, ShowsTheCycleAlongTheData) {
  Graph graph;
  graph.name = "g";
  // D hangs behind the cycle A -> B -> C -> A and is not part of it.
  graph.nodes = {node("D", {"c"}, {"d"}), node("A", {"c"}, {"a"}),
                 node("B", {"a"}, {"b"}), node("C", {"b"}, {"c"})};
  Status status = orderNodes(graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "the graph 'g' has the cycle 'A' -> 'B' -> 'C' -> 'A'");
}

} // namespace
