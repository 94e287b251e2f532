//===- LevelQueue.h - what waits for the lowest level -----------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_LEVELQUEUE_H
#define TALLY_PLAN_MEMORY_LEVELQUEUE_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace tally::plan::memory {

/// A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990): what is pushed is never
/// below the level that was popped last, so entries wait in the bucket of the
/// highest bit in which they differ from it, and move to lower buckets at most
/// once for each bit. Appending beats a binary heap, whose walks miss caches.
class LevelQueue {
public:
  void push(int64_t level, uint32_t value) {
    buckets[bucketOf(level)].emplace_back(level, value);
    ++count;
  }
  bool isEmpty() const { return count == 0; }

  /// Moves all values of the lowest level to `values` and returns the level.
  int64_t popLevel(std::vector<uint32_t> &values) {
    size_t first = 0;
    while (buckets[first].empty())
      ++first;
    if (first > 0)
      spread(first);
    values.clear();
    for (const Entry &entry : buckets[0])
      values.push_back(entry.second);
    count -= values.size();
    buckets[0].clear();
    return last;
  }

private:
  using Entry = std::pair<int64_t, uint32_t>;

  size_t bucketOf(int64_t level) const {
    return std::bit_width(static_cast<uint64_t>(level ^ last));
  }

  /// Makes the lowest level of a bucket the last one, and sorts in its entries.
  void spread(size_t bucket) {
    std::vector<Entry> entries = std::move(buckets[bucket]);
    buckets[bucket].clear();
    last = std::min_element(entries.begin(), entries.end())->first;
    for (const Entry &entry : entries)
      buckets[bucketOf(entry.first)].push_back(entry);
  }

  std::array<std::vector<Entry>, 65> buckets;
  int64_t last = 0;
  size_t count = 0;
};

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_LEVELQUEUE_H
