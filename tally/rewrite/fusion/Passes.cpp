//===- Passes.cpp - fusion for tally-opt ----------------------------------===//

#include "tally/ops/Ops.h"
#include "tally/rewrite/fusion/Fusion.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::rewrite;

namespace {
struct FusePass : PassWrapper<FusePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FusePass)
  FusePass() = default;
  FusePass(const FusePass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "nn-fuse"; }
  StringRef getDescription() const override {
    return "join operators and the elementwise operators after them";
  }
  void runOnOperation() override;

  Option<int64_t> maxTableBytes{*this, "max-table-bytes",
                                llvm::cl::init(FusionOptions().maxTableBytes),
                                llvm::cl::desc("largest table of one stage")};
  Option<int64_t> tableBudget{
      *this, "table-budget", llvm::cl::init(FusionOptions().tableBudget),
      llvm::cl::desc("largest size of a chain's tables together")};
  Option<bool> prefersCodes{
      *this, "prefers-codes", llvm::cl::init(false),
      llvm::cl::desc("the target is better at codes than at floats")};
  Option<bool> idealRounding{
      *this, "ideal-rounding", llvm::cl::init(true),
      llvm::cl::desc("quantized results are exact reals, rounded once")};
  ListOption<std::string> targetLacks{
      *this, "target-lacks",
      llvm::cl::desc("operators that the target cannot run in a chain")};
  Option<std::string> without{
      *this, "without",
      llvm::cl::desc("take this predicate to hold (to test the tests)")};
};
} // namespace

/// A target without the named operators.
static FusionTarget targetWithout(ArrayRef<std::string> names) {
  SmallVector<std::string> list(names);
  auto lacks = [list](Operation *op) -> std::optional<std::string> {
    StringRef name = op->getName().getStringRef();
    if (llvm::is_contained(list, name.str()))
      return "it has no " + name.str();
    return std::nullopt;
  };
  return {lacks, [lacks](Operation *stage, ArrayRef<Operation *>) {
            return lacks(stage);
          }};
}

void FusePass::runOnOperation() {
  FusionOptions options;
  options.maxTableBytes = maxTableBytes;
  options.tableBudget = tableBudget;
  options.prefersCodes = prefersCodes;
  options.idealRounding = idealRounding;
  options.target = targetWithout(*targetLacks);
  if (!without.empty()) {
    options.without = predicateNamed(without);
    if (!options.without) {
      getOperation().emitError()
          << "there is no predicate '" << without
          << "'; there are: " << llvm::join(predicateNames(), " ");
      return signalPassFailure();
    }
  }
  fuse(getOperation(), options);
  Status status = verifyFused(getOperation());
  if (!status) {
    getOperation().emitError() << status.error().str();
    signalPassFailure();
  }
}

namespace {
struct UnfusePass : PassWrapper<UnfusePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnfusePass)
  StringRef getArgument() const override { return "nn-unfuse"; }
  StringRef getDescription() const override {
    return "put fused chains back in their places";
  }
  void runOnOperation() override { unfuse(getOperation()); }
};
} // namespace

void tally::rewrite::registerFusionPasses() {
  PassRegistration<FusePass>();
  PassRegistration<UnfusePass>();
}
