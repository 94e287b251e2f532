//===- ConstantsCheck.cpp - constants are checked before use --------------===//

#include "tally/runtime/ConstantsCheck.h"
#include "tally/runtime/LibrarySeal.h"

using namespace tally;
using namespace tally::runtime;

ConstantsCheck::ConstantsCheck(const SealedConstants &constants,
                               const uint8_t *beginning, std::string path)
    : hash({{beginning + constants.address, constants.bytes}}),
      expected(constants.hash), path(std::move(path)) {}

Status ConstantsCheck::run() {
  std::call_once(once, [&] { isSound = hash.compute() == expected; });
  if (isSound)
    return Status::success();
  tally::Diagnostic failure = damagedLibrary();
  failure.file = path;
  return failure;
}
