//===- StateLayout.cpp - the block that holds a context's states ----------===//
//
// A call writes new values into the slots of the entries `next`. Committing is
// a permutation of entries and no bytes move, whatever the policy: a flip
// exchanges the entries of its two slots, a state that becomes another's old
// value takes over its slot.
//
// A ring's value slides along its slot. In row-major order, dropping the first
// k of N indices along an axis is the same as looking k * inner elements
// further on: element (o, t + k, i) at o*N*inner + (t + k)*inner + i is element
// (o, t, i) of the later view. Only the k indices that enter are written.
// Example, N = 3, k = 1, slot of 6: [a b c] -> a [b c d] -> a b [c d e] -> ...
// and at the slot's end the three move to its beginning: one move of N in every
// (slot - N) / k calls. With the newest first everything is the other way
// round: the value slides from the slot's end to its beginning.
//
//===----------------------------------------------------------------------===//

#include "tally/runtime/StateLayout.h"

#include <algorithm>
#include <cstring>

using namespace tally;
using namespace tally::runtime;

static constexpr char kMagic[] = "TALLYST1";

/// Of the block's words `values`.
enum : uint64_t { kNone = 0, kThere = 1, kOverwritten = 2 };

static int64_t aligned(int64_t offset) {
  return (offset + kStateAlignment - 1) / kStateAlignment * kStateAlignment;
}

StateLayout runtime::stateLayout(const Interface &interface) {
  StateLayout layout;
  if (interface.states.empty())
    return layout;
  auto states = static_cast<int64_t>(interface.states.size());
  auto slots = static_cast<int64_t>(interface.slotBytes.size());
  layout.cursors = layout.entries + 8 * slots;
  layout.values = layout.cursors + 8 * states;
  layout.bytes = aligned(layout.values + 8 * states);
  for (int64_t bytes : interface.slotBytes) {
    layout.slots.push_back(layout.bytes);
    layout.bytes = aligned(layout.bytes + bytes);
  }
  return layout;
}

void StateBlock::reset() {
  std::memset(base, 0, layout.entries);
  std::memcpy(base, kMagic, 8);
  words(0)[1] = about.stateHash;
  for (size_t i = 0; i < about.slotBytes.size(); ++i)
    words(layout.entries)[i] = i;
  for (size_t i = 0; i < about.states.size(); ++i)
    reset(i);
}

void StateBlock::reset(size_t state) {
  const std::optional<std::string> &initial = about.states[state].initial;
  if (initial)
    setValue(state, initial->data());
  else
    words(layout.values)[state] = kNone;
}

Status StateBlock::checkValue(size_t state) const {
  uint64_t value = words(layout.values)[state];
  if (value == kThere)
    return Status::success();
  bool isLost = value == kOverwritten;
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = isLost ? "RUN-16" : "RUN-15";
  failure.message = "state '" + about.states[state].tensor.name + "' ";
  failure.message +=
      isLost ? "was overwritten by a call that failed" : "has no value yet";
  failure.hint = isLost ? "reset it, or restore what was saved before"
                        : "give it one before the first call";
  return failure;
}

Status StateBlock::checkValues() const {
  for (size_t i = 0; i < about.states.size(); ++i)
    if (Status status = checkValue(i); !status)
      return status;
  return Status::success();
}

static tally::Diagnostic noRoom(const StateInterface &state, int64_t count) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = "RUN-24";
  failure.message =
      "state '" + state.tensor.name + "' is " + std::to_string(count) +
      "; a call can begin with 0 to " + std::to_string(*state.most) +
      (count > *state.most ? ": a cache has no room for another one" : "");
  failure.hint = "reset the states, or compile the model for more rows";
  return failure;
}

Status StateBlock::checkNumbers() const {
  for (size_t i = 0; i < about.states.size(); ++i) {
    const StateInterface &state = about.states[i];
    if (!state.most)
      continue;
    if (Status status = checkValue(i); !status)
      return status;
    int64_t count = 0; // what has a largest value is one int64
    readValue(i, &count);
    if (count < 0 || count > *state.most)
      return noRoom(state, count);
  }
  return Status::success();
}

std::byte *StateBlock::slotOf(int64_t entry) const {
  return base + layout.slots[words(layout.entries)[entry]];
}

std::byte *StateBlock::row(size_t state, int64_t index) const {
  const StateInterface &what = about.states[state];
  return slotOf(what.current) + words(layout.cursors)[state] +
         index * what.pitch;
}

void StateBlock::readValue(size_t state, void *bytes) const {
  const StateInterface &what = about.states[state];
  auto *to = static_cast<std::byte *>(bytes);
  for (int64_t i = 0; i < what.rows; ++i)
    std::memcpy(to + i * what.rowBytes(), row(state, i), what.rowBytes());
}

void StateBlock::setValue(size_t state, const void *bytes) {
  const StateInterface &what = about.states[state];
  words(layout.cursors)[state] = homeOf(about, what);
  words(layout.values)[state] = kThere;
  auto *from = static_cast<const std::byte *>(bytes);
  for (int64_t i = 0; i < what.rows; ++i)
    std::memcpy(row(state, i), from + i * what.rowBytes(), what.rowBytes());
}

const void *StateBlock::oldValue(size_t state) const { return row(state, 0); }

int64_t StateBlock::cursor(size_t state) const {
  return static_cast<int64_t>(words(layout.cursors)[state]);
}

void *StateBlock::newValue(size_t state) const {
  const StateInterface &what = about.states[state];
  return slotOf(what.next) + words(layout.cursors)[state] + what.target;
}

int64_t runtime::spanOf(const StateInterface &state) {
  return (state.rows - 1) * state.pitch + state.rowBytes();
}

int64_t runtime::homeOf(const Interface &interface,
                        const StateInterface &state) {
  return state.advance < 0 ? interface.slotBytes[state.current] - spanOf(state)
                           : 0;
}

/// Moves a ring's value home when the next call would touch what is outside of
/// the slot. What a call touches covers the value, rows and all.
void StateBlock::rewind(size_t state) {
  const StateInterface &what = about.states[state];
  uint64_t &cursor = words(layout.cursors)[state];
  auto at = static_cast<int64_t>(cursor);
  bool isInside = at + std::min<int64_t>(what.target, 0) >= 0 &&
                  at + what.touchedBytes() <= about.slotBytes[what.current];
  if (isInside)
    return;
  std::byte *slot = slotOf(what.current);
  int64_t home = homeOf(about, what);
  std::memmove(slot + home, slot + cursor, spanOf(what));
  cursor = home;
}

/// Whether a call that fails may have damaged the old value: not that of a ring
/// whose rows are all in front of what enters.
static bool isEndangered(const StateInterface &state) {
  bool entersBehind = state.pitch > 0 &&
                      state.extent - state.advance >= state.rows * state.pitch;
  return state.isOverwritten() && !entersBehind;
}

void StateBlock::begin() {
  for (size_t i = 0; i < about.states.size(); ++i)
    if (isEndangered(about.states[i]))
      words(layout.values)[i] = kOverwritten;
}

void StateBlock::cancel() {
  for (size_t i = 0; i < about.states.size(); ++i)
    words(layout.values)[i] = kThere; // as they were when it began
}

void StateBlock::commit() {
  std::copy_n(words(layout.entries), before.size(), before.begin());
  for (size_t i = 0; i < before.size(); ++i)
    words(layout.entries)[i] = before[about.commit[i]];
  for (size_t i = 0; i < about.states.size(); ++i) {
    words(layout.values)[i] = kThere;
    words(layout.cursors)[i] += about.states[i].advance;
    if (about.states[i].advance)
      rewind(i);
  }
}
