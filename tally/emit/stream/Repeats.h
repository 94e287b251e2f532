//===- Repeats.h - groups of commands that come again -----------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_STREAM_REPEATS_H
#define TALLY_EMIT_STREAM_REPEATS_H

#include "tally/emit/stream/Loop.h"

namespace tally::emit {

/// Commands in the body of a loop, at most.
inline constexpr size_t kMostPeriod = 64;

class RepeatFinder {
public:
  /// All three outlive it.
  RepeatFinder(const Stream &stream, const Distances &distances,
               const machine::Machine &machine);

  /// The repeats that begin at `first`: for each period that comes at least
  /// twice, with the most trips. From one call to the next, `first` grows.
  std::vector<Repeat> at(size_t first);

private:
  bool isAlike(size_t a, size_t b) const;
  bool areWaitsAlike(size_t a, size_t b) const;
  bool isSteady(size_t at, size_t period) const;
  void advance(size_t first, size_t period);

  const Stream &stream;
  const Distances &distances;
  const machine::Machine &machine;
  std::vector<size_t> signatures; ///< equal for commands that are alike
  /// By period: the first command that differs in kind from the one a period
  /// later, and the first whose numbers step otherwise there.
  std::vector<size_t> alikeUntil, steadyUntil;
};

} // namespace tally::emit

#endif // TALLY_EMIT_STREAM_REPEATS_H
