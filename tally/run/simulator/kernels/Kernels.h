//===- Kernels.h - what commands compute ------------------------*- C++ -*-===//
//
// The work of one command on the memories, apart from when it happens. Every
// byte goes through Memory's gate; wrong accesses are the memory's fault(), and
// a kernel then soon returns. What else a command can do wrong is returned as
// text; nothing means that it did its work.
//
// Commands have passed isa::checkCommand.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_SIMULATOR_KERNELS_KERNELS_H
#define TALLY_RUN_SIMULATOR_KERNELS_KERNELS_H

#include "tally/emit/isa/Command.h"
#include "tally/run/simulator/Memory.h"

#include <optional>
#include <string>

namespace tally::simulator {

using KernelFault = std::optional<std::string>;

/// Any command.
KernelFault runCommand(const isa::Command &command, Memory &memory,
                       const machine::Machine &machine);

KernelFault runDma(const isa::Command &command, Memory &memory,
                   const machine::Machine &machine);
KernelFault runMatrix(const isa::Command &command, Memory &memory,
                      const machine::Machine &machine);
/// Commands of the vector engine, by what they have in common.
KernelFault runMoves(const isa::Command &command, Memory &memory,
                     const machine::Machine &machine);
KernelFault runBlocks(const isa::Command &command, Memory &memory,
                      const machine::Machine &machine);
KernelFault runIntegers(const isa::Command &command, Memory &memory,
                        const machine::Machine &machine);
KernelFault runFloats(const isa::Command &command, Memory &memory,
                      const machine::Machine &machine);
KernelFault runConversions(const isa::Command &command, Memory &memory,
                           const machine::Machine &machine);
KernelFault runReductions(const isa::Command &command, Memory &memory,
                          const machine::Machine &machine);
KernelFault runPools(const isa::Command &command, Memory &memory,
                     const machine::Machine &machine);
KernelFault runSoftmax(const isa::Command &command, Memory &memory,
                       const machine::Machine &machine);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_KERNELS_KERNELS_H
