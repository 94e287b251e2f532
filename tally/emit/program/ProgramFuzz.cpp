//===- ProgramFuzz.cpp - libFuzzer on program files -----------------------===//

#include "tally/emit/program/NeededMachine.h"
#include "tally/emit/program/ProgramFile.h"

#include <cstdlib>

using namespace tally;
using namespace tally::isa;

/// Any bytes: a program that survives being written again, or a failure with a
/// rule. The same bytes are also tried as the text of a note.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Program fromNote;
  if (Status status = metadataFromJson(
          {reinterpret_cast<const char *>(data), size}, fromNote);
      status) {
    (void)checkProgram(fromNote);
    (void)neededMachine(fromNote.requirements);
  }
  Result<Program> program = parseProgram({data, size}, "fuzz.elf");
  if (!program) {
    if (program.error().rule.substr(0, 5) != "PROG-")
      abort();
    return 0;
  }
  Result<Program> again = parseProgram(writeProgram(*program), "again.elf");
  if (!again || *again != *program)
    abort();
  return 0;
}

/// Seeds libFuzzer with one well-formed program, since no random bytes are
/// one.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  if (seed % 64 != 0)
    return LLVMFuzzerMutate(data, size, most);
  Program program;
  program.text = {0x00000073}; // ecall
  program.constants.resize(seed / 64 % 40);
  program.context.resize(8);
  program.scalars = {{"s", 4, 0, 9}};
  program.buffers = {{"x", BufferUse::Input, 4}};
  program.symbols = {{"start", kTextSpace, 0, 4}};
  program.nodes = {{0, 1, "n"}};
  std::vector<uint8_t> bytes = writeProgram(program);
  if (bytes.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::copy(bytes.begin(), bytes.end(), data);
  return LLVMFuzzerMutate(data, bytes.size(), most);
}
