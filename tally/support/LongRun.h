//===- LongRun.h - whether tests may take long ------------------*- C++ -*-===//
//
// For tests only. Of random cases a usual run of the tests takes some, a long
// one (`make test-long`, which sets TALLY_LONG_TESTS=1) all.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_LONGRUN_H
#define TALLY_SUPPORT_LONGRUN_H

#include <cstdlib>
#include <string_view>

namespace tally {
/// `all` in a long run, else `some`.
template <typename Count> Count someOrAll(Count some, Count all) {
  const char *value = std::getenv("TALLY_LONG_TESTS");
  return value && std::string_view(value) == "1" ? all : some;
}
} // namespace tally

#endif // TALLY_SUPPORT_LONGRUN_H
