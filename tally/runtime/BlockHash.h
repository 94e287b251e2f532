//===- BlockHash.h - one hash of much memory, quickly -----------*- C++ -*-===//

#ifndef TALLY_RUNTIME_BLOCKHASH_H
#define TALLY_RUNTIME_BLOCKHASH_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace tally::runtime {

/// Of each part from its beginning; the last block of a part may be shorter.
inline constexpr size_t kHashBlockBytes = 1 << 20;

/// XXH3 (64 bits) of the XXH3 of each block of each part, as little-endian
/// bytes in order. Where there is much to do, on several threads that end with
/// the call.
uint64_t hashInBlocks(std::initializer_list<std::span<const uint8_t>> parts);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_BLOCKHASH_H
