//===- NpuProof.cpp - no program leaves without a proof -------------------===//

#include "tally/driver/NpuProof.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/run/checker/Checker.h"
#include "tally/run/checker/Report.h"
#include "tally/support/AtomicFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;

/// Writes both files; the text that names them.
static Result<std::string> keep(const isa::Program &program,
                                const Evidence &evidence) {
  std::string elf = evidence.path + ".rejected.elf";
  std::string mlir = evidence.path + ".rejected.mlir";
  std::vector<uint8_t> bytes = isa::writeProgram(program);
  if (Status status = writeFileAtomically(
          elf, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
      !status)
    return status.takeError();
  if (Status status = writeFileAtomically(mlir, "// tally compile " + mlir +
                                                    evidence.options + "\n" +
                                                    evidence.module());
      !status)
    return status.takeError();
  return "the program is kept in " + elf + ", what it was made from in " + mlir;
}

Status tally::prove(const isa::Program &program,
                    const machine::Machine &machine, const Evidence &evidence) {
  auto subject = checker::subjectOf(program, machine);
  if (!subject)
    return subject.takeError();
  auto verdict = checker::check(*subject);
  if (!verdict)
    return verdict.takeError();
  if (verdict->isAccepted)
    return Status::success();
  std::string text;
  llvm::raw_string_ostream os(text);
  checker::printVerdict(os, "the program", *verdict);
  Diagnostic failure;
  failure.kind = FailureKind::Internal;
  failure.rule = "NPU-11";
  failure.message = "the checker rejects the program that was made:\n" + text;
  if (evidence.path.empty())
    return failure;
  auto kept = keep(program, evidence);
  failure.hint = kept ? *kept : "nothing is kept: " + kept.error().str();
  return failure;
}
