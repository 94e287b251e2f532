//===- Rejection.h - whose turn it is after a rule refused ------*- C++ -*-===//
//
// Inference rules and verifiers refuse through MLIR's diagnostics, which are
// text. What refuses a valid model says so in the diagnostic's metadata; the
// importer turns that into the kind of its failure, and so of the command's
// exit status.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_REJECTION_H
#define TALLY_GRAPH_REJECTION_H

#include "tally/support/Result.h"

#include "mlir/IR/Diagnostics.h"

namespace tally::nn {

/// Reports "MESSAGE [RULE]" at `location`, as valid but not supported, and
/// fails. Whatever else is reported means that the model is wrong.
llvm::LogicalResult rejectUnsupported(std::optional<mlir::Location> location,
                                      llvm::StringRef rule,
                                      const llvm::Twine &message);

/// Takes what is reported in its lifetime, so that nothing reaches the user as
/// MLIR prints it.
class CapturedRejection {
public:
  explicit CapturedRejection(mlir::MLIRContext *context);

  const std::string &message() const { return text; }
  /// Unsupported when everything reported is, else Model.
  FailureKind kind() const {
    return isUnsupported ? FailureKind::Unsupported : FailureKind::Model;
  }

private:
  void add(mlir::Diagnostic &diagnostic);

  std::string text; ///< parted by "; "
  bool isUnsupported = false;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tally::nn

#endif // TALLY_GRAPH_REJECTION_H
