//===- ParameterRules.h - parameter blocks that are known -------*- C++ -*-===//
//
// Rule CHK-17: a command whose `params` names bytes of the constants, or bytes
// that copies have brought from there, finds a block that it can use.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_PARAMETERRULES_H
#define TALLY_RUN_CHECKER_PARAMETERRULES_H

#include "tally/run/checker/Finding.h"
#include "tally/run/checker/Progress.h"
#include "tally/run/checker/Subject.h"

#include <map>
#include <tuple>

namespace tally::checker {

/// Judges the blocks of all executions of one program, each block once.
class ParameterJudge {
public:
  /// `subject` outlives the judge.
  explicit ParameterJudge(const Subject &subject) : subject(subject) {}

  /// CHK-17: the first of the commands, in the order of `progress`, that finds
  /// no block. `progress` is a complete execution of `stream`, in which
  /// findConflict found nothing: so commands find in all executions what they
  /// find in this one. Blocks with a byte of unknown origin are not judged.
  std::optional<Finding> judge(const Stream &stream, const Progress &progress);

private:
  std::optional<Finding> judgeBlock(EventId id, const Event &event,
                                    const Touched &block, int64_t origin);
  const std::string &faultOf(isa::CommandCode code, isa::ByteRange bytes);

  const Subject &subject;
  /// What is wrong with bytes [get<1>, get<2>) of the constants as a block of
  /// a command; empty: nothing.
  std::map<std::tuple<isa::CommandCode, int64_t, int64_t>, std::string> faults;
};

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_PARAMETERRULES_H
