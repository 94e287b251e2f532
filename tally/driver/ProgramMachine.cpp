//===- ProgramMachine.cpp - the machine of a program ----------------------===//

#include "tally/driver/ProgramMachine.h"
#include "tally/machine/ShippedMachines.h"

using namespace tally;

Result<machine::Machine> tally::machineFor(const Arguments &arguments,
                                           const isa::Program &program) {
  std::string asked = arguments.value(option::machine);
  if (!asked.empty())
    return machine::findMachine(asked);
  const std::string &name = program.requirements.machine;
  for (const machine::ShippedMachine &shipped : machine::shippedMachines())
    if (shipped.name == name)
      return machine::findMachine(name);
  return usageError("PROG-6",
                    "the program was made for machine '" + name +
                        "', which does not come with tally",
                    "give its file with --machine");
}
