//===- UnsupportedNodes.h - nodes whose operator has no row -----*- C++ -*-===//

#ifndef TALLY_GRAPH_IMPORT_UNSUPPORTEDNODES_H
#define TALLY_GRAPH_IMPORT_UNSUPPORTEDNODES_H

#include "tally/model/Model.h"
#include "tally/support/Result.h"

#include "llvm/ADT/ArrayRef.h"

namespace tally::nn {

/// IMP-3 unless every node has an import row; lists all that have none. Nodes
/// of nested graphs are not looked at: which of these are imported is known
/// only when their node is.
Status checkSupported(llvm::ArrayRef<const model::Node *> nodes);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_UNSUPPORTEDNODES_H
