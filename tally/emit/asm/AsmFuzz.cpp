//===- AsmFuzz.cpp - libFuzzer on assembly --------------------------------===//

#include "tally/emit/asm/Assembler.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/machine/ShippedMachines.h"

#include <cstdlib>

using namespace tally;
using namespace tally::isa;

/// Without its places in the source, which a text's layout decides.
static Program unplaced(Program program) {
  program.sourceFile.clear();
  program.lines.clear();
  return program;
}

/// Any text: a failure with a rule, or a program that the disassembler's text
/// gives again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const machine::Machine edge = *machine::findMachine("edge");
  Result<Program> program =
      assemble({reinterpret_cast<const char *>(data), size}, edge, "fuzz.s");
  if (!program) {
    if (program.error().rule.empty())
      abort();
    return 0;
  }
  Result<Program> again = assemble(disassemble(*program), edge, "again.s");
  if (!again || unplaced(*again) != unplaced(*program))
    abort();
  return 0;
}
