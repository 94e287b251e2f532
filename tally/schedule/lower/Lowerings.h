//===- Lowerings.h - how operators become commands --------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_LOWERINGS_H
#define TALLY_SCHEDULE_LOWER_LOWERINGS_H

#include "tally/schedule/lower/Piecewise.h"

namespace tally::schedule {

/// Emits the commands of one operator and binds its results.
using Lowering = Status (*)(Scheduler &, mlir::Operation *);
/// Works out what does not depend on pieces; commands follow piece by piece.
using Preparation = Result<PiecewiseNode> (*)(Scheduler &, mlir::Operation *);

/// What a node can do with operands and results in global memory.
enum class Reach {
  Whole,  ///< operands are loaded whole, results are in SRAM
  Pieces, ///< works on pieces of them
  View,   ///< the result has its home with the operand
};

struct LoweringRow {
  llvm::StringRef name; ///< "nn.conv"
  Lowering lower = nullptr;
  Preparation prepare = nullptr; ///< in place of `lower`
  Reach reach = Reach::Whole;

  LoweringRow(llvm::StringRef name, Lowering lower, Reach reach = Reach::Whole)
      : name(name), lower(lower), reach(reach) {}
  LoweringRow(llvm::StringRef name, Preparation prepare)
      : name(name), prepare(prepare), reach(Reach::Pieces) {}
};

llvm::ArrayRef<LoweringRow> elementwiseLowerings();
llvm::ArrayRef<LoweringRow> floatReductionLowerings();
llvm::ArrayRef<LoweringRow> gatherLowerings();
llvm::ArrayRef<LoweringRow> gatherNdLowerings();
llvm::ArrayRef<LoweringRow> indexMaskLowerings();
llvm::ArrayRef<LoweringRow> integerSoftmaxLowerings();
llvm::ArrayRef<LoweringRow> joiningLowerings();
llvm::ArrayRef<LoweringRow> movementLowerings();
llvm::ArrayRef<LoweringRow> normalizationLowerings();
llvm::ArrayRef<LoweringRow> numberLowerings();
llvm::ArrayRef<LoweringRow> poolLowerings();
llvm::ArrayRef<LoweringRow> productLowerings();
llvm::ArrayRef<LoweringRow> reductionLowerings();
llvm::ArrayRef<LoweringRow> runtimeScaleLowerings();
llvm::ArrayRef<LoweringRow> scatterLowerings();
llvm::ArrayRef<LoweringRow> shiftLowerings();
llvm::ArrayRef<LoweringRow> transposedLowerings();

struct CodeTable;
/// The lookup of a table (CodeTables.h) as a node.
PiecewiseNode tableNode(Scheduler &s, const CodeTable &table);

/// The lowering of an operator, or null.
const LoweringRow *findLowering(llvm::StringRef name);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_LOWERINGS_H
