//===- BlockHash.cpp - one hash of much memory, quickly -------------------===//
//
// A library is as long as its weights, and checking it should take no longer
// than reading them once. One core hashes some 10 GB in a second, less than
// memory gives two.
//
//===----------------------------------------------------------------------===//

#include "tally/runtime/BlockHash.h"
#include "tally/runtime/ThreadPool.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <thread>

using namespace tally;
using namespace tally::runtime;

BlockHash::BlockHash(const std::vector<std::span<const uint8_t>> &parts) {
  for (std::span<const uint8_t> part : parts)
    for (size_t at = 0; at < part.size(); at += kHashBlockBytes)
      blocks.push_back(
          part.subspan(at, std::min(kHashBlockBytes, part.size() - at)));
  hashes.resize(8 * blocks.size());
}

void BlockHash::hashPart(void *data, int32_t part, int32_t parts) {
  auto &self = *static_cast<BlockHash *>(data);
  size_t count = self.blocks.size();
  for (size_t i = count * part / parts; i < count * (part + 1) / parts; ++i)
    llvm::support::endian::write64le(
        &self.hashes[8 * i],
        llvm::xxh3_64bits(
            llvm::ArrayRef(self.blocks[i].data(), self.blocks[i].size())));
}

uint64_t BlockHash::compute(ParallelFor parallelFor, void *user,
                            int32_t mostParts) {
  if (parallelFor)
    parallelFor(user, mostParts, hashPart, this);
  else
    hashPart(this, 0, 1);
  return llvm::xxh3_64bits(llvm::ArrayRef(hashes));
}

/// A thread begins in less time than it hashes these; more than four read no
/// faster.
static int32_t threadsFor(size_t blocks) {
  constexpr size_t kBlocksOfThread = 4, kMost = 4;
  size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  return static_cast<int32_t>(
      std::clamp<size_t>(blocks / kBlocksOfThread, 1, std::min(cores, kMost)));
}

uint64_t
runtime::hashInBlocks(const std::vector<std::span<const uint8_t>> &parts) {
  BlockHash work(parts);
  int32_t threads = threadsFor(work.blockCount());
  auto pool = ThreadPool::create(threads);
  return pool ? work.compute(ThreadPool::parallelFor, pool->get(), threads)
              : work.compute();
}
