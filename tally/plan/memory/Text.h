//===- Text.h - a memory problem as lines of text ---------------*- C++ -*-===//
//
// One statement a line, words separated by blanks; "#" starts a comment. Names
// have no blanks and no commas. docs/formats/memory-problem.md explains them:
//
//   limits [encodable N] [capacity N] [budget N] [granule N]
//   bank NAME BEGIN END
//   reserve NAME BEGIN END
//   queue NAME
//   op NAME QUEUE [after OP,...]
//   storage NAME BYTES [align N] [life B-E,...] [ops OP,...] [class C]
//           [at N] [in BANK]
//   part NAME ROOT OFFSET BYTES [align N] [life B-E,...] [ops OP,...]
//   conflict A B
//   inplace RESULT OPERAND [op OP]
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_MEMORY_TEXT_H
#define TALLY_PLAN_MEMORY_TEXT_H

#include "tally/plan/memory/Problem.h"

#include <string_view>

namespace tally::plan::memory {

/// Statements, or a table (Csv.h) when the first line is a table's header.
/// MEM-1, with the line's number behind `name`; what the words say is checked
/// by checkProblem.
Result<MemoryProblem> parseProblem(std::string_view text,
                                   const std::string &name);

/// Text that parses to `problem`, which keeps its rules and whose names have no
/// blanks and no commas.
std::string writeProblem(const MemoryProblem &problem);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_TEXT_H
