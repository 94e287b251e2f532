//===- Glue.h - the C entry of an object ------------------------*- C++ -*-===//

#ifndef TALLY_CPU_GLUE_H
#define TALLY_CPU_GLUE_H

#include "tally/cpu/CpuCompiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <string>
#include <vector>

namespace tally::cpu {

/// A state that is a number: with 0 to `most` of it a call can begin.
struct NumberLimit {
  size_t input = 0; ///< its place among the pointers to what is read
  int64_t most = 0;
};
/// Those of a function whose states have places.
std::vector<NumberLimit> numberLimits(mlir::func::FuncOp function);

/// LLVM IR text of what surrounds the tiers' entry functions: CPU detection,
/// `SYMBOL_run`, the interface text and its ELF note, the static arena.
std::string glueText(const runtime::Interface &interface,
                     const std::vector<NumberLimit> &limits,
                     const CpuOptions &options);

} // namespace tally::cpu

#endif // TALLY_CPU_GLUE_H
