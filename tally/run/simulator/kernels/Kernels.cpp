//===- Kernels.cpp - what commands compute --------------------------------===//

#include "tally/run/simulator/kernels/Kernels.h"

using namespace tally;
using namespace tally::simulator;
using isa::CommandCode;

KernelFault tally::simulator::runCommand(const isa::Command &command,
                                         Memory &memory,
                                         const machine::Machine &machine) {
  switch (command.code) {
  case CommandCode::DmaCopy:
    return runDma(command, memory, machine);
  case CommandCode::MatrixConv:
    return runMatrix(command, memory, machine);
  case CommandCode::VectorCopy:
  case CommandCode::VectorSelect:
    return runMoves(command, memory, machine);
  case CommandCode::VectorBlock:
  case CommandCode::VectorRescale:
  case CommandCode::VectorLinear:
  case CommandCode::VectorProduct:
    return runBlocks(command, memory, machine);
  case CommandCode::VectorInteger:
    return runIntegers(command, memory, machine);
  case CommandCode::VectorFloat:
    return runFloats(command, memory, machine);
  case CommandCode::VectorConvert:
    return runConversions(command, memory, machine);
  case CommandCode::VectorReduce:
    return runReductions(command, memory, machine);
  case CommandCode::VectorPool:
    return runPools(command, memory, machine);
  case CommandCode::VectorSoftmax:
    return runSoftmax(command, memory, machine);
  }
  return "there is no command of this code";
}
