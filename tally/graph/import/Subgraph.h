//===- Subgraph.h - copies of a node's nested graphs ------------*- C++ -*-===//
//
// If, Loop and Scan hold graphs. The function that is made is straight-line
// code, so each time such a graph runs is one copy of its nodes, at the place
// of the node that holds it. A nested graph reads outer values by their name.
//
// Rules of the control flow operators:
//   FLOW-1  an If's condition is one boolean
//   FLOW-2  the branches of an If whose condition is known only when the
//           network runs give the same types, and have at most 256 nodes
//           together, since both are computed
//   FLOW-3  how often a loop repeats is known at compile time; where only its
//           end is not, a largest number is, and nothing is stacked
//   FLOW-4  the copies of all nested graphs, and the steps of recurrences
//           (rule RNN-7), are at most 65,536 nodes
//   FLOW-5  a nested graph has as many inputs and outputs as its node needs
//   FLOW-6  values that a loop stacks have one type, known even when the loop
//           does not run
//   FLOW-7  the inputs that a Scan cuts have its axis, with one size
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_SUBGRAPH_H
#define TALLY_GRAPH_IMPORT_SUBGRAPH_H

#include "tally/graph/import/NodeImport.h"

namespace tally::nn {

/// A value, and the model's type of it when its elements are below 8 bits.
struct ImportedValue {
  mlir::Value value;
  std::optional<model::ElementType> narrow = {};
};

/// Input `i` of the node.
ImportedValue importedInput(NodeImport &node, size_t i);
/// Binds output `i` of the node, as NodeImport::bind does.
Status bindImported(NodeImport &node, size_t i, const ImportedValue &value);
/// Binds all outputs of the node, or forwards the failure.
Status bindAllImported(NodeImport &node,
                       Result<std::vector<ImportedValue>> values);

/// Counts nodes that are repeated; FLOW-4.
Status chargeUnrolled(NodeImport &node, int64_t count);

class Subgraph {
public:
  /// The graph that is the node's attribute `name`, which takes `inputs` values
  /// and gives `outputs`; IMP-3, IMP-6, FLOW-5.
  static Result<Subgraph> of(NodeImport &node, const char *name, size_t inputs,
                             size_t outputs);

  const model::Graph &graph() const { return *body; }
  /// Nodes of the graph and the graphs in it.
  int64_t nodeCount() const;

  /// Imports the graph's nodes, on these inputs; the names of what is made end
  /// in `suffix`. Returns the graph's outputs.
  Result<std::vector<ImportedValue>> copy(llvm::ArrayRef<ImportedValue> inputs,
                                          const std::string &suffix);

private:
  Subgraph(NodeImport &node, const model::Graph &body)
      : node(&node), body(&body) {}

  void define(llvm::ArrayRef<ImportedValue> inputs);
  Status importNodes();
  std::vector<ImportedValue> results();
  void forget();

  NodeImport *node;
  const model::Graph *body;
};

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_SUBGRAPH_H
