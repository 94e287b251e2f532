//===- CodeTables.h - operators that are one table of codes -----*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_CODETABLES_H
#define TALLY_SCHEDULE_LOWER_CODETABLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace tally::schedule {

/// Elementwise operators that together map 8-bit codes of one tensor to 8-bit
/// codes, whatever is in between.
struct CodeTable {
  mlir::Value input;
  llvm::SmallVector<mlir::Operation *>
      body;                     ///< in order; the last has the codes
  std::vector<uint8_t> entries; ///< 256, by the code's byte

  mlir::Operation *root() const { return body.back(); }
};

/// The tables of two operators and more, disjoint, in the order of their roots.
std::vector<CodeTable> findCodeTables(mlir::func::FuncOp function);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_CODETABLES_H
