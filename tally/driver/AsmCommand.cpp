//===- AsmCommand.cpp - tally asm and tally disasm ------------------------===//

#include "tally/driver/Commands.h"
#include "tally/driver/Version.h"
#include "tally/emit/asm/Assembler.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;

static std::string_view textOf(const std::vector<uint8_t> &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// The first argument; ASM-6 without one.
static Result<std::string> inputOf(const Arguments &arguments,
                                   const char *command) {
  std::vector<std::string> words = arguments.positional();
  if (!words.empty())
    return words[0];
  return usageError("ASM-6", "the file is missing",
                    "write tally " + std::string(command) + " FILE");
}

static Result<int> runAsm(const Arguments &arguments) {
  Result<std::string> input = inputOf(arguments, "asm");
  if (!input)
    return input.takeError();
  Result<machine::Machine> machine =
      machine::findMachine(arguments.value(option::machine, "edge"));
  if (!machine)
    return machine.takeError();
  Result<std::vector<uint8_t>> text = readFile(*input);
  if (!text)
    return text.takeError();
  Result<isa::Program> program = isa::assemble(textOf(*text), *machine, *input);
  if (!program)
    return program.takeError();
  if (program->producer.empty())
    program->producer = kProducer;
  std::string path = arguments.value(
      option::output, llvm::sys::path::stem(*input).str() + ".elf");
  std::vector<uint8_t> bytes = isa::writeProgram(*program);
  if (Status status = writeFileAtomically(path, bytes); !status)
    return status.takeError();
  llvm::outs() << path << ": " << bytes.size() << " bytes; "
               << program->text.size() << " instructions for " << machine->name
               << "\n";
  return 0;
}

static Result<int> runDisasm(const Arguments &arguments) {
  Result<std::string> input = inputOf(arguments, "disasm");
  if (!input)
    return input.takeError();
  Result<isa::Program> program = isa::readProgram(*input);
  if (!program)
    return program.takeError();
  std::string text = isa::disassemble(*program);
  std::string path = arguments.value(option::output);
  if (path.empty()) {
    llvm::outs() << text;
    return 0;
  }
  if (Status status = writeFileAtomically(path, text); !status)
    return status.takeError();
  return 0;
}

const CommandSpec tally::kAsmCommand = {"asm",
                                        option::InAsm,
                                        " FILE.s [OPTIONS]",
                                        "Assemble a program for a machine",
                                        R"(
FILE.s is text as docs/formats/assembly.md describes it; docs/reference/isa.md
lists the instructions. The program is an ELF file (docs/formats/program.md).

EXAMPLES:
  tally asm conv.s -o conv.elf
  tally asm conv.s --machine my-accelerator.yaml
)",
                                        1,
                                        runAsm};

const CommandSpec tally::kDisasmCommand = {
    "disasm",
    option::InDisasm,
    " FILE.elf [OPTIONS]",
    "Show a program as text that assembles to the same program",
    R"(
The text names queues, fields and commands as the program's own note does; no
machine file is needed.

EXAMPLES:
  tally disasm conv.elf
  tally disasm conv.elf -o again.s
)",
    1,
    runDisasm};
