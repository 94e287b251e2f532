//===- Boxes.cpp - bytes of strided operands ------------------------------===//
//
// Indices touched by windows: tap u of all windows touches the progression
// u dilation - before + y step. Taps whose progressions agree modulo the step
// overlap or adjoin; each such class is a union of intervals on its own line.
//
// Example: 4 windows of 3 taps, step 2, no padding, extent 9: class 0 holds
// taps 0 and 2, 0 2 4 6 and 2 4 6 8: the run 0..8 by 2; class 1 holds tap 1:
// 1..7 by 2. Where a window covers its step, one run by 1 says it all: 0..8.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Operands.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace tally::isa;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// What is left of first + [0, count) step within [0, extent).
static IndexRun clipped(int64_t first, int64_t count, int64_t step,
                        int64_t extent) {
  int64_t skipped =
      first < 0 ? std::min(count, llvm::divideCeilSigned(-first, step)) : 0;
  first += skipped * step;
  count -= skipped;
  if (first >= extent || count <= 0)
    return {};
  return {first, std::min(count, (extent - 1 - first) / step + 1), step};
}

/// Joins runs of one step and one class, sorted by first.
static void joinRuns(std::vector<IndexRun> &runs) {
  std::vector<IndexRun> joined;
  for (const IndexRun &run : runs) {
    if (!joined.empty()) {
      IndexRun &last = joined.back();
      int64_t past = last.first + last.count * last.step;
      if (run.first <= past) {
        int64_t end = run.first + run.count * run.step;
        last.count = (std::max(past, end) - last.first) / last.step;
        continue;
      }
    }
    joined.push_back(run);
  }
  runs = std::move(joined);
}

