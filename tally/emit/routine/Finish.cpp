//===- Finish.cpp - from a recorded routine to code -----------------------===//

#include "tally/emit/routine/Draft.h"
#include "tally/emit/routine/Verifier.h"

#include <algorithm>

using namespace tally;
using namespace tally::emit;

static Status checkClosed(Recording &recording) {
  if (recording.failed())
    return recording.failure;
  if (recording.isFinished)
    return emitFailure(FailureKind::Internal, "EMIT-3",
                       "the routine is finished twice", "finish it once");
  if (!recording.openScopes.empty())
    return emitFailure(FailureKind::Internal, "EMIT-3",
                       "the routine is finished while scope '" +
                           recording.scopes[recording.openScopes.back()].name +
                           "' is open",
                       "close it before");
  return Status::success();
}

static void nameAll(const Recording &recording, Code &code) {
  for (const BorrowedValue &value : recording.values)
    code.names.push_back({value.tag, value.role, value.where});
  std::ranges::sort(code.names, {}, &Code::Name::tag);
  code.nodes = recording.modelNodes;
}

Result<Code> Routine::finish() {
  if (Status status = checkClosed(*recording); !status)
    return status.takeError();
  recording->isFinished = true;
  Result<RegisterAssignment> assignment = assignRegisters(*recording);
  if (!assignment)
    return assignment.takeError();
  Draft draft = makeDraft(*recording, *assignment);
  if (recording->options.poison)
    draft = poisoned(draft, recording->machine);
  Result<Code> code = layOut(draft, recording->options.longPaths);
  if (!code)
    return code;
  nameAll(*recording, *code);
  std::string violation = findViolation(*code, recording->machine);
  if (!violation.empty())
    return emitFailure(FailureKind::Internal, "EMIT-8", violation);
  return code;
}
