//===- ShippedMachines.cpp - machines that come with Tally ----------------===//

#include "tally/machine/ShippedMachines.h"

using namespace tally;
using namespace tally::machine;

static constexpr ShippedMachine kMachines[] = {
#include "tally/machine/ShippedMachines.inc"
};

std::span<const ShippedMachine> tally::machine::shippedMachines() {
  return kMachines;
}

Result<Machine> tally::machine::findMachine(const std::string &nameOrPath) {
  std::string names;
  for (const ShippedMachine &machine : kMachines) {
    if (machine.name == nameOrPath)
      return parseMachine(machine.text, nameOrPath);
    names += (names.empty() ? "" : ", ") + std::string(machine.name);
  }
  Result<Machine> machine = readMachine(nameOrPath);
  if (machine || machine.error().kind == FailureKind::Machine)
    return machine;
  Diagnostic failure = machine.takeError();
  failure.hint = "a machine is a file, or one of " + names;
  return failure;
}