std::vector<IndexRun> tally::isa::touchedIndices(int64_t out, int64_t taps,
                                                 int64_t step, int64_t dilation,
                                                 int64_t before,
                                                 int64_t extent) {
  if (dilation == 1 && taps >= step) {
    IndexRun all = clipped(-before, (out - 1) * step + taps, 1, extent);
    return all.count > 0 ? std::vector{all} : std::vector<IndexRun>();
  }
  std::map<int64_t, std::vector<IndexRun>> classes;
  for (int64_t u = 0; u < taps; ++u) {
    IndexRun run = clipped(u * dilation - before, out, step, extent);
    if (run.count > 0)
      classes[run.first % step].push_back(run);
  }
  std::vector<IndexRun> all;
  for (auto &[residue, runs] : classes) {
    std::ranges::sort(runs, {}, &IndexRun::first);
    joinRuns(runs);
    all.insert(all.end(), runs.begin(), runs.end());
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

int64_t Box::begin() const {
  int64_t least = offset;
  for (size_t d = 0; d < counts.size(); ++d)
    least += std::min<int64_t>(0, (counts[d] - 1) * strides[d]);
  return least;
}

int64_t Box::end() const {
  int64_t last = offset;
  for (size_t d = 0; d < counts.size(); ++d)
    last += std::max<int64_t>(0, (counts[d] - 1) * strides[d]);
  return last + bytes;
}

/// Dimensions that continue the run: stride = bytes so far, or -bytes, or
/// strides of 0, which touch nothing new.
static bool absorb(Box &box, size_t d) {
  int64_t count = box.counts[d], stride = box.strides[d];
  if (count > 1 && stride != 0) {
    if (stride != box.bytes && stride != -box.bytes)
      return false;
    if (stride < 0)
      box.offset += (count - 1) * stride;
    box.bytes *= count;
  }
  box.counts[d] = 1;
  box.strides[d] = 0;
  return true;
}

void tally::isa::addBox(std::vector<Box> &boxes, int64_t offset,
                        const std::array<int64_t, 4> &counts,
                        const std::array<int64_t, 4> &strides, int64_t bytes) {
  if (std::ranges::any_of(counts, [](int64_t count) { return count <= 0; }))
    return;
  Box box{offset, counts, strides, bytes};
  // A dimension may continue the run only after another did, as in a
  // transposed operand.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t d = 4; d-- > 0;)
      if (box.counts[d] > 1 || box.strides[d] != 0)
        changed |= absorb(box, d);
  }
  boxes.push_back(box);
}

/// The same bytes with strides that are not negative and fall: the runs of a
/// box whose dimensions do not interlock come in ascending order.
static Box ascending(Box box) {
  for (size_t d = 0; d < box.counts.size(); ++d)
    if (box.strides[d] < 0) {
      box.offset += (box.counts[d] - 1) * box.strides[d];
      box.strides[d] = -box.strides[d];
    }
  for (size_t d = 1; d < box.counts.size(); ++d)
    for (size_t e = d; e > 0 && box.strides[e - 1] < box.strides[e]; --e) {
      std::swap(box.strides[e - 1], box.strides[e]);
      std::swap(box.counts[e - 1], box.counts[e]);
    }
  return box;
}

static void addRanges(std::vector<ByteRange> &ranges, const Box &box) {
  const auto &n = box.counts;
  for (int64_t i0 = 0; i0 < n[0]; ++i0)
    for (int64_t i1 = 0; i1 < n[1]; ++i1)
      for (int64_t i2 = 0; i2 < n[2]; ++i2)
        for (int64_t i3 = 0; i3 < n[3]; ++i3) {
          int64_t begin = box.offset + i0 * box.strides[0] +
                          i1 * box.strides[1] + i2 * box.strides[2] +
                          i3 * box.strides[3];
          if (!ranges.empty() && ranges.back().end == begin)
            ranges.back().end += box.bytes;
          else
            ranges.push_back({begin, begin + box.bytes});
        }
}

std::vector<ByteRange> tally::isa::rangesOf(std::span<const Box> boxes) {
  std::vector<ByteRange> ranges, joined;
  for (const Box &box : boxes)
    addRanges(ranges, ascending(box));
  if (!std::ranges::is_sorted(ranges, {}, &ByteRange::begin))
    std::ranges::sort(ranges, {}, &ByteRange::begin);
  for (const ByteRange &range : ranges)
    if (!joined.empty() && range.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, range.end);
    else
      joined.push_back(range);
  return joined;
}

static ByteRange hullOf(std::span<const Box> boxes) {
  ByteRange hull{INT64_MAX, INT64_MIN};
  for (const Box &box : boxes) {
    hull.begin = std::min(hull.begin, box.begin());
    hull.end = std::max(hull.end, box.end());
  }
  return hull;
}

/// Whether the addresses of two boxes differ by what divides all their strides,
/// so that no byte is in both: columns of one matrix, say. Such boxes can be
/// large, and are the rule where tensors are parts of one.
static bool areInterleaved(const Box &a, const Box &b) {
  int64_t period = 0;
  for (const Box *box : {&a, &b})
    for (size_t d = 0; d < box->counts.size(); ++d)
      if (box->counts[d] > 1)
        period = std::gcd(period, box->strides[d]);
  if (period == 0) // two runs
    return a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
  int64_t behind = (b.offset - a.offset) % period;
  behind += behind < 0 ? period : 0;
  return behind >= a.bytes && behind + b.bytes <= period;
}

bool tally::isa::overlap(const Access &a, const Access &b) {
  if (a.space != b.space)
    return false;
  ByteRange hullA = hullOf(a.boxes), hullB = hullOf(b.boxes);
  if (hullA.begin >= hullB.end || hullB.begin >= hullA.end)
    return false;
  if (std::ranges::all_of(a.boxes, [&](const Box &left) {
        return std::ranges::all_of(b.boxes, [&](const Box &right) {
          return areInterleaved(left, right);
        });
      }))
    return false;
  std::vector<ByteRange> left = rangesOf(a.boxes), right = rangesOf(b.boxes);
  size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    if (left[i].end <= right[j].begin)
      ++i;
    else if (right[j].end <= left[i].begin)
      ++j;
    else
      return true;
  }
  return false;
}
