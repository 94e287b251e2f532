//===- SealedConstants.h - a library's constants ----------------*- C++ -*-===//

#ifndef TALLY_RUNTIME_SEALEDCONSTANTS_H
#define TALLY_RUNTIME_SEALEDCONSTANTS_H

#include <cstddef>
#include <cstdint>

namespace tally::runtime {

/// What of a shared library a checksum of their own covers (LibrarySeal.h).
struct SealedConstants {
  size_t offset = 0, bytes = 0; ///< [offset, offset + bytes) of the file
  uint64_t address = 0; ///< where they are loaded, from the library's beginning
  uint64_t hash = 0;    ///< of what was linked
};

} // namespace tally::runtime

#endif // TALLY_RUNTIME_SEALEDCONSTANTS_H
