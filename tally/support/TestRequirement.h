//===- TestRequirement.h - skip at home, fail in CI -------------*- C++ -*-===//
//
// For tests only. A test whose data or interpreter is optional on a
// developer's machine is skipped there with a reason; where CI=true everything
// must be present, so the same lack is a failure.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_TESTREQUIREMENT_H
#define TALLY_SUPPORT_TESTREQUIREMENT_H

#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

namespace tally {
inline bool runsInCi() {
  const char *value = std::getenv("CI");
  return value && std::string_view(value) == "true";
}
} // namespace tally

/// Leaves the test function unless `condition` holds.
#define TALLY_REQUIRE_OR_SKIP(condition, reason)                               \
  do {                                                                         \
    if (condition)                                                             \
      break;                                                                   \
    if (tally::runsInCi())                                                     \
      FAIL() << (reason) << " (required where CI=true)";                       \
    GTEST_SKIP() << (reason);                                                  \
  } while (false)

#endif // TALLY_SUPPORT_TESTREQUIREMENT_H
