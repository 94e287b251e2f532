//===- Finding.h - a rule that a stream breaks ------------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_FINDING_H
#define TALLY_RUN_CHECKER_FINDING_H

#include "tally/run/checker/Rules.h"
#include "tally/run/checker/Stream.h"

#include <optional>
#include <string>

namespace tally::checker {

/// In terms of events; Verdict.h has the form for users. Messages are lower
/// case, without a final stop, and call the events "the first" and "the
/// second".
struct Finding {
  Rule rule = Rule::Race;
  std::string message;
  /// In the order of issue. Of what is found before a stream is complete,
  /// `instruction` has the place instead.
  EventId first = kNoEvent, second = kNoEvent;
  std::optional<uint32_t> instruction;
  std::optional<int64_t> space; ///< Stream.h
  isa::ByteRange bytes;         ///< in `space`
  std::string hint;             ///< what to try; may be empty
};

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_FINDING_H
