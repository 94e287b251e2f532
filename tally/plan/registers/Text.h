//===- Text.h - a register problem as lines of text -------------*- C++ -*-===//
//
// One statement a line, words separated by blanks; "#" starts a comment. Names
// have no blanks. docs/formats/register-problem.md has the defaults:
//
//   registers N [reserved R,...] [slots N [cost N]]
//   queue NAME
//   value NAME [fixed R] [role WORDS...]
//   op NAME [on QUEUE] [use V...] [late V...] [def V...] [clobber R,...]
//   wait NAME QUEUE [pending N]
//   loop NAME [trips N] [counter V] [use V...]  ...  end
//   if NAME [use V...]  ...  [else  ...]  end
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_REGISTERS_TEXT_H
#define TALLY_PLAN_REGISTERS_TEXT_H

#include "tally/plan/registers/Problem.h"

#include <string_view>

namespace tally::plan::registers {

/// REG-1, with the line's number behind `name`. What the words say is checked
/// by checkProblem.
Result<RegisterProblem> parseProblem(std::string_view text,
                                     const std::string &name);

/// Text that parses to `problem`, which keeps its rules and whose names have no
/// blanks and are no words of the format.
std::string writeProblem(const RegisterProblem &problem);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_TEXT_H
