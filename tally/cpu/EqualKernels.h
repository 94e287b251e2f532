//===- EqualKernels.h - kernels of equal code, kept once --------*- C++ -*-===//

#ifndef TALLY_CPU_EQUALKERNELS_H
#define TALLY_CPU_EQUALKERNELS_H

#include "tally/cpu/CpuCompiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <unordered_map>
#include <utility>

namespace tally::cpu {

/// The kernels of a module. Equal are two whose operations, attributes and
/// argument types are the same, for tiers whose code is one part (codeTier);
/// names and locations do not count.
class EqualKernels {
public:
  /// `symbol` begins the kernels' names.
  explicit EqualKernels(const std::string &symbol) : symbol(symbol) {}

  /// Keeps `kernel` and names it, or erases it for one of equal code that is
  /// kept, which is then returned. Tiers come weakest first, so that what a
  /// tier shares runs on it.
  mlir::func::FuncOp keep(mlir::func::FuncOp kernel, Tier tier);

private:
  std::string symbol;
  /// Kernels and whose code they are, by hash.
  std::unordered_multimap<size_t, std::pair<mlir::func::FuncOp, Tier>> kept;
};

} // namespace tally::cpu

#endif // TALLY_CPU_EQUALKERNELS_H
