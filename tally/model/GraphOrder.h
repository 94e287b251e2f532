//===- GraphOrder.h - definitions before uses -------------------*- C++ -*-===//

#ifndef TALLY_MODEL_GRAPHORDER_H
#define TALLY_MODEL_GRAPHORDER_H

#include "tally/model/Model.h"
#include "tally/support/Result.h"

namespace tally::model {

/// Puts the nodes of `graph` (not of graphs nested in it) into an order in
/// which every node follows those whose results it, or a graph nested in it,
/// reads. Nodes keep their places as far as that allows: among those that are
/// ready, the one that stood first goes first. Fails with GraphCyclic.
Status orderNodes(Graph &graph);

} // namespace tally::model

#endif // TALLY_MODEL_GRAPHORDER_H
