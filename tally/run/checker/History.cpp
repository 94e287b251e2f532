//===- History.cpp - who touched which byte last --------------------------===//
//
// Example, a page of 16 bytes: [0,16) never. A writes [4,8): [0,4) never, [4,8)
// {A}, [8,16) never. B reads [4,8): the middle becomes {A; B}. C writes [0,16):
// one segment {C} again.
//
// Cost of a run: for each page a binary search, and the segments that it meets.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/History.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

uint32_t Past::afterRead(uint32_t state, EventId reader) {
  State next = states[state];
  uint32_t first = next.firstReader, count = next.readerCount;
  next.firstReader = static_cast<uint32_t>(readers.size());
  uint8_t actor = stream.events[reader].actor;
  for (uint32_t i = first; i < first + count; ++i) {
    EventId earlier = readers[i];
    bool isCovered =
        stream.events[earlier].actor == actor && order.before(earlier, reader);
    if (!isCovered && earlier != reader)
      readers.push_back(earlier);
  }
  readers.push_back(reader);
  next.readerCount = static_cast<uint32_t>(readers.size()) - next.firstReader;
  states.push_back(next);
  return static_cast<uint32_t>(states.size() - 1);
}

uint32_t Past::afterWrite(EventId writer, bool isUndefined) {
  states.push_back({writer, isUndefined});
  return static_cast<uint32_t>(states.size() - 1);
}

bool History::accessPage(size_t number, uint32_t begin, uint32_t end,
                         const Visit &visit) {
  Page &page = pages[number];
  if (page.empty())
    page.push_back({0, initial});
  // Cuts at both ends, so that whole segments change.
  auto cut = [&](uint32_t at) {
    auto after = std::partition_point(page.begin(), page.end(),
                                      [&](Segment s) { return s.begin < at; });
    bool isThere =
        at == kPageBytes || (after != page.end() && after->begin == at);
    if (!isThere)
      after = page.insert(after, {at, after[-1].state});
    return after - page.begin();
  };
  auto first = cut(begin), last = cut(end);
  int64_t base = int64_t(number) * kPageBytes;
  for (auto i = first; i < last; ++i) {
    int64_t next =
        i + 1 < int64_t(page.size()) ? page[i + 1].begin : kPageBytes;
    std::optional<uint32_t> state =
        visit({base + page[i].begin, base + next}, page[i].state);
    if (!state)
      return false;
    page[i].state = *state;
  }
  // Neighbours with an equal past become one, those at the ends included.
  auto from = page.begin() + std::max<int64_t>(first - 1, 0);
  auto to = page.begin() + std::min<int64_t>(last + 1, page.size());
  auto kept = std::unique(
      from, to, [](Segment a, Segment b) { return a.state == b.state; });
  if (kept != to)
    page.erase(kept, to);
  return true;
}

bool History::accessRun(isa::ByteRange bytes, const Visit &visit) {
  auto last = static_cast<size_t>((bytes.end - 1) / kPageBytes);
  if (last >= pages.size())
    pages.resize(last + 1);
  for (int64_t at = bytes.begin; at < bytes.end;) {
    int64_t page = at / kPageBytes;
    int64_t end = std::min(bytes.end, (page + 1) * kPageBytes);
    if (!accessPage(page, at - page * kPageBytes, end - page * kPageBytes,
                    visit))
      return false;
    at = end;
  }
  return true;
}

/// The same bytes in fewer runs: those that are repeated once, those that
/// follow each other without a gap in one.
static isa::Box joined(isa::Box box) {
  for (size_t d = 0; d < box.counts.size(); ++d)
    if (box.strides[d] == 0)
      box.counts[d] = 1;
  for (size_t d = box.counts.size(); d-- > 0;) {
    if (box.counts[d] > 1 && box.strides[d] != box.bytes)
      break;
    box.bytes *= box.counts[d];
    box.counts[d] = 1;
  }
  return box;
}

bool History::access(const isa::Box &box, const Visit &visit) {
  isa::Box runs = joined(box);
  for (int64_t a = 0; a < runs.counts[0]; ++a)
    for (int64_t b = 0; b < runs.counts[1]; ++b)
      for (int64_t c = 0; c < runs.counts[2]; ++c)
        for (int64_t d = 0; d < runs.counts[3]; ++d) {
          int64_t begin = runs.offset + a * runs.strides[0] +
                          b * runs.strides[1] + c * runs.strides[2] +
                          d * runs.strides[3];
          if (!accessRun({begin, begin + runs.bytes}, visit))
            return false;
        }
  return true;
}
