//===- Accelerators.h - machines with less of what is scarce ----*- C++ -*-===//

#ifndef TALLY_FUZZ_ACCELERATORS_H
#define TALLY_FUZZ_ACCELERATORS_H

#include "tally/emit/program/Program.h"
#include "tally/eval/Tensor.h"
#include "tally/fuzz/Random.h"
#include "tally/machine/Machine.h"
#include "tally/run/simulator/Simulator.h"

namespace tally::fuzz {

/// A machine that comes with Tally, changed where a member says so.
struct Accelerator {
  std::string machine;       ///< "edge"
  int64_t syncRegisters = 0; ///< 0: as many as it has
  int64_t sramBytes = 0;     ///< rounded up to whole banks; 0: all
  std::optional<machine::SyncKind> syncKind;
  bool completesInAnyOrder = false; ///< all its engines

  /// The machine; it keeps the rules of machine files.
  machine::Machine describe() const;
};

/// One of the machines, often with fewer registers, less SRAM, registers of
/// another kind, or engines that complete in any order.
Accelerator drawAccelerator(Random &random,
                            llvm::ArrayRef<std::string> machines);

/// The options that name it: "--machines=edge --sync-registers=2".
std::string optionsOf(const Accelerator &accelerator);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_ACCELERATORS_H
