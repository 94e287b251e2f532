//===- Windows.h - attributes of sliding windows ----------------*- C++ -*-===//

#ifndef TALLY_GRAPH_IMPORT_WINDOWS_H
#define TALLY_GRAPH_IMPORT_WINDOWS_H

#include "tally/graph/import/NodeImport.h"

namespace tally::nn {

/// Strides, dilations and resolved pads (n begins, then n ends) of a Conv or
/// pooling node over `input` spatial sizes.
struct WindowAttributes {
  std::vector<int64_t> kernel, strides, dilations, pads;
};

/// Reads kernel_shape (or takes `kernel`), strides, dilations, pads and
/// auto_pad. SAME_UPPER and SAME_LOWER become explicit pads.
Result<WindowAttributes> windowAttributes(const NodeImport &node,
                                          llvm::ArrayRef<int64_t> input,
                                          llvm::ArrayRef<int64_t> kernel);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_WINDOWS_H
