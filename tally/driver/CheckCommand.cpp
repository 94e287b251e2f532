//===- CheckCommand.cpp - tally check -------------------------------------===//

#include "tally/driver/Codegen.h"
#include "tally/driver/Commands.h"
#include "tally/driver/ProgramMachine.h"
#include "tally/driver/fallback/SegmentRun.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/run/checker/Checker.h"
#include "tally/run/checker/Report.h"
#include "tally/run/checker/Waits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
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

namespace {
struct Judgement {
  checker::Verdict verdict;
  std::optional<checker::WaitReview> review;
};
} // namespace

static Result<Judgement> judge(const Arguments &arguments,
                               const isa::Program &program,
                               const checker::CheckOptions &options) {
  auto tries = arguments.number(option::try_waits);
  if (!tries)
    return tries.takeError();
  Result<machine::Machine> machine = machineFor(arguments, program);
  if (!machine)
    return machine.takeError();
  Result<checker::Subject> subject = checker::subjectOf(program, *machine);
  if (!subject)
    return subject.takeError();
  Result<checker::Verdict> verdict = checker::check(*subject, options);
  if (!verdict)
    return verdict.takeError();
  Judgement judgement{std::move(*verdict), std::nullopt};
  if (!*tries || !judgement.verdict.isAccepted)
    return judgement;
  auto review = checker::reviewWaits(*subject, int64_t(**tries), options);
  if (!review)
    return review.takeError();
  judgement.review = std::move(*review);
  return judgement;
}

namespace {
/// A program and what failures call it.
struct Candidate {
  std::string name;
  isa::Program program;
};
} // namespace

/// The programs in a file: itself, or those of a model in segments.
static Result<std::vector<Candidate>> readPrograms(const std::string &path) {
  std::vector<Candidate> programs;
  if (!runtime::looksLikeSegments(path)) {
    auto program = isa::readProgram(path);
    if (!program)
      return program.takeError();
    programs.push_back({path, std::move(*program)});
    return programs;
  }
  auto file = runtime::readSegments(path);
  if (!file)
    return file.takeError();
  for (const runtime::Segment &segment : file->segments) {
    if (segment.isHost())
      continue;
    auto program = programOf(segment, path);
    if (!program)
      return program.takeError();
    programs.push_back(
        {path + "(" + segment.member + ")", std::move(*program)});
  }
  return programs;
}

static void writeJson(llvm::raw_ostream &os, const Judgement &judgement) {
  checker::writeVerdictJson(os, judgement.verdict,
                            judgement.review ? &*judgement.review : nullptr);
}

static std::string verdictJson(const Judgement &judgement) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeJson(stream, judgement);
  return text;
}

static void print(const std::string &name, const Judgement &judgement) {
  checker::printVerdict(llvm::outs(), name, judgement.verdict);
  if (judgement.review)
    checker::printWaits(llvm::outs(), name, *judgement.review);
}

/// Each verdict under its program's name.
static void writeVerdicts(const std::vector<Candidate> &programs,
                          const std::vector<Judgement> &judgements) {
  llvm::json::OStream os(llvm::outs(), 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attributeArray("programs", [&] {
      for (auto [program, judgement] : llvm::zip(programs, judgements))
        os.object([&] {
          os.attribute("file", llvm::json::fixUTF8(program.name));
          os.attributeBegin("verdict");
          os.rawValue(llvm::StringRef(verdictJson(judgement)).rtrim());
          os.attributeEnd();
        });
    });
  });
  llvm::outs() << "\n";
}

static void report(const Arguments &arguments, bool isArchive,
                   const std::vector<Candidate> &programs,
                   const std::vector<Judgement> &judgements) {
  if (arguments.has(option::json) && isArchive)
    writeVerdicts(programs, judgements);
  else if (arguments.has(option::json))
    writeJson(llvm::outs(), judgements.front());
  else
    for (auto [program, judgement] : llvm::zip(programs, judgements))
      print(program.name, judgement);
}

static Result<int> check(const Arguments &arguments) {
  std::vector<std::string> files = arguments.positional();
  if (files.size() != 1)
    return usageError("CHECK-3", "a program is missing",
                      "write tally check PROGRAM.elf");
  Result<checker::CheckOptions> options = parseOptions(arguments);
  if (!options)
    return options.takeError();
  auto programs = readPrograms(files[0]);
  if (!programs)
    return programs.takeError();
  std::vector<Judgement> judgements;
  for (const Candidate &candidate : *programs) {
    auto judgement = judge(arguments, candidate.program, *options);
    if (!judgement) {
      Diagnostic failure = judgement.takeError();
      if (failure.file.empty())
        failure.file = candidate.name;
      return failure;
    }
    judgements.push_back(std::move(*judgement));
  }
  report(arguments, runtime::looksLikeSegments(files[0]), *programs,
         judgements);
  bool allAccepted = llvm::all_of(
      judgements, [](const auto &j) { return j.verdict.isAccepted; });
  return allAccepted ? 0 : kExitDifferent;
}

const CommandSpec tally::kCheckCommand = {
    "check",
    option::InCheck,
    " PROGRAM [OPTIONS]",
    "Prove that an accelerator's program is sound, or show where it is not",
    R"(
PROGRAM is an ELF file as `tally asm` and `compile` write it, or a model in
segments (compile --fallback=cpu), of which every program is judged. The checker
looks at their instructions alone. It proves for every timing of the engines,
and for every value of the run-time scalars, that no two commands race for a
byte, that what is read has been written, that nothing hangs, and that the
machine is left as it was found; or it names the rule that is broken, both
instructions and a schedule that shows it (docs/reference/checker.md). A
rejected program ends with status 1.

EXAMPLES:
  tally check net.elf
  tally check net.elf --machine my-machine.yaml --budget 512K --json
  tally check net.elf --try-waits 1000
      list the waits that the program would be accepted without
)",
    1,
    check};
