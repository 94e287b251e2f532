//===- BlockHash.h - one hash of much memory, quickly -----------*- C++ -*-===//

#ifndef TALLY_RUNTIME_BLOCKHASH_H
#define TALLY_RUNTIME_BLOCKHASH_H

#include "tally/runtime/ParallelFor.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tally::runtime {

/// Of each part from its beginning; the last block of a part may be shorter.
inline constexpr size_t kHashBlockBytes = 1 << 20;

/// XXH3 (64 bits) of the XXH3 of each block of each part, as little-endian
/// bytes in order. Parts without bytes have no block.
class BlockHash {
public:
  /// Refers to the bytes and does not read them.
  explicit BlockHash(const std::vector<std::span<const uint8_t>> &parts);

  size_t blockCount() const { return blocks.size(); }
  /// Reads all bytes, in at most `mostParts` parts through `parallelFor`, or on
  /// this thread when that is null. Allocates nothing.
  uint64_t compute(ParallelFor parallelFor = nullptr, void *user = nullptr,
                   int32_t mostParts = 1);

private:
  static void hashPart(void *self, int32_t part, int32_t parts);
  std::vector<std::span<const uint8_t>> blocks;
  std::vector<uint8_t> hashes; ///< 8 bytes for each block
};

/// The same at once, where there is much to do on several threads that end with
/// the call.
uint64_t hashInBlocks(const std::vector<std::span<const uint8_t>> &parts);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_BLOCKHASH_H
