//===- Apart.h - work in a process of its own -------------------*- C++ -*-===//
//
// What crashes or does not end takes a process with it, but not the campaign:
// its last words tell where it was.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_APART_H
#define TALLY_FUZZ_APART_H

#include "tally/fuzz/Law.h"

namespace tally::fuzz {

/// Takes a part of what a process leaves behind.
using Writer = std::function<void(llvm::StringRef)>;

struct Ending {
  std::string text;  ///< all that was written
  std::string death; ///< "no end after 120 s"; empty when the work was done
};

/// Runs `work` in a process of its own, which is ended after `seconds`. What it
/// writes to standard error is dropped when `isQuiet`. The caller has one
/// thread.
Ending runApart(unsigned seconds, bool isQuiet,
                llvm::function_ref<void(const Writer &)> work);

/// How a graph is held against a law: as `check` does.
using Check =
    std::function<Outcome(const Graph &, const Setting &, Coverage &,
                          const std::function<void(const char *)> &atStep)>;

/// `law` in a process of its own: a crash, or more than `seconds`, is a failure
/// like others.
Outcome checkApart(const Graph &graph, const Setting &setting,
                   Coverage &coverage, unsigned seconds, bool isQuiet,
                   const Check &law = check);

/// While it lives, no more than `seconds` pass: else this process says `text`
/// on standard error and ends with status 1. One at a time.
class Watchdog {
public:
  Watchdog(unsigned seconds, std::string text);
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;
};

} // namespace tally::fuzz

#endif // TALLY_FUZZ_APART_H
