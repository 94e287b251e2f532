//===- States.cpp - whether a program's states fit together ---------------===//

#include "tally/emit/program/Program.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <set>

using namespace tally;
using namespace tally::isa;

std::span<const std::string_view> tally::isa::policyNames() {
  static constexpr std::string_view names[] = {
      "flip", "in place", "keep", "exchange", "ring", "append", "counter"};
  return names;
}

static std::string nameOf(StatePolicy policy) {
  return std::string(policyNames()[size_t(policy)]);
}

std::string tally::isa::titleOf(const Buffer &buffer) {
  return buffer.use == BufferUse::NewState ? buffer.name + " (new)"
                                           : buffer.name;
}

std::optional<int64_t> State::bytes() const {
  int64_t bytes = machine::elementBytes(type);
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

std::optional<int64_t> State::bufferBytes() const {
  std::optional<int64_t> value = bytes();
  if (!value || policy != StatePolicy::Ring)
    return value;
  bool areFrames = ring.frames > 0 && *value % ring.frames == 0 &&
                   0 < ring.enters && ring.enters <= ring.frames;
  if (!areFrames)
    return std::nullopt;
  int64_t frame = *value / ring.frames, extent = 0;
  bool holds =
      ring.runs > 0 && frame % ring.runs == 0 && ring.pitch >= frame &&
      ring.pitch > 0 &&
      !llvm::MulOverflow(ring.frames + ring.enters, ring.pitch, extent);
  if (!holds)
    return std::nullopt;
  return ring.down ? extent - ring.pitch + frame : extent;
}

std::string State::initialText() const {
  auto element = size_t(machine::elementBytes(type));
  bool isSplat =
      initial->size() > element &&
      std::equal(initial->begin() + element, initial->end(), initial->begin());
  std::span<const uint8_t> all(*initial);
  return llvm::encodeBase64(isSplat ? all.first(element) : all);
}

/// A text may claim any shape.
static constexpr int64_t kMaxStateBytes = int64_t(1) << 32;

bool State::setInitial(std::string_view text) {
  std::vector<char> decoded;
  llvm::Error error = llvm::decodeBase64({text.data(), text.size()}, decoded);
  auto found = int64_t(decoded.size());
  int64_t wanted = bytes().value_or(-1);
  bool fits = !error && wanted >= 0 && wanted <= kMaxStateBytes &&
              (found == wanted || found == machine::elementBytes(type));
  llvm::consumeError(std::move(error));
  if (!fits)
    return false;
  initial.emplace(size_t(wanted));
  for (size_t i = 0; i < initial->size(); ++i)
    (*initial)[i] = uint8_t(decoded[i % decoded.size()]);
  return true;
}

static Diagnostic refuse(std::string message) {
  return {FailureKind::Model, std::move(message), "PROG-7", "", "", ""};
}

static bool isPlace(int64_t place, size_t count) {
  return place >= 0 && place < int64_t(count);
}

static Status checkSlots(const Program &program, const State &state,
                         int64_t bytes) {
  for (int64_t place : {state.current, state.next})
    if (!isPlace(place, program.slots.size()) ||
        program.slots[size_t(place)] < bytes)
      return refuse("state '" + state.name + "' of " + std::to_string(bytes) +
                    " bytes has no slot " + std::to_string(place) +
                    " that holds it");
  bool isApart = state.policy == StatePolicy::Flip;
  if (isApart == (state.current == state.next))
    return refuse("state '" + state.name + "' with policy " +
                  nameOf(state.policy) + " has slots " +
                  std::to_string(state.current) + " and " +
                  std::to_string(state.next));
  return Status::success();
}

/// Whether `place` is a buffer of that use for the state, or no buffer.
static bool isBufferOf(const Program &program, const State &state,
                       int64_t place, BufferUse use, int64_t bytes) {
  if (place == -1)
    return true;
  if (!isPlace(place, program.buffers.size()))
    return false;
  const Buffer &buffer = program.buffers[size_t(place)];
  return buffer.use == use && buffer.name == state.name &&
         buffer.bytes == bytes;
}

static Status checkBuffersOf(const Program &program, const State &state,
                             int64_t bytes) {
  bool isShared = state.oldBuffer != -1 && state.oldBuffer == state.newBuffer;
  bool isWritten = state.newBuffer != -1;
  bool isRing =
      state.policy == StatePolicy::Ring || state.policy == StatePolicy::Append;
  bool mayBeWritten = isRing || state.policy == StatePolicy::Flip ||
                      state.policy == StatePolicy::InPlace;
  bool mayBeShared = isRing || state.policy == StatePolicy::InPlace;
  bool hasBoth = state.oldBuffer != -1 && isWritten;
  bool fits =
      isWritten == mayBeWritten && (!hasBoth || isShared == mayBeShared) &&
      (!isRing || isShared) &&
      isBufferOf(program, state, state.oldBuffer,
                 isShared ? BufferUse::State : BufferUse::OldState, bytes) &&
      isBufferOf(program, state, state.newBuffer,
                 isShared ? BufferUse::State : BufferUse::NewState, bytes);
  if (fits)
    return Status::success();
  return refuse("state '" + state.name + "' with policy " +
                nameOf(state.policy) + " has buffers " +
                std::to_string(state.oldBuffer) + " and " +
                std::to_string(state.newBuffer) + ", which are not its own");
}

static Diagnostic refuseRing(const State &state, int64_t bytes) {
  const Ring &ring = state.ring;
  return refuse("state '" + state.name + "' of " + std::to_string(bytes) +
                " bytes is no ring of " + std::to_string(ring.frames) +
                " frames " + std::to_string(ring.pitch) + " bytes apart, of " +
                std::to_string(ring.runs) + " runs each, of which " +
                std::to_string(ring.enters) + " enter");
}

/// Whether the rows of any value of the counter lie in the state's runs.
static bool holdsRows(const Program &program, const State &state,
                      int64_t bytes) {
  const Append &append = state.append;
  if (!isPlace(append.scalar, program.scalars.size()) || append.runs <= 0 ||
      append.pitch <= 0 || append.step < 0 || append.bytes <= 0)
    return false;
  const RuntimeScalar &scalar = program.scalars[size_t(append.scalar)];
  int64_t all = 0, end = 0;
  return !llvm::MulOverflow(append.runs, append.pitch, all) && all == bytes &&
         scalar.least >= 0 &&
         !llvm::MulOverflow(scalar.greatest, append.step, end) &&
         !llvm::AddOverflow(end, append.bytes, end) && end <= append.pitch;
}

static Status checkAppend(const Program &program, const State &state,
                          int64_t bytes) {
  if (state.policy != StatePolicy::Append || holdsRows(program, state, bytes))
    return Status::success();
  const Append &append = state.append;
  return refuse("state '" + state.name + "' of " + std::to_string(bytes) +
                " bytes is no cache of " + std::to_string(append.runs) +
                " runs of " + std::to_string(append.pitch) + ", in which " +
                std::to_string(append.bytes) + " are written, moved by " +
                std::to_string(append.step) + " with run-time scalar " +
                std::to_string(append.scalar));
}

static bool isCounter(const Program &program, const State &state) {
  const Counter &counter = state.counter;
  bool isNumber = state.type == machine::ElementType::I64 &&
                  state.bytes() == machine::elementBytes(state.type) &&
                  0 <= counter.most && counter.most <= INT32_MAX &&
                  0 <= counter.step && counter.step <= INT32_MAX &&
                  0 <= counter.last;
  if (!isNumber || counter.scalar == -1)
    return isNumber;
  if (!isPlace(counter.scalar, program.scalars.size()))
    return false;
  const RuntimeScalar &scalar = program.scalars[size_t(counter.scalar)];
  return scalar.least == 0 && scalar.greatest == counter.most;
}

static Status checkCounter(const Program &program, const State &state) {
  if (state.policy != StatePolicy::Counter || isCounter(program, state))
    return Status::success();
  const Counter &counter = state.counter;
  return refuse("state '" + state.name + "' is no number from 0 to " +
                std::to_string(counter.most) + " that grows by " +
                std::to_string(counter.step) + " to " +
                std::to_string(counter.last) + ", with run-time scalar " +
                std::to_string(counter.scalar));
}

static Status checkState(const Program &program, const State &state) {
  std::optional<int64_t> bytes = state.bytes();
  if (!bytes)
    return refuse("state '" + state.name + "' has no such shape");
  if (state.initial && int64_t(state.initial->size()) != *bytes)
    return refuse("state '" + state.name + "' of " + std::to_string(*bytes) +
                  " bytes begins with " +
                  std::to_string(state.initial->size()));
  std::optional<int64_t> extent = state.bufferBytes();
  if (!extent)
    return refuseRing(state, *bytes);
  if (Status status = checkAppend(program, state, *bytes); !status)
    return status;
  if (Status status = checkCounter(program, state); !status)
    return status;
  if (Status status = checkSlots(program, state, *extent); !status)
    return status;
  return checkBuffersOf(program, state, *extent);
}

/// Every place of the list gets a slot that was as large.
static Status checkCommit(const Program &program) {
  std::vector<int64_t> sorted = program.commit;
  std::ranges::sort(sorted);
  bool fits = sorted.size() == program.slots.size();
  for (size_t i = 0; fits && i < sorted.size(); ++i)
    fits = sorted[i] == int64_t(i);
  for (size_t i = 0; fits && i < sorted.size(); ++i)
    fits = program.slots[i] >= 0 &&
           program.slots[size_t(program.commit[i])] == program.slots[i];
  if (fits)
    return Status::success();
  return refuse("what a call does to the list of slots is no permutation of "
                "slots of one size");
}

Status tally::isa::checkStates(const Program &program) {
  std::set<std::string> names;
  for (const State &state : program.states) {
    if (state.name.empty() || !names.insert(state.name).second)
      return refuse("two states are called '" + state.name +
                    "', or one has no name");
    if (Status status = checkState(program, state); !status)
      return status;
  }
  for (const Buffer &buffer : program.buffers)
    if (isOfState(buffer.use) && !names.contains(buffer.name))
      return refuse("there is no state for buffer '" + titleOf(buffer) + "'");
  return checkCommit(program);
}
