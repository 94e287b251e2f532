//===- TestVerdicts.cpp - verdicts on assembly ----------------------------===//

#include "tally/run/checker/TestVerdicts.h"

#include "tally/emit/asm/Assembler.h"
#include "tally/machine/MachineFile.h"
#include "tally/run/checker/Report.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::checker;
using machine::Machine;
using machine::SyncKind;

Machine tally::checker::edge() {
  return *machine::readMachine(std::string(TALLY_SOURCE_DIR) +
                               "/machines/edge.yaml");
}

Machine tally::checker::edgeWith(SyncKind kind, int64_t bits) {
  Machine machine = edge();
  machine.sync.kind = kind;
  machine.sync.bits = bits;
  machine.sync.relativeWaits = machine.sync.scalarThresholds =
      kind == SyncKind::Counter;
  return machine;
}

Subject tally::checker::assembled(const std::string &text,
                                  const Machine &machine) {
  Result<isa::Program> program = isa::assemble(text, machine, "x.s");
  EXPECT_TRUE(program) << program.error().str();
  Result<Subject> subject = subjectOf(*program, machine);
  EXPECT_TRUE(subject) << subject.error().str();
  return *subject;
}

std::string tally::checker::judged(const std::string &text,
                                   const Machine &machine,
                                   const CheckOptions &options) {
  Result<Verdict> verdict = check(assembled(text, machine), options);
  if (!verdict)
    return verdict.error().str();
  std::string printed;
  llvm::raw_string_ostream os(printed);
  printVerdict(os, "x.s", *verdict);
  return printed;
}

const std::string tally::checker::kCopies = R"(
.input in i8 64
.output out i8 16
.text
  cfg.i load0, size3, 16
  cfg.i load0, src.space, 3
  cfg.i load0, src.stride3, 1
  cfg.i load0, dst.stride3, 1
  cfg.i vector, size3, 16
  cfg.i vector, a.stride3, 1
  cfg.i vector, out.stride3, 1
  cfg.i vector, out.offset, 64
  cfg.i store, size3, 16
  cfg.i store, src.offset, 64
  cfg.i store, src.stride3, 1
  cfg.i store, dst.space, 4
  cfg.i store, dst.stride3, 1
)";
