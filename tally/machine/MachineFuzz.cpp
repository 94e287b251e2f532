//===- MachineFuzz.cpp - libFuzzer on machine files -----------------------===//

#include "tally/machine/MachineFile.h"
#include "tally/machine/MachineReport.h"

#include <cstdlib>

using namespace tally;
using namespace tally::machine;

/// Any text: a machine that prints, or a failure with a rule and a line.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Machine> machine =
      parseMachine({reinterpret_cast<const char *>(data), size}, "fuzz.yaml");
  if (machine) {
    writeMachineJson(llvm::nulls(), *machine);
    return 0;
  }
  if (machine.error().rule.substr(0, 5) != "MACH-" ||
      machine.error().message.substr(0, 5) != "line ")
    abort();
  return 0;
}
