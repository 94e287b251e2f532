//===- Glue.h - the C entry of an object ------------------------*- C++ -*-===//

#ifndef TALLY_CPU_GLUE_H
#define TALLY_CPU_GLUE_H

#include "tally/cpu/CpuCompiler.h"

#include <memory>
#include <string>

namespace tally::cpu {

/// LLVM IR text of what surrounds the tiers' entry functions: CPU detection,
/// `SYMBOL_run`, the interface text and its ELF note, the static arena.
std::string glueText(const runtime::Interface &interface,
                     const CpuOptions &options);

} // namespace tally::cpu

#endif // TALLY_CPU_GLUE_H
