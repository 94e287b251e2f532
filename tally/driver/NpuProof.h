//===- NpuProof.h - no program leaves without a proof -----------*- C++ -*-===//

#ifndef TALLY_DRIVER_NPUPROOF_H
#define TALLY_DRIVER_NPUPROOF_H

#include "tally/emit/program/Program.h"

#include <functional>

namespace tally {

/// What is kept of a program that was made wrong.
struct Evidence {
  std::string path;    ///< of the program that was asked for; empty: nothing
  std::string options; ///< of the command line, for people
  /// Text of the graph that was scheduled; asked for where it is needed.
  std::function<std::string()> module;
};

/// NPU-11 (Internal) when the independent checker rejects `program`. Then
/// PATH.rejected.elf has the program, PATH.rejected.mlir the graph that it was
/// made from, which is a model, and the options; the failure names them.
Status prove(const isa::Program &program, const machine::Machine &machine,
             const Evidence &evidence = {});

} // namespace tally

#endif // TALLY_DRIVER_NPUPROOF_H
