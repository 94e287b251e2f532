//===- Terms.h - formulas over tensors --------------------------*- C++ -*-===//
//
// Many operations in a row without a check after each: once one is refused, the
// rest gives null, and `status` says what went wrong.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_TERMS_H
#define TALLY_GRAPH_IMPORT_TERMS_H

#include "tally/graph/import/NodeImport.h"

namespace tally::nn {

class Terms {
public:
  explicit Terms(NodeImport &node) : node(node) {}

  NodeImport &node; ///< whose operations are made, at its `loc`

  /// Success, or the first failure.
  Status status() const {
    return failure ? Status(*failure) : Status::success();
  }

  /// The operation's first result; null after a failure.
  template <typename OpTy, typename... Args>
  mlir::Value make(Args &&...arguments) {
    if (failure)
      return {};
    return keep(node.create<OpTy>({}, std::forward<Args>(arguments)...));
  }

  mlir::Value cast(mlir::Value value, mlir::Type element);
  mlir::Value add(mlir::Value a, mlir::Value b) { return make<AddOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return make<SubOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return make<MulOp>(a, b); }
  /// `condition` ? a : b.
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return make<WhereOp>(condition, a, b);
  }
  /// rows [M, K] times the transpose of weights [N, K], plus `addend` where it
  /// is not null.
  mlir::Value product(mlir::Value rows, mlir::Value weights,
                      mlir::Value addend);

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Elements [start, start + size) of dimension `axis`.
  mlir::Value slice(mlir::Value value, int64_t axis, int64_t start,
                    int64_t size);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts, int64_t axis);

  /// A constant of floats, all of one number.
  mlir::Value filled(double number, llvm::ArrayRef<int64_t> shape,
                     mlir::Type element);

private:
  mlir::Value keep(Result<mlir::Value> value);

  std::optional<tally::Diagnostic> failure;
};

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_TERMS_H
