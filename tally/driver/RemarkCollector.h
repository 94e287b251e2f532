//===- RemarkCollector.h - a compilation's remarks as records ---*- C++ -*-===//
//
// Rewrites speak to MLIR's remark engine (rewrite/Remarks.h). While a collector
// lives it is that engine's listener: every remark with a code of Remarks.def
// becomes a record of report/Decisions.h and, if wanted, an entry of LLVM's
// YAML remark format, which llvm-remarkutil and opt-viewer read.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_REMARKCOLLECTOR_H
#define TALLY_DRIVER_REMARKCOLLECTOR_H

#include "tally/report/Decisions.h"
#include "tally/support/AtomicFile.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace tally {

/// The categories of Remarks.def, each once, in its order.
std::vector<std::string> remarkCategories();

class RemarkCollector {
public:
  /// Listens to the remarks of `categories` in `context`, which has no remark
  /// engine yet and outlives the collector. `yamlFile` may be empty. FILE-OUT-*
  /// when it cannot be written.
  static Result<std::unique_ptr<RemarkCollector>>
  start(mlir::MLIRContext &context, std::vector<std::string> categories,
        const std::string &yamlFile);
  ~RemarkCollector();

  /// Ends the listening and gives the YAML file its name.
  Result<report::Explanation> finish();

private:
  explicit RemarkCollector(mlir::MLIRContext &context) : context(context) {}

  mlir::MLIRContext &context;
  report::Explanation explanation;
  std::optional<AtomicFile> yaml;
};

} // namespace tally

#endif // TALLY_DRIVER_REMARKCOLLECTOR_H
