//===- EqualKernels.cpp - kernels of equal code, kept once ----------------===//
//
// Kernels are compared as code, not as text, which would have to be printed:
// those with the same operations in the same order, whatever these work on, are
// then compared in full.
//
// Cost: a walk through the kernel, two where one like it is kept.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/EqualKernels.h"
#include "tally/cpu/TierParts.h"

#include "mlir/IR/OperationSupport.h"

#include <algorithm>

using namespace mlir;
using namespace tally::cpu;

/// Of all operations in order, without what their operands are.
static size_t hashOf(func::FuncOp kernel) {
  llvm::hash_code hash = mlir::hash_value(kernel.getFunctionType());
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqual(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

func::FuncOp EqualKernels::keep(func::FuncOp kernel, Tier tier) {
  size_t hash = hashOf(kernel);
  for (auto [it, end] = kept.equal_range(hash); it != end; ++it) {
    auto [other, owner] = it->second;
    if (owner != codeTier(tier) || !areEqual(other, kernel))
      continue;
    kernel.erase();
    return other;
  }
  std::string name =
      symbol + "_k" + std::to_string(kept.size()) + "_" + tierName(tier);
  std::replace(name.begin(), name.end(), '-', '_');
  kernel.setName(name);
  kept.emplace(hash, std::pair(kernel, codeTier(tier)));
  return kernel;
}
