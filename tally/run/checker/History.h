//===- History.h - who touched which byte last ------------------*- C++ -*-===//
//
// For each byte of one memory: the last event that wrote it, and the events
// that read it since, but those that are before another of their own actor.
// Where all accesses so far are free of races, an access has to be compared
// with these only.
//
// Bytes with an equal past share one State. A memory is cut into pages, a page
// into segments of bytes with an equal past, so that a tile costs a few
// segments, whatever its size.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_HISTORY_H
#define TALLY_RUN_CHECKER_HISTORY_H

#include "tally/run/checker/Order.h"

#include <functional>

namespace tally::checker {

/// The past of some bytes.
struct State {
  /// Who wrote them last: an event, or one of these.
  static constexpr EventId kNever = kNoEvent, kBefore = kNoEvent - 1;
  EventId writer = kNever;
  bool isUndefined = false; ///< the writer left nothing that may be read
  uint32_t firstReader = 0, readerCount = 0; ///< in Past::readers
};

/// All states of one check, shared by the memories.
class Past {
public:
  Past(const Stream &stream, const Order &order)
      : stream(stream), order(order) {}

  uint32_t never() const { return 0; }  ///< no one wrote the bytes yet
  uint32_t before() const { return 1; } ///< written before the program began
  const State &operator[](uint32_t state) const { return states[state]; }
  /// Who has read since the last write.
  std::span<const EventId> readersOf(uint32_t state) const {
    const State &of = states[state];
    return std::span(readers).subspan(of.firstReader, of.readerCount);
  }

  uint32_t afterRead(uint32_t state, EventId reader);
  uint32_t afterWrite(EventId writer, bool isUndefined);

private:
  const Stream &stream;
  const Order &order;
  std::vector<State> states{{State::kNever}, {State::kBefore}};
  std::vector<EventId> readers;
};

/// What an access finds: bytes of one past. Returns the state that they get, or
/// nothing to stop.
using Visit = std::function<std::optional<uint32_t>(isa::ByteRange bytes,
                                                    uint32_t state)>;

class History {
public:
  /// `initial` is the state of all bytes.
  explicit History(uint32_t initial = 0) : initial(initial) {}

  /// Calls `visit` for all bytes of `box`, whose offsets are not negative, run
  /// after run; false when `visit` stopped.
  bool access(const isa::Box &box, const Visit &visit);
  /// Calls `visit` for [bytes.begin, bytes.end) in ascending order.
  bool accessRun(isa::ByteRange bytes, const Visit &visit);

private:
  /// From `begin`, in the page, up to the next segment.
  struct Segment {
    uint32_t begin, state;
  };
  using Page = std::vector<Segment>; ///< empty: all initial
  static constexpr int64_t kPageBytes = 4096;

  bool accessPage(size_t number, uint32_t begin, uint32_t end,
                  const Visit &visit);

  uint32_t initial;
  std::vector<Page> pages;
};

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_HISTORY_H
