//===- Races.cpp - accesses in proven order -------------------------------===//
//
// Events are taken in the order of one execution, in which what is before
// something comes first. Each byte that an event touches is compared with the
// last write and the reads since: they must be before the event. Older accesses
// need no look: they are before those, or would have been reported.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Races.h"
#include "tally/run/checker/History.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

namespace {
class Detective {
public:
  Detective(const Stream &stream, const Order &order, const MemoryRoles &roles);
  std::optional<Finding> look(const Progress &progress);

private:
  bool touch(const Touched &touched);
  std::optional<uint32_t> read(isa::ByteRange bytes, uint32_t state);
  std::optional<uint32_t> write(isa::ByteRange bytes, uint32_t state);
  bool isOrdered(EventId earlier, isa::ByteRange bytes, bool earlierWrites);
  bool isNewState(EventId writer) const;
  bool mayWrite(isa::ByteRange bytes);
  bool report(Rule rule, std::string message, EventId other,
              isa::ByteRange bytes, std::string hint);
  bool reportConflict(EventId other, bool otherWrites, isa::ByteRange bytes);
  void reportUnwritten(isa::ByteRange bytes);
  std::optional<Finding> unwritten();

  const Stream &stream;
  const Order &order;
  const MemoryRoles &roles;
  Past past;
  std::vector<History> memories;
  EventId current = kNoEvent;
  Touched now;
  /// The last change of state by `now`, as many segments have an equal past.
  uint32_t lastFrom = UINT32_MAX, lastTo = 0, written = UINT32_MAX;
  std::optional<Finding> finding;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rings and caches
//===----------------------------------------------------------------------===//

/// Whether `bytes` lie in runs of the box, and not behind one.
static bool enters(const isa::Box &box, isa::ByteRange bytes) {
  if (bytes.begin < box.offset || bytes.end > box.end())
    return false;
  int64_t pitch = box.strides[3];
  bool isGapless = box.counts[3] == 1 || box.bytes == pitch;
  return isGapless ||
         (bytes.begin - box.offset) % pitch + (bytes.end - bytes.begin) <=
             box.bytes;
}

/// CHK-20, whatever the bytes' past.
bool Detective::mayWrite(isa::ByteRange bytes) {
  const auto &entering = roles[now.space].entering;
  return !entering || enters(*entering, bytes) ||
         report(Rule::Slides,
                "bytes of a state are written that do not enter it", kNoEvent,
                bytes, "the rest of the value stays where it is");
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Detective::Detective(const Stream &stream, const Order &order,
                     const MemoryRoles &roles)
    : stream(stream), order(order), roles(roles), past(stream, order) {
  for (const MemoryRole &role : roles) {
    memories.emplace_back(role.isInitialised ? past.before() : past.never());
    if (role.old)
      memories.back().access(*role.old, [&](isa::ByteRange, uint32_t) {
        return std::optional(past.before());
      });
  }
}

bool Detective::report(Rule rule, std::string message, EventId other,
                       isa::ByteRange bytes, std::string hint) {
  finding = Finding{};
  finding->rule = rule;
  finding->message = std::move(message);
  finding->first = std::min(other, current);
  finding->second = std::max(other, current);
  finding->space = now.space;
  finding->bytes = bytes;
  finding->hint = std::move(hint);
  return false;
}

/// The event `other`, which touches the same bytes, is in no proven order.
bool Detective::reportConflict(EventId other, bool otherWrites,
                               isa::ByteRange bytes) {
  if (now.space == kRegisterSpace)
    return report(Rule::Late,
                  "the second overwrites a scalar register that the first may "
                  "not have read yet",
                  other, bytes,
                  "wait for the first with a fence, or use another register");
  bool firstWrites = other < current ? otherWrites : now.isWrite;
  bool secondWrites = other < current ? now.isWrite : otherWrites;
  const char *what = firstWrites && secondWrites ? "both write the bytes"
                     : firstWrites ? "the second reads what the first writes"
                                   : "the second writes what the first reads";
  bool isProcessor =
      stream.events[std::max(other, current)].actor == stream.processor();
  return report(
      Rule::Race, std::string(what) + ", and nothing orders them", other, bytes,
      isProcessor ? "let the processor wait for the first with a fence"
                  : "let the queue of the second wait for a signal "
                    "behind the first");
}

/// Whether `earlier`, an event that touched `bytes`, is before this one.
bool Detective::isOrdered(EventId earlier, isa::ByteRange bytes,
                          bool earlierWrites) {
  return earlier == current || order.before(earlier, current) ||
         reportConflict(earlier, earlierWrites, bytes);
}

static bool overlaps(const isa::Box &box, isa::ByteRange bytes) {
  if (box.end() <= bytes.begin || bytes.end <= box.begin())
    return false;
  for (isa::ByteRange range : isa::rangesOf({&box, 1}))
    if (range.begin < bytes.end && bytes.begin < range.end)
      return true;
  return false;
}

/// Nothing has written the bytes that the current event reads. What will write
/// them may just be late in this execution.
void Detective::reportUnwritten(isa::ByteRange bytes) {
  for (EventId id = 0; id < stream.events.size(); ++id)
    for (const Touched &touched : stream.touchedBy(stream.events[id])) {
      bool isWriter = touched.isWrite && touched.space == now.space &&
                      id != current && overlaps(touched.box, bytes);
      if (!isWriter || order.before(current, id))
        continue;
      reportConflict(id, true, bytes);
      return;
    }
  report(Rule::Initialised, "bytes are read that nothing has written", kNoEvent,
         bytes, "");
}

/// Whether bytes of this space that `writer` wrote are a state's new value.
bool Detective::isNewState(EventId writer) const {
  const MemoryRole &role = roles[now.space];
  return role.isWrittenOnce && role.isInitialised && writer != State::kBefore;
}

std::optional<uint32_t> Detective::read(isa::ByteRange bytes, uint32_t state) {
  EventId writer = past[state].writer;
  if (writer == State::kNever) {
    reportUnwritten(bytes);
    return std::nullopt;
  }
  if (writer != State::kBefore && !isOrdered(writer, bytes, true))
    return std::nullopt;
  // The command was issued for the value of that time. It may well be certain
  // that it finds a later one.
  if (now.space == kRegisterSpace && writer != State::kBefore &&
      writer > current) {
    reportConflict(writer, true, bytes);
    return std::nullopt;
  }
  if (isNewState(writer)) {
    report(Rule::Old,
           "the second reads a state's old value where the first has written "
           "the new one",
           writer, bytes,
           "write the new value behind all reads of the old one");
    return std::nullopt;
  }
  if (past[state].isUndefined) {
    report(Rule::Initialised,
           "the second reads bytes that the first used as work space, which "
           "leaves them undefined",
           writer, bytes, "");
    return std::nullopt;
  }
  return past.afterRead(state, current);
}

std::optional<uint32_t> Detective::write(isa::ByteRange bytes, uint32_t state) {
  EventId writer = past[state].writer;
  bool hasWriter = writer != State::kNever && writer != State::kBefore;
  if (hasWriter && !isOrdered(writer, bytes, true))
    return std::nullopt;
  for (EventId reader : past.readersOf(state))
    if (!isOrdered(reader, bytes, false))
      return std::nullopt;
  if (hasWriter && roles[now.space].isWrittenOnce && writer != current) {
    report(Rule::Once, "both write bytes that a call writes once", writer,
           bytes, "");
    return std::nullopt;
  }
  if (written == UINT32_MAX)
    written = past.afterWrite(current, now.isScratch);
  return written;
}

bool Detective::touch(const Touched &touched) {
  if (touched.isScratch != now.isScratch)
    written = UINT32_MAX;
  now = touched;
  lastFrom = UINT32_MAX;
  return memories[touched.space].access(
      touched.box,
      [this](isa::ByteRange bytes, uint32_t state) -> std::optional<uint32_t> {
        if (now.isWrite && !mayWrite(bytes))
          return std::nullopt;
        if (state == lastFrom)
          return lastTo;
        std::optional<uint32_t> next =
            now.isWrite ? write(bytes, state) : read(bytes, state);
        if (next) {
          lastFrom = state;
          lastTo = *next;
        }
        return next;
      });
}

/// A byte of an output or state that no event has written.
std::optional<Finding> Detective::unwritten() {
  for (size_t space = 0; space < roles.size(); ++space) {
    if (!roles[space].isWrittenOnce || roles[space].bytes == 0)
      continue;
    isa::Box all;
    all.bytes = roles[space].bytes;
    memories[space].access(
        roles[space].entering.value_or(all),
        [&](isa::ByteRange bytes, uint32_t state) -> std::optional<uint32_t> {
          EventId writer = past[state].writer;
          if (writer != State::kNever && writer != State::kBefore)
            return state;
          finding = Finding{};
          finding->rule = Rule::Written;
          finding->message = roles[space].isInitialised || roles[space].entering
                                 ? "bytes of a state are never written"
                                 : "bytes of an output are never written";
          finding->space = space;
          finding->bytes = bytes;
          return std::nullopt;
        });
    if (finding)
      return finding;
  }
  return std::nullopt;
}

std::optional<Finding> Detective::look(const Progress &progress) {
  for (EventId id : progress.order) {
    current = id;
    written = UINT32_MAX;
    for (const Touched &touched : stream.touchedBy(stream.events[id]))
      if (!touch(touched))
        return finding;
  }
  return unwritten();
}

std::optional<Finding> tally::checker::findConflict(const Stream &stream,
                                                    const Progress &progress,
                                                    const Order &order,
                                                    const MemoryRoles &roles) {
  return Detective(stream, order, roles).look(progress);
}
