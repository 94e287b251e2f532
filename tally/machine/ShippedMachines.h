//===- ShippedMachines.h - machines that come with Tally --------*- C++ -*-===//
//
// The files of machines/, built into the library.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_MACHINE_SHIPPEDMACHINES_H
#define TALLY_MACHINE_SHIPPEDMACHINES_H

#include "tally/machine/MachineFile.h"

#include <span>

namespace tally::machine {

struct ShippedMachine {
  std::string_view name; ///< the file's, without .yaml
  std::string_view text;
};

/// By name.
std::span<const ShippedMachine> shippedMachines();

/// The shipped machine of that name, or else the machine of that file.
/// Failures: those of MachineFile.h and readFile, with the names as a hint.
Result<Machine> findMachine(const std::string &nameOrPath);

} // namespace tally::machine

#endif // TALLY_MACHINE_SHIPPEDMACHINES_H
