//===- Choices.h - what a schedule can trade --------------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_CHOICES_H
#define TALLY_SCHEDULE_CHOICES_H

#include "tally/machine/Machine.h"

namespace tally::schedule {

/// Sizes that a schedule is free to choose: more of one is less of another, and
/// all answers are the same integers. Bytes of SRAM.
struct Choices {
  /// What tensors needed at one node may take together before the largest of
  /// them go to global memory.
  int64_t residentBytes = 0;
  /// The parts of tensors in global memory that one step works on.
  int64_t bandBytes = 0;
  /// Weights and parameters that are loaded together.
  int64_t weightBytes = 0;
  /// Steps by which loads go ahead of the commands that read them; 0 loads when
  /// the step before is done.
  int64_t prefetch = 1;

  /// Five eighths of SRAM for tensors, one for bands and one for weights, each
  /// of the latter two twice: for the step that runs and the one that is
  /// loaded.
  static Choices standard(const machine::Machine &machine) {
    return {machine.sram.bytes / 8 * 5, machine.sram.bytes / 8,
            machine.sram.bytes / 8, 1};
  }
};

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_CHOICES_H
