//===- CheckerFuzz.cpp - libFuzzer on programs to be checked --------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/run/checker/Checker.h"

#include <cstdlib>
#include <cstring>

using namespace tally;
using namespace tally::checker;

/// Those of the input's words that are instructions on the machine, between a
/// definition of all scalar registers and the end.
static std::vector<isa::Instruction> textOf(std::span<const uint8_t> bytes,
                                            const machine::Machine &machine) {
  std::vector<isa::Instruction> text;
  for (int64_t reg = 1; reg < machine.processor.registers(); ++reg)
    text.push_back({isa::Opcode::Addi, {reg, 0, 4 * reg}});
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    uint32_t word = 0;
    memcpy(&word, bytes.data() + at, 4);
    Result<isa::Instruction> instruction = isa::decode(word);
    if (instruction && isa::checkFor(*instruction, machine))
      text.push_back(*instruction);
  }
  text.push_back({isa::Opcode::Ecall, {}});
  return text;
}

/// The first byte chooses the machine. There is a verdict, the same twice.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::span<const machine::ShippedMachine> machines =
      machine::shippedMachines();
  Subject subject;
  subject.machine = *machine::findMachine(
      std::string(machines[data[0] % machines.size()].name));
  subject.text = textOf({data + 1, size - 1}, subject.machine);
  subject.regions = {{"constants", RegionRole::Constants, 64, 1},
                     {"arena", RegionRole::Arena, 4096, 1},
                     {"context", RegionRole::Context, 64, 1},
                     {"in", RegionRole::Input, 256, 1},
                     {"scratch", RegionRole::Arena, 256, 1}};
  subject.scalars = {{"n", 0, 0, 3}};
  CheckOptions options;
  options.limits.instructions = 20000;
  options.limits.events = 2000;
  Result<Verdict> once = check(subject, options);
  Result<Verdict> twice = check(subject, options);
  if (!once || !twice || once->isAccepted != twice->isAccepted ||
      once->message != twice->message)
    abort();
  return 0;
}
