//===- CheckCommand.cpp - tally check -------------------------------------===//

#include "tally/driver/Codegen.h"
#include "tally/driver/Commands.h"
#include "tally/driver/ProgramMachine.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/run/checker/Checker.h"
#include "tally/run/checker/Report.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;

static Result<checker::CheckOptions> parseOptions(const Arguments &arguments) {
  checker::CheckOptions options;
  std::string budget = arguments.value(option::budget);
  if (budget.empty())
    return options;
  Result<int64_t> bytes = parseBytes(budget);
  if (!bytes)
    return bytes.takeError();
  options.budget = *bytes;
  return options;
}

static Result<checker::Verdict> judge(const Arguments &arguments,
                                      const std::string &file,
                                      const checker::CheckOptions &options) {
  Result<isa::Program> program = isa::readProgram(file);
  if (!program)
    return program.takeError();
  Result<machine::Machine> machine = machineFor(arguments, *program);
  if (!machine)
    return machine.takeError();
  Result<checker::Subject> subject = checker::subjectOf(*program, *machine);
  if (!subject)
    return subject.takeError();
  return checker::check(*subject, options);
}

static Result<int> check(const Arguments &arguments) {
  std::vector<std::string> files = arguments.positional();
  if (files.size() != 1)
    return usageError("CHECK-3", "a program is missing",
                      "write tally check PROGRAM.elf");
  Result<checker::CheckOptions> options = parseOptions(arguments);
  if (!options)
    return options.takeError();
  Result<checker::Verdict> verdict = judge(arguments, files[0], *options);
  if (!verdict) {
    Diagnostic failure = verdict.takeError();
    if (failure.file.empty())
      failure.file = files[0];
    return failure;
  }
  if (arguments.has(option::json))
    checker::writeVerdictJson(llvm::outs(), *verdict);
  else
    checker::printVerdict(llvm::outs(), files[0], *verdict);
  return verdict->isAccepted ? 0 : kExitDifferent;
}

const CommandSpec tally::kCheckCommand = {
    "check",
    option::InCheck,
    " PROGRAM [OPTIONS]",
    "Prove that an accelerator's program is sound, or show where it is not",
    R"(
PROGRAM is an ELF file as `tally asm` writes it. The checker looks at its
instructions alone. It proves for every timing of the engines, and for every
value of the run-time scalars, that no two commands race for a byte, that what
is read has been written, that nothing hangs, and that the machine is left as it
was found; or it names the rule that is broken, both instructions and a schedule
that shows it (docs/reference/checker.md). A rejected program ends with status
1.

EXAMPLES:
  tally check net.elf
  tally check net.elf --machine my-machine.yaml --budget 512K --json
)",
    1,
    check};
