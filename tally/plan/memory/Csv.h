//===- Csv.h - tables of storages -------------------------------*- C++ -*-===//
//
// The form of public sets of instances: a header, then a storage a line. Known
// columns, in any order:
//
//   id         the name
//   lower      first step of its life
//   upper      the step at which it is dead
//   size       bytes
//   alignment  of its address (default 1)
//   offset     a fixed address, if not empty
//   gaps       steps inside of its life at which it is dead, as "3-5 8-9":
//              half-open, separated by blanks
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_MEMORY_CSV_H
#define TALLY_PLAN_MEMORY_CSV_H

#include "tally/plan/memory/Problem.h"

#include <string_view>

namespace tally::plan::memory {

/// Whether `text` has such a header.
bool isTable(std::string_view text);

/// MEM-1, with the line's number behind `name`. Lines may end in CR LF.
Result<MemoryProblem> parseTable(std::string_view text,
                                 const std::string &name);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_CSV_H
