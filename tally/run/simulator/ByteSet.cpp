//===- ByteSet.cpp - sets of byte addresses -------------------------------===//

#include "tally/run/simulator/ByteSet.h"

#include <algorithm>
#include <bit>

using namespace tally::simulator;

/// Bits of word `word` that stand for bytes of [begin, end).
static uint64_t maskOf(int64_t word, int64_t begin, int64_t end) {
  int64_t low = std::max<int64_t>(begin - 64 * word, 0);
  int64_t high = std::min<int64_t>(end - 64 * word, 64);
  uint64_t below = high == 64 ? ~uint64_t(0) : (uint64_t(1) << high) - 1;
  return below & (~uint64_t(0) << low);
}

void ByteSet::insert(int64_t begin, int64_t end) {
  for (int64_t word = begin / 64; 64 * word < end; ++word)
    words[size_t(word)] |= maskOf(word, begin, end);
}

void ByteSet::erase(int64_t begin, int64_t end) {
  for (int64_t word = begin / 64; 64 * word < end; ++word)
    words[size_t(word)] &= ~maskOf(word, begin, end);
}

std::optional<int64_t> ByteSet::firstMissing(int64_t begin, int64_t end) const {
  for (int64_t word = begin / 64; 64 * word < end; ++word)
    if (uint64_t missing = maskOf(word, begin, end) & ~words[size_t(word)])
      return 64 * word + std::countr_zero(missing);
  return std::nullopt;
}

const std::vector<ByteRun> &ByteRuns::sorted() {
  std::ranges::sort(runs, {}, &ByteRun::begin);
  size_t kept = 0;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].begin <= runs[kept].end)
      runs[kept].end = std::max(runs[kept].end, runs[i].end);
    else
      runs[++kept] = runs[i];
  }
  if (!runs.empty())
    runs.resize(kept + 1);
  return runs;
}

std::optional<ByteRun>
tally::simulator::firstOutside(const std::vector<ByteRun> &a,
                               const std::vector<ByteRun> &b) {
  auto cover = b.begin();
  for (ByteRun run : a) {
    while (cover != b.end() && cover->end <= run.begin)
      ++cover;
    if (cover == b.end() || cover->begin > run.begin)
      return ByteRun{run.begin, cover == b.end()
                                    ? run.end
                                    : std::min(run.end, cover->begin)};
    if (cover->end < run.end)
      return ByteRun{cover->end, run.end};
  }
  return std::nullopt;
}
