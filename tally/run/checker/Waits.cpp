//===- Waits.cpp - whether a program needs its waits ----------------------===//

#include "tally/run/checker/Waits.h"
#include "tally/run/checker/Wording.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

static bool isQueueWait(isa::Opcode opcode) {
  switch (isa::syncEffectOf(opcode)) {
  case isa::SyncEffect::Reach:
  case isa::SyncEffect::Behind:
  case isa::SyncEffect::Take:
  case isa::SyncEffect::Test:
    return true;
  default:
    return false;
  }
}

Result<WaitReview> tally::checker::reviewWaits(const Subject &subject,
                                               int64_t most,
                                               const CheckOptions &options) {
  std::vector<uint32_t> waits;
  for (uint32_t i = 0; i < subject.text.size(); ++i)
    if (isQueueWait(subject.text[i].opcode))
      waits.push_back(i);
  WaitReview review;
  review.waits = int64_t(waits.size());
  review.tried = std::min(review.waits, most);
  Subject mutant = subject;
  for (int64_t i = 0; i < review.tried; ++i) {
    uint32_t at = waits[size_t(i * review.waits / review.tried)];
    mutant.text[at] = {isa::Opcode::Addi, {0, 0, 0}};
    auto verdict = check(mutant, options);
    if (!verdict)
      return verdict.takeError();
    mutant.text[at] = subject.text[at];
    if (verdict->isAccepted)
      review.needless.push_back(placeOf(subject, at));
  }
  return review;
}
