//===- Importer.h - model structs to the nn dialect -------------*- C++ -*-===//
//
// Turns a neutral model into one function of nn operators on static tensors.
// Dimensions are bound first; shape arithmetic folds away on the way; every
// operation keeps its node's name (graph/Locations.h).
//
// Rules:
//   IMP-1  every dimension of every input is bound
//   IMP-2  a bound name or input exists, and its shape fits the model's and
//          the sizes bound by name
//   IMP-3  every node's operator is supported (all that are not are listed)
//   IMP-4  names given for cutting the graph exist
//   IMP-5  an operand that fixes a shape is a constant
//   IMP-6  attributes have the kind and value the operator allows
//   IMP-7  every input and output is a dense tensor of a supported element
//   IMP-8  scale and zero point of a quantization are valid constants
//   IMP-9  no result has more than 2^31 - 1 elements
//   IMP-10 a constant index lies inside the dimension it indexes
//   IMP-11 a node has the operands it needs, and names only results that its
//          operator gives
//   IMP-12 a value bound to an input is of the input's type, one number for
//          each of its elements
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_IMPORTER_H
#define TALLY_GRAPH_IMPORT_IMPORTER_H

#include "tally/model/Model.h"
#include "tally/support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tally::nn {

struct ImportOptions {
  std::string file; ///< for messages
  /// Values of symbolic dimensions by their name in the model.
  std::map<std::string, int64_t> dims;
  /// Whole shapes of inputs by name.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// Inputs that are constants, with their numbers: "16000", "true", "0.5,1".
  /// They leave the interface.
  std::map<std::string, std::string> bindings;
  /// When not empty: the tensors where the graph is cut, instead of the
  /// model's own inputs and outputs.
  std::vector<std::string> inputs, outputs;
};

/// A module with one function `main`. Its arguments carry `nn.name`, its
/// results too; the module carries `nn.file`, and in `nn.bound` a dictionary of
/// the inputs that are constants, when there are any.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(mlir::MLIRContext &context, const model::Model &model,
            const ImportOptions &options);

/// The dimensions of the inputs (or of the tensors where the graph is cut) that
/// no option binds, each with the option that would, such as "--dim N=1" or
/// "--shape x=1x3x224x224".
struct UnboundDimension {
  std::string input;
  std::string dimension; ///< "N", or "dimension 2"
  std::string option;
};
std::vector<UnboundDimension> unboundDimensions(const model::Model &model,
                                                const ImportOptions &options);

/// Operators without an import row, with the names of their nodes.
std::map<std::string, std::vector<std::string>>
unsupportedNodes(const model::Graph &graph);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_IMPORTER_H
