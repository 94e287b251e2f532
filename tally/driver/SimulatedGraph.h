//===- SimulatedGraph.h - a graph run as programs of a machine --*- C++ -*-===//

#ifndef TALLY_DRIVER_SIMULATEDGRAPH_H
#define TALLY_DRIVER_SIMULATEDGRAPH_H

#include "tally/driver/Codegen.h"
#include "tally/machine/Machine.h"

namespace tally {

/// `module`, as imported, compiled for the machine and run in its simulator,
/// every access audited. A program has few outputs: where exposed tensors are
/// more, several programs of the same graph give a part of them each, all
/// accepted by the checker. STATE-10 if more than `maxStateCopies` states are
/// copied.
Result<Executable>
simulatedExecutable(PhaseRunner &phases, mlir::ModuleOp module,
                    const machine::Machine &machine, Expose expose,
                    std::optional<int64_t> maxStateCopies = std::nullopt);

} // namespace tally

#endif // TALLY_DRIVER_SIMULATEDGRAPH_H
