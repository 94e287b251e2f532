//===- BlockHashTest.cpp - one hash of much memory, quickly ---------------===//

#include "tally/runtime/BlockHash.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/xxhash.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace tally::runtime;

namespace {
std::vector<uint8_t> counted(size_t size) {
  std::vector<uint8_t> bytes(size);
  std::iota(bytes.begin(), bytes.end(), uint8_t(0));
  return bytes;
}

void append(std::vector<uint8_t> &list, llvm::ArrayRef<uint8_t> block) {
  uint64_t hash = llvm::xxh3_64bits(block);
  for (int i = 0; i < 8; ++i)
    list.push_back(static_cast<uint8_t>(hash >> (8 * i)));
}

TEST(BlockHash, IsTheHashOfTheBlocksHashes) {
  // 2 MiB + 3 bytes and 5 bytes: three blocks, and one.
  std::vector<uint8_t> first = counted((2 << 20) + 3), second = counted(5);
  std::vector<uint8_t> list;
  llvm::ArrayRef<uint8_t> all(first);
  append(list, all.take_front(1 << 20));
  append(list, all.slice(1 << 20, 1 << 20));
  append(list, all.take_back(3));
  append(list, second);
  EXPECT_EQ(hashInBlocks({first, second}),
            llvm::xxh3_64bits(llvm::ArrayRef(list)));
}

TEST(BlockHash, EveryBlockCountsOnSeveralThreads) {
  // 21 blocks, of which four threads would take five or six.
  std::vector<uint8_t> bytes = counted(20'500'000);
  uint64_t whole = hashInBlocks({bytes});
  for (size_t at = 0; at < bytes.size(); at += 1'000'000) {
    bytes[at] ^= 1;
    EXPECT_NE(hashInBlocks({bytes}), whole) << at;
    bytes[at] ^= 1;
  }
  EXPECT_EQ(hashInBlocks({bytes}), whole);
}

TEST(BlockHash, NothingHasAHash) {
  std::vector<uint8_t> none;
  EXPECT_EQ(hashInBlocks({none, none}),
            llvm::xxh3_64bits(llvm::ArrayRef(none)));
}
} // namespace
