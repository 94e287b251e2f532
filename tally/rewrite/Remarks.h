//===- Remarks.h - what a rewrite did, refused, and why ---------*- C++ -*-===//
//
// Rewrites report their decisions to MLIR's remark engine, with a code from
// Remarks.def and named arguments. Without an engine a remark costs one test
// of a pointer, and its texts are never built. `tally explain` prints them.
//
//   remarkAt(conv, RemarkCode::SeveralReaders)
//       << edge(value) << because("also read by '{0}'", nodeName(other))
//       << instead("give '{0}' its own convolution", nodeName(other));
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_REMARKS_H
#define TALLY_REWRITE_REMARKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace tally::rewrite {

/// The decisions of Remarks.def.
enum class RemarkCode {
#define TALLY_REMARK(NAME, CODE, CATEGORY, KIND, MEANING) NAME,
#include "tally/rewrite/Remarks.def"
};

/// One row of Remarks.def.
struct RemarkRow {
  RemarkCode name;
  llvm::StringLiteral code;
  llvm::StringLiteral category;
  mlir::remark::RemarkKind kind;
  llvm::StringLiteral meaning;
};

/// All rows, in the order of Remarks.def.
llvm::ArrayRef<RemarkRow> remarkRows();
const RemarkRow &rowOf(RemarkCode code);

/// Starts a remark at the node `op` was made from; it is emitted when the
/// returned object dies. It carries the argument "Node", the node's name in
/// the model.
mlir::remark::detail::InFlightRemark remarkAt(mlir::Operation *op,
                                              RemarkCode code);

/// The same about an output of `main`, by its name.
mlir::remark::detail::InFlightRemark
remarkAtOutput(mlir::func::FuncOp function, unsigned i, RemarkCode code);

/// Argument "Edge": the tensor, by its name in the model (or its producer's),
/// that the decision turned on.
mlir::remark::detail::LazyTextBuild edge(mlir::Value value);

/// Argument "Other": a second node that takes part.
mlir::remark::detail::LazyTextBuild other(mlir::Operation *op);

/// Argument "Reason", with llvm::formatv's format: what decided.
template <typename... Args>
mlir::remark::detail::LazyTextBuild because(const char *format,
                                            Args &&...args) {
  return mlir::remark::reason(format, std::forward<Args>(args)...);
}

/// Argument "Suggestion": what would change the decision.
template <typename... Args>
mlir::remark::detail::LazyTextBuild instead(const char *format,
                                            Args &&...args) {
  return mlir::remark::suggest(format, std::forward<Args>(args)...);
}

} // namespace tally::rewrite

#endif // TALLY_REWRITE_REMARKS_H
