//===- ConstantsCheck.h - constants are checked before use ------*- C++ -*-===//

#ifndef TALLY_RUNTIME_CONSTANTSCHECK_H
#define TALLY_RUNTIME_CONSTANTSCHECK_H

#include "tally/runtime/BlockHash.h"
#include "tally/runtime/SealedConstants.h"
#include "tally/support/Result.h"

#include <mutex>

namespace tally::runtime {

/// Whether the constants of a loaded library, in the memory where its code
/// reads them, are those that were linked.
class ConstantsCheck {
public:
  /// `beginning` is the library's address; it stays loaded while this lives.
  /// Failures are about the file `path`.
  ConstantsCheck(const SealedConstants &constants, const uint8_t *beginning,
                 std::string path);

  /// The first call reads all of them; calls meanwhile wait for it, and later
  /// ones know. Allocates nothing unless it fails. ART-5.
  ///
  /// On the calling thread alone: were the threads of a pool to help, and one
  /// of them to wait here for another run of the program, neither would end.
  Status run();

private:
  BlockHash hash;
  const uint64_t expected;
  const std::string path;
  std::once_flag once;
  bool isSound = false;
};

} // namespace tally::runtime

#endif // TALLY_RUNTIME_CONSTANTSCHECK_H
