//===- CpuFusion.cpp - how to fuse for the CPU ----------------------------===//

#include "tally/driver/CpuFusion.h"
#include "tally/cpu/CpuCompiler.h"

using namespace tally;

static std::optional<std::string> lacks(mlir::Operation *op) {
  if (cpu::canFuse(op))
    return std::nullopt;
  return "the CPU has no code for " + op->getName().getStringRef().str() +
         " in a chain";
}

rewrite::FusionOptions tally::cpuFusion(eval::Profile numerics) {
  rewrite::FusionOptions options;
  options.prefersCodes = true;
  options.idealRounding = numerics == eval::Profile::Ideal;
  options.target.lacksAnchor = lacks;
  options.target.lacksStage = [](mlir::Operation *stage,
                                 llvm::ArrayRef<mlir::Operation *>) {
    return lacks(stage);
  };
  return options;
}
