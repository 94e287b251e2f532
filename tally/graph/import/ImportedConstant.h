//===- ImportedConstant.h - a model's constants as operations ---*- C++ -*-===//

#ifndef TALLY_GRAPH_IMPORT_IMPORTEDCONSTANT_H
#define TALLY_GRAPH_IMPORT_IMPORTEDCONSTANT_H

#include "tally/graph/import/NodeImport.h"

namespace tally::nn {

/// Notes that `name` holds elements below 8 bits, when `type` says so.
void noteNarrow(ImportedValues &imported, const std::string &name,
                model::ElementType type);

/// Binds the name of `data` to an nn.constant, one for all copies of the graph
/// that `data` stands in; IMP-7 when no executor handles the type.
Status importConstant(mlir::OpBuilder &builder, ImportedValues &imported,
                      const model::TensorData &data);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_IMPORTEDCONSTANT_H
