//===- SavedStates.cpp - values of states outside a context ---------------===//
//
// Everything but the values, and whether there are any, follows from the states
// and the hash. So reading parses nothing: it compares with what writing would
// have given, and takes the bytes where values stand.
//
//===----------------------------------------------------------------------===//

#include "tally/runtime/SavedStates.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>

using namespace tally;
using namespace tally::runtime;

using Bytes = std::span<const uint8_t>;

static constexpr char kMagic[] = "TALLYSAV";
static constexpr uint64_t kVersion = 1;
static constexpr size_t kHeaderBytes = 32, kWord = 8;

static void append(std::string &text, uint64_t word) {
  char bytes[kWord];
  llvm::support::endian::write64le(bytes, word);
  text.append(bytes, kWord);
}

/// Zeros up to a whole number of words.
static void pad(std::string &text) {
  text.resize((text.size() + kWord - 1) / kWord * kWord);
}

static uint64_t wordAt(Bytes bytes, size_t offset) {
  return llvm::support::endian::read64le(bytes.data() + offset);
}

static uint64_t checksum(Bytes bytes) {
  return llvm::xxh3_64bits(llvm::ArrayRef(bytes.data(), bytes.size()));
}

static Bytes bytesOf(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

static std::string header(size_t count, uint64_t hash) {
  std::string text(kMagic, kWord);
  append(text, kVersion);
  append(text, hash);
  append(text, count);
  return text;
}

/// What stands before a state's value and whether it has one.
static std::string description(const TensorInterface &state) {
  std::string text;
  append(text, state.name.size());
  text += state.name;
  pad(text);
  append(text, static_cast<uint64_t>(state.element));
  append(text, state.shape.size());
  for (int64_t size : state.shape)
    append(text, static_cast<uint64_t>(size));
  return text;
}

/// By name: executors may number their states in different orders.
static std::vector<TensorInterface>
inOrder(std::vector<TensorInterface> states) {
  std::ranges::sort(states, {}, &TensorInterface::name);
  return states;
}

static size_t valueBytes(const TensorInterface &state) {
  return (static_cast<size_t>(state.byteCount()) + kWord - 1) / kWord * kWord;
}

int64_t runtime::savedBytes(const std::vector<TensorInterface> &states) {
  size_t bytes = kHeaderBytes + kWord;
  for (const TensorInterface &state : states)
    bytes += description(state).size() + kWord + valueBytes(state);
  return static_cast<int64_t>(bytes);
}

std::string runtime::saveStates(const std::vector<TensorInterface> &states,
                                uint64_t hash, const NamedTensors &values) {
  std::string text = header(states.size(), hash);
  for (const TensorInterface &state : inOrder(states)) {
    auto found = values.find(state.name);
    bool hasValue = found != values.end();
    text += description(state);
    append(text, hasValue);
    size_t end = text.size() + valueBytes(state);
    if (hasValue)
      text.append(reinterpret_cast<const char *>(found->second.storage.get()),
                  static_cast<size_t>(state.byteCount()));
    text.resize(end);
  }
  append(text, checksum(bytesOf(text)));
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static tally::Diagnostic refused(FailureKind kind, const char *rule,
                                 std::string message, std::string hint = "") {
  tally::Diagnostic failure;
  failure.kind = kind;
  failure.rule = rule;
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static tally::Diagnostic ofAnotherModel() {
  return refused(FailureKind::Usage, "SAVE-4",
                 "the states were saved by another model, or one with other "
                 "states",
                 "restore them where the same model was compiled with the same "
                 "--state and --keep-output options");
}

/// SAVE-1 to SAVE-3.
static Status checkHeader(Bytes bytes) {
  if (bytes.size() < kHeaderBytes + kWord ||
      !std::equal(kMagic, kMagic + kWord, bytes.begin()))
    return refused(FailureKind::Model, "SAVE-1", "these are no saved states",
                   "give a file that --state-out or a context wrote");
  if (uint64_t version = wordAt(bytes, kWord); version != kVersion)
    return refused(FailureKind::Unsupported, "SAVE-2",
                   "saved states of version " + std::to_string(version) +
                       ", this is version " + std::to_string(kVersion));
  size_t end = bytes.size() - kWord;
  if (checksum(bytes.first(end)) != wordAt(bytes, end))
    return refused(FailureKind::Model, "SAVE-3",
                   "the saved states are damaged or incomplete");
  return Status::success();
}

/// Whether `bytes` begin with `wanted`, which is then taken off.
static bool consume(Bytes &bytes, const std::string &wanted) {
  if (bytes.size() < wanted.size() ||
      !std::ranges::equal(bytesOf(wanted), bytes.first(wanted.size())))
    return false;
  bytes = bytes.subspan(wanted.size());
  return true;
}

/// One state's part, taken off `bytes`; false when it is another state's.
static bool readState(Bytes &bytes, const TensorInterface &state,
                      NamedTensors &values) {
  if (!consume(bytes, description(state)) ||
      bytes.size() < kWord + valueBytes(state))
    return false;
  bool hasValue = wordAt(bytes, 0);
  eval::Tensor tensor{state.shape, state.element, state.quant, nullptr};
  tensor.allocate();
  std::memcpy(tensor.storage.get(), bytes.data() + kWord,
              static_cast<size_t>(state.byteCount()));
  bytes = bytes.subspan(kWord + valueBytes(state));
  if (hasValue)
    values.emplace(state.name, std::move(tensor));
  return true;
}

Result<NamedTensors>
runtime::loadStates(Bytes bytes, const std::vector<TensorInterface> &states,
                    uint64_t hash) {
  if (Status status = checkHeader(bytes); !status)
    return status.takeError();
  bytes = bytes.first(bytes.size() - kWord);
  if (!consume(bytes, header(states.size(), hash)))
    return ofAnotherModel();
  NamedTensors values;
  for (const TensorInterface &state : inOrder(states))
    if (!readState(bytes, state, values))
      return ofAnotherModel();
  if (!bytes.empty())
    return ofAnotherModel();
  return values;
}

std::vector<TensorInterface> runtime::stateTensors(const Interface &interface) {
  std::vector<TensorInterface> tensors;
  for (const StateInterface &state : interface.states)
    tensors.push_back(state.tensor);
  return tensors;
}
