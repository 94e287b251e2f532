//===- Planners.h - what `tally plan` can plan ------------------*- C++ -*-===//

#ifndef TALLY_DRIVER_PLANNERS_H
#define TALLY_DRIVER_PLANNERS_H

#include "tally/driver/CommandLine.h"

namespace tally {

/// `tally plan NAME FILE`.
struct Planner {
  const char *name;
  Result<int> (*run)(const Arguments &arguments, const std::string &file);
};

/// --registers, if it was given.
Result<std::optional<int64_t>> registerCount(const Arguments &arguments);

/// PlanSync.cpp.
Result<int> planSync(const Arguments &arguments, const std::string &file);

/// PlanMemory.cpp.
Result<int> planMemory(const Arguments &arguments, const std::string &file);

/// PlanRegisters.cpp.
Result<int> planRegisters(const Arguments &arguments, const std::string &file);

} // namespace tally

#endif // TALLY_DRIVER_PLANNERS_H
