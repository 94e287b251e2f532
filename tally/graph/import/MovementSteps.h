//===- MovementSteps.h - single steps of moving elements --------*- C++ -*-===//
//
// Many source operators are chains of the nn dialect's movements. Each step
// here returns its input when it would change nothing, and a constant when its
// input is one.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_MOVEMENTSTEPS_H
#define TALLY_GRAPH_IMPORT_MOVEMENTSTEPS_H

#include "tally/graph/import/NodeImport.h"

namespace tally::nn {

Result<mlir::Value> reshaped(NodeImport &node, mlir::Value value,
                             llvm::ArrayRef<int64_t> shape);
Result<mlir::Value> transposed(NodeImport &node, mlir::Value value,
                               llvm::ArrayRef<int64_t> permutation);
Result<mlir::Value> expanded(NodeImport &node, mlir::Value value,
                             llvm::ArrayRef<int64_t> shape);

/// One range of indices per dimension: first, number, step.
struct DimRange {
  int64_t start = 0, size = 0, step = 1;
};
/// The whole of every dimension of `value`.
std::vector<DimRange> wholeRanges(mlir::Value value);
Result<mlir::Value> sliced(NodeImport &node, mlir::Value value,
                           llvm::ArrayRef<DimRange> ranges);

/// The listed indices along the listed dimensions; axes ascend.
struct DimIndices {
  int64_t axis;
  std::vector<int64_t> indices;
};
Result<mlir::Value> selected(NodeImport &node, mlir::Value value,
                             llvm::ArrayRef<DimIndices> dims);

/// `axis` in [0, rank), or IMP-6.
Result<int64_t> checkedAxis(const NodeImport &node, int64_t axis, int64_t rank);
/// Distinct axes in [0, rank), in the given order, or IMP-6.
Result<std::vector<int64_t>>
checkedAxes(const NodeImport &node, std::vector<int64_t> axes, int64_t rank);

/// A list that was an attribute before operator set `sinceOpset` and an
/// optional constant operand from then on; nothing when it is absent.
Result<std::optional<std::vector<int64_t>>>
listOf(NodeImport &node, const char *name, size_t operand, int64_t sinceOpset);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_MOVEMENTSTEPS_H
