//===- ByteSet.h - sets of byte addresses -----------------------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_BYTESET_H
#define TALLY_RUN_SIMULATOR_BYTESET_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tally::simulator {

/// Some of the bytes [0, size), a bit each.
class ByteSet {
public:
  explicit ByteSet(int64_t size) : words(size_t((size + 63) / 64)) {}

  void insert(int64_t begin, int64_t end);
  void erase(int64_t begin, int64_t end);
  void clear() { words.assign(words.size(), 0); }
  /// The least byte of [begin, end) that is not in the set.
  std::optional<int64_t> firstMissing(int64_t begin, int64_t end) const;

private:
  std::vector<uint64_t> words;
};

/// Half-open.
struct ByteRun {
  int64_t begin = 0, end = 0;
  friend bool operator==(const ByteRun &, const ByteRun &) = default;
};

/// A set of bytes that is collected run by run and then looked at.
class ByteRuns {
public:
  void insert(int64_t begin, int64_t end) {
    if (!runs.empty() && runs.back().end == begin)
      runs.back().end = end;
    else if (begin < end)
      runs.push_back({begin, end});
  }
  /// Ascending, disjoint and not adjacent.
  const std::vector<ByteRun> &sorted();

private:
  std::vector<ByteRun> runs;
};

/// The first bytes that are in `a` and not in `b`, both sorted.
std::optional<ByteRun> firstOutside(const std::vector<ByteRun> &a,
                                    const std::vector<ByteRun> &b);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_BYTESET_H
