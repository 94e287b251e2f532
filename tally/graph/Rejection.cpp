//===- Rejection.cpp - whose turn it is after a rule refused --------------===//

#include "tally/graph/Rejection.h"

using namespace mlir;
using namespace tally::nn;

static constexpr llvm::StringLiteral kUnsupported = "unsupported";

LogicalResult tally::nn::rejectUnsupported(std::optional<Location> location,
                                           StringRef rule,
                                           const Twine &message) {
  if (!location)
    return failure();
  InFlightDiagnostic diagnostic = emitError(*location);
  diagnostic << message << " [" << rule << "]";
  diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(
      kUnsupported);
  return diagnostic;
}

CapturedRejection::CapturedRejection(MLIRContext *context)
    : handler(context, [this](mlir::Diagnostic &diagnostic) {
        add(diagnostic);
        return success();
      }) {}

void CapturedRejection::add(mlir::Diagnostic &diagnostic) {
  bool isMarked = llvm::any_of(
      diagnostic.getMetadata(), [](const DiagnosticArgument &argument) {
        return argument.getKind() ==
                   DiagnosticArgument::DiagnosticArgumentKind::String &&
               argument.getAsString() == kUnsupported;
      });
  isUnsupported = isMarked && (isUnsupported || text.empty());
  text += (text.empty() ? "" : "; ") + diagnostic.str();
}
