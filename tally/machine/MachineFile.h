//===- MachineFile.h - machine descriptions as YAML -------------*- C++ -*-===//
//
// Reads what docs/formats/machine.md describes. Failures are of kind Machine
// and name the file, the line and the rule:
//
//   MACH-1  the text is YAML with the keys and kinds of values of the format
//   MACH-2  a number lies in its range
//   MACH-3  names consist of letters, digits, - and _, and begin with a letter;
//           engines have different ones
//   MACH-4  an engine has the unit of its kind and no other; there are 1 to 16
//           queues
//   MACH-5  scratch registers are different ones that the subset has, not x0
//   MACH-6  requantize units make results of 8 or 16 bits, one each
//   MACH-7  synchronization registers are at most 128 in all, reserved ones are
//           among them; only counters have relative waits, scalar thresholds or
//           a modular comparison
//   MACH-8  windows are ascending, disjoint, not empty and within the address
//           space
//   MACH-9  engines list different element types; a matrix engine takes i8 or
//           u8
//   MACH-10 sizes fit together: SRAM is whole banks, alignments divide sizes
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_MACHINE_MACHINEFILE_H
#define TALLY_MACHINE_MACHINEFILE_H

#include "tally/machine/Machine.h"
#include "tally/support/Result.h"

namespace tally::machine {

/// Most queues and synchronization registers that instructions can name.
inline constexpr int64_t kMaxQueues = 16;
inline constexpr int64_t kMaxSyncRegisters = 128;

/// `file` is what failures call the text.
Result<Machine> parseMachine(std::string_view text, const std::string &file);

Result<Machine> readMachine(const std::string &path);

} // namespace tally::machine

#endif // TALLY_MACHINE_MACHINEFILE_H
