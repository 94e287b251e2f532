//===- Stream.h - everything a program does, expanded -----------*- C++ -*-===//
//
// The dynamic stream of one execution of the scalar code: loops unrolled,
// thresholds and addresses known. Which stream it is depends on the run-time
// scalars alone, never on tensor data.
//
// An actor is a queue (its number) or the processor (the number behind them).
// The events of one actor are in the order of issue. An event of a queue is one
// entry of it; the processor has an event where it waits for queues, touches
// the context, resets a register of the synchronization file, or overwrites a
// scalar register that a command may still read.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_STREAM_H
#define TALLY_RUN_CHECKER_STREAM_H

#include "tally/emit/isa/Effects.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tally::checker {

/// Place of an event in Stream::events, which is the order of issue.
using EventId = uint32_t;
inline constexpr EventId kNoEvent = UINT32_MAX;

enum class EventKind : uint8_t {
  Command,  ///< of an engine
  Signal,   ///< counter or token + 1, or flag = 1
  Reach,    ///< counter >= value
  Take,     ///< token > 0, then - 1
  Test,     ///< flag = 1
  Clear,    ///< flag = 0, in its queue
  Reset,    ///< register = 0, by the processor
  Fence,    ///< the processor waits until at most `value` entries of the queue
            ///< `sync` have not completed
  FenceAll, ///< the processor waits until all queues are empty
  Touch,    ///< the processor reads or writes memory or a scalar register
};
inline constexpr bool isWait(EventKind kind) {
  return kind == EventKind::Reach || kind == EventKind::Take ||
         kind == EventKind::Test;
}
inline constexpr bool isReset(EventKind kind) {
  return kind == EventKind::Clear || kind == EventKind::Reset;
}

/// The space of scalar registers, beside those of isa/Config.h: register r is
/// bytes [4 r, 4 r + 4).
inline constexpr int64_t kRegisterSpace = 66;
inline constexpr size_t kSpaces = 67;

/// One box that an event reads or writes.
struct Touched {
  isa::Box box;
  uint8_t space = 0;
  bool isWrite = false;
  bool isScratch = false;    ///< written, and undefined afterwards
  bool isParameters = false; ///< the command's parameter block
};

struct Event {
  EventKind kind = EventKind::Command;
  uint8_t actor = 0;
  /// A command that copies one run of bytes to another, each to its place.
  bool isCopy = false;
  uint32_t instruction = 0; ///< which of the program's
  uint32_t position = 0;    ///< among its actor's events, from 1
  uint32_t issuedAfter = 0; ///< events of the processor before it
  uint32_t sync = 0;        ///< register; of Fence, the queue
  int64_t value = 0;        ///< of Reach: threshold; may be below 1. Of Fence
  uint32_t firstTouched = 0, touchedCount = 0; ///< reads first
};

struct Stream {
  uint32_t queues = 0;
  std::vector<Event> events;
  std::vector<Touched> touched;
  std::vector<std::vector<EventId>> actors; ///< queues, then the processor
  uint64_t instructions = 0;                ///< that the processor executed

  uint32_t processor() const { return queues; }
  std::span<const Touched> touchedBy(const Event &event) const {
    return std::span(touched).subspan(event.firstTouched, event.touchedCount);
  }
};

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_STREAM_H
