//===- Epilogue.h - what follows a product in the output stage --*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_EPILOGUE_H
#define TALLY_SCHEDULE_LOWER_EPILOGUE_H

#include "tally/emit/isa/Parameters.h"
#include "tally/schedule/Scheduler.h"

namespace tally::schedule {

/// The stages behind the sums of a product, for all its channels.
class Epilogue {
public:
  /// Stage one and two: an addend in accumulator units and the record of each
  /// channel.
  std::vector<int32_t> bias;
  std::vector<quant::RequantizeRecord> records;
  /// The least code of those records' results.
  int32_t lowest = 0;

  /// Appends an elementwise operator whose operand `chained` is the value so
  /// far.
  Status append(Scheduler &s, mlir::Operation *stage, mlir::Value chained);

  /// The other operand of a stage that has two, or null.
  mlir::Value residual() const { return other; }
  /// The stages of channels [first, first + count).
  Result<isa::EpilogueBlock> block(Scheduler &s, int64_t first,
                                   int64_t count) const;

private:
  std::vector<isa::Stage> stages;
  mlir::Value other;
};

/// The least value of blocks that the unit for results of 16 bits runs although
/// the codes are bytes: the multiplier of the unit for bytes is too narrow to
/// be exact. What comes out has to be raised to the least code; their greatest
/// is that of the codes.
inline constexpr int32_t kBelowBytes = -129;

/// The record of one channel in the form that one of the machine's units has.
Result<quant::RequantizeRecord> unitRecord(Scheduler &s,
                                           quant::RequantizeProblem problem);

/// Records of all channels as one block, of the wider unit if one of them is.
Result<isa::RequantizeBlock>
unitBlock(Scheduler &s, std::vector<quant::RequantizeRecord> records);

/// What `op` computes of one code, and the sum, difference or product of two
/// codes, in the forms that the machine's units have.
Result<quant::UnaryBlock> unitUnary(Scheduler &s, mlir::Operation *op);
/// Codes of one grid on another.
Result<quant::UnaryBlock> unitRequantize(Scheduler &s,
                                         const eval::Quantization &from,
                                         const eval::Quantization &to);
Result<isa::LinearBlock> unitLinear(Scheduler &s, mlir::Operation *op);
Result<isa::ProductBlock> unitProduct(Scheduler &s, mlir::Operation *op);

/// What the output stage lacks to run `stage`, whose operand `chained` is the
/// value so far, or nothing.
std::optional<std::string> lacksStage(mlir::Operation *stage,
                                      mlir::Value chained);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_EPILOGUE_H
