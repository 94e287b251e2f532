//===- BlockHash.cpp - one hash of much memory, quickly -------------------===//
//
// A library is as long as its weights, and loading it should take no longer
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
#include <vector>

using namespace tally;
using namespace tally::runtime;

namespace {
struct Blocks {
  std::vector<llvm::ArrayRef<uint8_t>> blocks;
  std::vector<uint8_t> hashes;

  void add(std::span<const uint8_t> part) {
    for (size_t at = 0; at < part.size(); at += kHashBlockBytes) {
      auto block =
          part.subspan(at, std::min(kHashBlockBytes, part.size() - at));
      blocks.emplace_back(block.data(), block.size());
    }
  }

  static void hash(void *data, int32_t part, int32_t parts) {
    auto &self = *static_cast<Blocks *>(data);
    size_t count = self.blocks.size();
    for (size_t i = count * part / parts; i < count * (part + 1) / parts; ++i)
      llvm::support::endian::write64le(&self.hashes[8 * i],
                                       llvm::xxh3_64bits(self.blocks[i]));
  }
};
} // namespace

/// A thread begins in less time than it hashes these; more than four read no
/// faster.
static int32_t threadsFor(size_t blocks) {
  constexpr size_t kBlocksOfThread = 4, kMost = 4;
  size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  return static_cast<int32_t>(
      std::clamp<size_t>(blocks / kBlocksOfThread, 1, std::min(cores, kMost)));
}

uint64_t
runtime::hashInBlocks(std::initializer_list<std::span<const uint8_t>> parts) {
  Blocks work;
  for (std::span<const uint8_t> part : parts)
    work.add(part);
  work.hashes.resize(8 * work.blocks.size());
  int32_t threads = threadsFor(work.blocks.size());
  auto pool = ThreadPool::create(threads);
  if (pool)
    ThreadPool::parallelFor(pool->get(), threads, Blocks::hash, &work);
  else
    Blocks::hash(&work, 0, 1);
  return llvm::xxh3_64bits(llvm::ArrayRef(work.hashes));
}
