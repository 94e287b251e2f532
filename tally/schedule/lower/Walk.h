//===- Walk.h - vector commands over whole tensors --------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_WALK_H
#define TALLY_SCHEDULE_LOWER_WALK_H

#include "tally/schedule/Scheduler.h"

namespace tally::schedule {

/// What a vector command does beside its operands.
struct Work {
  isa::CommandCode code = isa::CommandCode::VectorCopy;
  std::optional<isa::Function> function;
  std::vector<uint8_t> parameters;
  int64_t zero = 0;
  float scale = 1;
  /// The tensors' dimension whose index chooses among the parameters.
  std::optional<size_t> channel;
  /// The parameters in SRAM, once a walk has loaded them.
  mlir::Value loaded;
};

/// Loads the parameters of a work, unless it is done already.
Status loadParameters(Scheduler &s, Work &work);

/// Sets function, parameters, zero point and scale of a command.
void setWork(CommandWriter &writer, const Work &work);

/// Commands for all elements of `tensors`: up to three operands, which
/// broadcast, and the result. The first walk of a work loads its parameters.
Status walk(Scheduler &s, Work &work, llvm::ArrayRef<const Tensor *> tensors);

/// The reduction `function` of `from` along the dimensions in which `to`, of
/// the same rank, has one element. `zero` is subtracted from integers first.
Status reduce(Scheduler &s, isa::Function function, int64_t zero,
              const Tensor &from, const Tensor &to);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_WALK_H
