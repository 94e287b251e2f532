//===- Steps.h - operators that take several vector commands ----*- C++ -*-===//
//
// An operator's formula, one command for each of its operations:
//
//   Tensor mean = v.floats(Function::FloatDiv,
//                          {v.reduce(Function::ReduceSum, x, axes),
//                           v.number(n)});
//
// A formula sees operands and results as views, so that a caller may run it on
// parts of them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_LOWER_STEPS_H
#define TALLY_SCHEDULE_LOWER_STEPS_H

#include "tally/emit/isa/Parameters.h"
#include "tally/schedule/lower/Piecewise.h"
#include "tally/schedule/lower/Walk.h"

#include <map>

namespace tally::schedule {

/// A block on codes as a vector engine runs it. Where `lowest` is set, it takes
/// the unit for 16 bits, and its results have to be raised to that code
/// (kBelowBytes in Epilogue.h).
struct UnitWork {
  Work work;
  std::optional<int32_t> lowest;
};
UnitWork unitWork(isa::CommandCode code, const isa::ParameterBlock &block,
                  int32_t leastOfBlock, int32_t leastCode);

/// Writes vector commands whose operands broadcast against each other. Each
/// makes a new tensor in SRAM, or writes to `out` where the caller gives one.
/// After a failure, which finish() tells, nothing more is written.
class Steps {
public:
  /// Numbers that are in SRAM already, by their type and bytes.
  using Numbers =
      std::map<std::pair<machine::ElementType, std::vector<uint8_t>>, Tensor>;
  Steps(Scheduler &scheduler, Numbers &numbers)
      : s(scheduler), numbers(numbers) {}
  Status finish() { return std::move(state); }
  /// Keeps the failure NPU-10 of the node, unless there is one already.
  void refuse(const std::string &what, const std::string &hint = "");

  /// One number, or a row-major tensor of them, from the constants.
  Tensor number(float value);
  Tensor integer(int64_t value, machine::ElementType type);
  Tensor constant(llvm::ArrayRef<int64_t> shape, machine::ElementType type,
                  std::vector<uint8_t> bytes);
  /// A new tensor whose elements lie in the order of `like`'s, where that has
  /// the shape.
  Tensor make(llvm::ArrayRef<int64_t> shape, machine::ElementType type,
              const Tensor &like, llvm::StringRef name);

  /// An f32 function; comparisons give bytes of 0 or 1.
  Tensor floats(isa::Function function, llvm::ArrayRef<Tensor> operands,
                const Tensor *out = nullptr);
  /// A function of integers of one type; comparisons give bytes of 0 or 1.
  Tensor integers(isa::Function function, llvm::ArrayRef<Tensor> operands,
                  const Tensor *out = nullptr);
  /// `truth` is bytes; `yes` and `no` have one type.
  Tensor select(const Tensor &truth, const Tensor &yes, const Tensor &no,
                const Tensor *out = nullptr);
  Tensor cast(const Tensor &from, machine::ElementType type,
              const Tensor *out = nullptr);
  /// Any elementwise work, with a result of `type`. The work keeps what it has
  /// loaded.
  Tensor apply(Work &work, llvm::ArrayRef<Tensor> operands,
               machine::ElementType type, const Tensor *out = nullptr);
  /// `out`, codes, by a block.
  void rescale(UnitWork &unit, llvm::ArrayRef<Tensor> operands,
               const Tensor &out);
  /// Along `axes`, which stay as dimensions of one element. `zero` is
  /// subtracted from integers first.
  Tensor reduce(isa::Function function, const Tensor &from,
                llvm::ArrayRef<int64_t> axes, int64_t zero = 0,
                const Tensor *out = nullptr);

private:
  bool keep(Status status);

  Scheduler &s;
  Numbers &numbers;
  Status state;
};

/// Writes `result` from all operands of an operator, or from their pieces.
using Formula = std::function<void(Steps &, llvm::ArrayRef<Tensor> operands,
                                   const Tensor &result)>;

/// `op`, of one result, by its formula. Operands broadcast to the result,
/// whose dimensions `uncut` every piece has whole. At most `temporaries`
/// tensors of the result's shape and 4 bytes are needed at a time.
PiecewiseNode formulaNode(Scheduler &s, mlir::Operation *op, Formula formula,
                          llvm::ArrayRef<int64_t> uncut = {},
                          int64_t temporaries = 3);

/// An operand of which every piece of the result needs all.
Read wholeRead(mlir::Value value);

/// Views with more dimensions: one of a single element at `axis`; dimension d
/// in `outer` parts.
Tensor withDimension(const Tensor &tensor, int64_t axis);
Tensor splitDimension(const Tensor &tensor, int64_t d, int64_t outer);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_STEPS_H
