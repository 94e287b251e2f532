//===- Partition.h - a graph shared by two processors -----------*- C++ -*-===//
//
// Cuts a graph whose nodes are placed, on the machine or on the host, into
// segments: sets of nodes of one place that run one after the other, each
// whole. No MLIR: nodes are numbers in an order that respects the edges.
//
// Rules:
//   PART-1  a segment of the machine does at least as many operations as bytes
//           cross its borders; otherwise its nodes are the host's
//   PART-2  a node of the machine does at least as many operations as it adds
//           bytes across borders of the machine's segments; otherwise it is the
//           host's, where that takes no segment more. So codes cross, and not
//           the floats made of them
//   PART-3  a node reads tensors of nodes before it (Internal)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_PARTITION_H
#define TALLY_SCHEDULE_PARTITION_H

#include "tally/support/Result.h"

#include <cstdint>
#include <vector>

namespace tally::schedule {

enum class Place : uint8_t { Host, Machine };

/// A tensor of the graph: one that the graph is given, or a node's result.
struct PartitionTensor {
  int64_t bytes = 0;
  int64_t producer = -1; ///< a node, or -1: the graph is given it
  bool isOutput = false; ///< of the graph
};

struct PartitionNode {
  Place place = Place::Machine;
  std::vector<int64_t> reads; ///< tensors, each once
  int64_t operations = 0;     ///< arithmetic, PART-1
  /// On the machine: its segment is not among the first `floor` of the
  /// machine's. How a segment that the machine cannot hold is cut.
  int64_t floor = 0;
};

struct PartitionGraph {
  bool weighsBorders = true; ///< PART-1 and PART-2 apply
  std::vector<PartitionTensor> tensors;
  std::vector<PartitionNode> nodes;
};

struct PartitionSegment {
  Place place = Place::Host;
  int64_t ordinal = 0;          ///< what PartitionNode::floor counts
  std::vector<int64_t> nodes;   ///< ascending
  std::vector<int64_t> inputs;  ///< tensors from outside, in order of reading
  std::vector<int64_t> outputs; ///< tensors read outside or by the caller
  int64_t operations = 0;
  int64_t borderBytes = 0; ///< of inputs and outputs
};

/// A node that is the host's although the machine could run it.
struct CheapNode {
  int64_t node = 0;
  bool withSegment = false; ///< by PART-1, not PART-2
  int64_t operations = 0;   ///< of the segment, or of the node
  int64_t bytes = 0;        ///< across the segment's borders, or that it adds
};

struct Partition {
  std::vector<PartitionSegment> segments; ///< in an order that can run
  std::vector<CheapNode> cheap;           ///< by node
};

/// The fewest segments, and among those that were tried the fewest bytes across
/// borders. PART-3.
Result<Partition> partition(PartitionGraph graph);

/// Raises the floors of the second half of a machine's segment, so that the
/// next partition of `graph` has it in two. False for a segment of one node.
bool cut(PartitionGraph &graph, const PartitionSegment &segment);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_PARTITION_H
