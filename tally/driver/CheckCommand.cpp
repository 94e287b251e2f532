//===- CheckCommand.cpp - tally check -------------------------------------===//

#include "tally/driver/Codegen.h"
#include "tally/driver/Commands.h"
#include "tally/driver/ProgramMachine.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/run/checker/Checker.h"
#include "tally/run/checker/Report.h"
#include "tally/run/checker/Waits.h"

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

static Result<checker::Subject> subjectOf(const Arguments &arguments,
                                          const std::string &file) {
  Result<isa::Program> program = isa::readProgram(file);
  if (!program)
    return program.takeError();
  Result<machine::Machine> machine = machineFor(arguments, *program);
  if (!machine)
    return machine.takeError();
  return checker::subjectOf(*program, *machine);
}

namespace {
struct Judgement {
  checker::Verdict verdict;
  std::optional<checker::WaitReview> review;
};
} // namespace

static Result<Judgement> judge(const Arguments &arguments,
                               const std::string &file) {
  Result<checker::CheckOptions> options = parseOptions(arguments);
  if (!options)
    return options.takeError();
  auto tries = arguments.number(option::try_waits);
  if (!tries)
    return tries.takeError();
  Result<checker::Subject> subject = subjectOf(arguments, file);
  if (!subject)
    return subject.takeError();
  Result<checker::Verdict> verdict = checker::check(*subject, *options);
  if (!verdict)
    return verdict.takeError();
  Judgement judgement{std::move(*verdict), std::nullopt};
  if (!*tries || !judgement.verdict.isAccepted)
    return judgement;
  auto review = checker::reviewWaits(*subject, int64_t(**tries), *options);
  if (!review)
    return review.takeError();
  judgement.review = std::move(*review);
  return judgement;
}

static Result<int> check(const Arguments &arguments) {
  std::vector<std::string> files = arguments.positional();
  if (files.size() != 1)
    return usageError("CHECK-3", "a program is missing",
                      "write tally check PROGRAM.elf");
  auto judgement = judge(arguments, files[0]);
  if (!judgement) {
    Diagnostic failure = judgement.takeError();
    if (failure.file.empty())
      failure.file = files[0];
    return failure;
  }
  const auto &[verdict, review] = *judgement;
  if (arguments.has(option::json)) {
    checker::writeVerdictJson(llvm::outs(), verdict,
                              review ? &*review : nullptr);
  } else {
    checker::printVerdict(llvm::outs(), files[0], verdict);
    if (review)
      checker::printWaits(llvm::outs(), files[0], *review);
  }
  return verdict.isAccepted ? 0 : kExitDifferent;
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
  tally check net.elf --try-waits 1000
      list the waits that the program would be accepted without
)",
    1,
    check};
