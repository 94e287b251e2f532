//===- Lowerings.h - how operators become commands --------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_LOWERINGS_H
#define TALLY_SCHEDULE_LOWER_LOWERINGS_H

#include "tally/schedule/Scheduler.h"

namespace tally::schedule {

/// Emits the commands of one operator and binds its results.
using Lowering = Status (*)(Scheduler &, mlir::Operation *);
struct LoweringRow {
  llvm::StringRef name; ///< "nn.conv"
  Lowering lower;
};

llvm::ArrayRef<LoweringRow> elementwiseLowerings();
llvm::ArrayRef<LoweringRow> joiningLowerings();
llvm::ArrayRef<LoweringRow> movementLowerings();
llvm::ArrayRef<LoweringRow> poolLowerings();
llvm::ArrayRef<LoweringRow> productLowerings();
llvm::ArrayRef<LoweringRow> reductionLowerings();

/// The lowering of an operator, or null.
Lowering findLowering(llvm::StringRef name);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_LOWERINGS_H
