//===- MachineCommand.cpp - tally machine ---------------------------------===//

#include "tally/driver/Commands.h"
#include "tally/machine/MachineReport.h"
#include "tally/machine/ShippedMachines.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;

static Result<int> showMachine(const Arguments &arguments) {
  std::vector<std::string> words = arguments.positional();
  if (words.empty())
    return usageError("MACHINE-1", "a machine file is missing",
                      "write tally machine FILE.yaml, or the name of a machine "
                      "that comes with tally, as edge");
  Result<machine::Machine> machine = machine::findMachine(words[0]);
  if (!machine)
    return machine.takeError();
  if (arguments.has(option::json))
    writeMachineJson(llvm::outs(), *machine);
  else
    printMachine(llvm::outs(), *machine);
  return 0;
}

const CommandSpec tally::kMachineCommand = {
    "machine",
    option::InMachine,
    " FILE|NAME [OPTIONS]",
    "Check a machine file and show what it says",
    R"(
FILE describes an accelerator (docs/formats/machine.md); NAME is edge, tiny or
wide, which come with tally.

EXAMPLES:
  tally machine edge
  tally machine my-accelerator.yaml --json
)",
    1,
    showMachine};
