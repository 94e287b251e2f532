//===- Stacking.h - what the steps of a loop give ---------------*- C++ -*-===//

#ifndef TALLY_GRAPH_IMPORT_STACKING_H
#define TALLY_GRAPH_IMPORT_STACKING_H

#include "tally/graph/import/Subgraph.h"

namespace tally::nn {

/// What a loop gives in each step, called `part` in its body, as one value with
/// a new dimension `axis`; FLOW-6.
Result<ImportedValue> stacked(NodeImport &node,
                              llvm::ArrayRef<ImportedValue> steps, int64_t axis,
                              const model::ValueInfo &part);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_STACKING_H
