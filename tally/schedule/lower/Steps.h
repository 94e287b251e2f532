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

#include "tally/schedule/lower/Walk.h"

#include <map>

namespace tally::schedule {

/// Writes vector commands whose operands broadcast against each other. Each
/// makes a new tensor in SRAM, or writes to `out` where the caller gives one.
/// After a failure, which finish() tells, nothing more is written.
class Steps {
public:
  explicit Steps(Scheduler &scheduler) : s(scheduler) {}
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
  /// Any elementwise work, with a result of `type`.
  Tensor apply(Work work, llvm::ArrayRef<Tensor> operands,
               machine::ElementType type, const Tensor *out = nullptr);
  /// Along `axes`, which stay as dimensions of one element. `zero` is
  /// subtracted from integers first.
  Tensor reduce(isa::Function function, const Tensor &from,
                llvm::ArrayRef<int64_t> axes, int64_t zero = 0,
                const Tensor *out = nullptr);

private:
  bool keep(Status status);

  Scheduler &s;
  Status state;
  /// Numbers that are there already, by their type and bytes.
  std::map<std::pair<machine::ElementType, std::vector<uint8_t>>, Tensor>
      numbers;
};

/// A formula: writes all of `results` from `operands`. A result that nothing
/// reads has no storage and may be left out.
using Formula = llvm::function_ref<void(Steps &, llvm::ArrayRef<Tensor>,
                                        llvm::ArrayRef<Tensor>)>;

/// Runs the formula of `op` on all its operands and results. A part of the
/// results needs what broadcasts to it of the operands, and dimensions `whole`
/// of both in one piece.
Status runFormula(Scheduler &s, mlir::Operation *op,
                  llvm::ArrayRef<int64_t> whole, Formula formula);

/// The same elements with a dimension of one element at `axis`.
Tensor withDimension(const Tensor &tensor, int64_t axis);
/// Another shape of the same elements, for tensors in row-major order.
Tensor reshaped(const Tensor &tensor, llvm::ArrayRef<int64_t> shape);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_STEPS_H
