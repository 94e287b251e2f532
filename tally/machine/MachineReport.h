//===- MachineReport.h - a machine for people and programs ------*- C++ -*-===//

#ifndef TALLY_MACHINE_MACHINEREPORT_H
#define TALLY_MACHINE_MACHINEREPORT_H

#include "tally/machine/Machine.h"

#include "llvm/Support/raw_ostream.h"

namespace tally::machine {

/// A table of all there is.
void printMachine(llvm::raw_ostream &out, const Machine &machine);

/// One JSON object with the file's keys, queues beside them, and a "version".
void writeMachineJson(llvm::raw_ostream &out, const Machine &machine);

} // namespace tally::machine

#endif // TALLY_MACHINE_MACHINEREPORT_H
