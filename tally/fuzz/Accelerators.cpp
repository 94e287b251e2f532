//===- Accelerators.cpp - machines with less of what is scarce ------------===//

#include "tally/fuzz/Accelerators.h"
#include "tally/machine/ShippedMachines.h"

#include "llvm/ADT/ArrayRef.h"

using namespace tally;
using namespace tally::fuzz;

static void setSyncKind(machine::SyncFile &file, machine::SyncKind kind) {
  file.kind = kind;
  if (kind == machine::SyncKind::Counter)
    return;
  file.compare = machine::SyncCompare::Absolute;
  file.relativeWaits = false;
  file.scalarThresholds = false;
  if (kind == machine::SyncKind::Flag)
    file.bits = 1;
}

machine::Machine Accelerator::describe() const {
  machine::Machine result = *machine::findMachine(machine);
  if (syncKind)
    setSyncKind(result.sync, *syncKind);
  if (syncRegisters)
    result.sync.count = syncRegisters;
  if (sramBytes) {
    int64_t unit = result.sram.banks * result.sram.alignment;
    result.sram.bytes = (sramBytes + unit - 1) / unit * unit;
  }
  for (machine::Engine &engine : result.engines)
    engine.inOrder &= !completesInAnyOrder;
  return result;
}

Accelerator fuzz::drawAccelerator(Random &random,
                                  llvm::ArrayRef<std::string> machines) {
  Accelerator drawn;
  drawn.machine = random.pick(machines);
  if (random.chance(40))
    drawn.syncRegisters = random.between(1, 4);
  if (random.chance(40))
    drawn.sramBytes = int64_t(1) << random.between(11, 16);
  if (random.chance(20))
    // Tokens are left out: some of their plans are right, but beyond what the
    // checker proves.
    drawn.syncKind =
        random.pick({machine::SyncKind::Counter, machine::SyncKind::Flag});
  drawn.completesInAnyOrder = random.chance(10);
  return drawn;
}

static const char *syncKindName(machine::SyncKind kind) {
  return kind == machine::SyncKind::Counter ? "counter"
         : kind == machine::SyncKind::Token ? "token"
                                            : "flag";
}

std::string fuzz::optionsOf(const Accelerator &accelerator) {
  std::string text = "--machines=" + accelerator.machine;
  if (accelerator.syncRegisters)
    text += " --sync-registers=" + std::to_string(accelerator.syncRegisters);
  if (accelerator.sramBytes)
    text += " --sram-bytes=" + std::to_string(accelerator.sramBytes);
  if (accelerator.syncKind)
    text += std::string(" --sync-kind=") + syncKindName(*accelerator.syncKind);
  if (accelerator.completesInAnyOrder)
    text += " --any-order";
  return text;
}
