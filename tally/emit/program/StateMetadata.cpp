//===- StateMetadata.cpp - states in the note of a program file -----------===//

#include "tally/emit/program/MetadataParts.h"

using namespace tally;
using namespace tally::isa;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::ObjectMapper;
using llvm::json::Path;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// To JSON
//===----------------------------------------------------------------------===//

static Value toJson(const Ring &ring) {
  Object object{{"frames", ring.frames},
                {"pitch", ring.pitch},
                {"enters", ring.enters},
                {"runs", ring.runs}};
  if (ring.down)
    object["down"] = true;
  return object;
}

static Value toJson(const Append &append) {
  return Object{{"scalar", append.scalar},
                {"runs", append.runs},
                {"pitch", append.pitch},
                {"step", append.step},
                {"bytes", append.bytes}};
}

static Value toJson(const Counter &counter) {
  return Object{{"scalar", counter.scalar},
                {"most", counter.most},
                {"step", counter.step},
                {"last", counter.last}};
}

Value tally::isa::stateToJson(const State &state) {
  Object object{{"name", printable(state.name)},
                {"policy", nameOf(state.policy)},
                {"type", nameOf(state.type)},
                {"shape", Array(state.shape)},
                {"scale", state.scale},
                {"zero", state.zero},
                {"current", state.current},
                {"next", state.next},
                {"old-buffer", state.oldBuffer},
                {"new-buffer", state.newBuffer},
                {"written", state.writtenBytes},
                {"copied", state.copiedBytes},
                {"reason", printable(state.reason)}};
  if (state.isBool)
    object["bool"] = true;
  if (state.policy == StatePolicy::Ring)
    object["ring"] = toJson(state.ring);
  if (state.policy == StatePolicy::Append)
    object["append"] = toJson(state.append);
  if (state.policy == StatePolicy::Counter)
    object["counter"] = toJson(state.counter);
  if (state.initial)
    object["initial"] = state.initialText();
  return object;
}

//===----------------------------------------------------------------------===//
// From JSON
//===----------------------------------------------------------------------===//

namespace tally::isa {

static bool fromJSON(const Value &value, StatePolicy &choice, Path path) {
  return readChoice(value, choice, path);
}

static bool readInitial(const Object &object, State &state, Path path) {
  std::optional<llvm::StringRef> text = object.getString("initial");
  if (!text || state.setInitial({text->data(), text->size()}))
    return true;
  path.field("initial").report(
      "expected one element, or the whole state, in base 64");
  return false;
}

static bool fromJSON(const Value &value, Ring &ring, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("frames", ring.frames) &&
         map.map("pitch", ring.pitch) && map.map("enters", ring.enters) &&
         map.map("runs", ring.runs) && map.mapOptional("down", ring.down);
}

static bool fromJSON(const Value &value, Append &append, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("scalar", append.scalar) &&
         map.map("runs", append.runs) && map.map("pitch", append.pitch) &&
         map.map("step", append.step) && map.map("bytes", append.bytes);
}

static bool fromJSON(const Value &value, Counter &counter, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("scalar", counter.scalar) &&
         map.map("most", counter.most) && map.map("step", counter.step) &&
         map.map("last", counter.last);
}

bool fromJSON(const Value &value, State &state, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("name", state.name) &&
         map.map("policy", state.policy) && map.map("type", state.type) &&
         map.map("shape", state.shape) && map.map("scale", state.scale) &&
         map.map("zero", state.zero) && map.map("current", state.current) &&
         map.map("next", state.next) &&
         map.map("old-buffer", state.oldBuffer) &&
         map.map("new-buffer", state.newBuffer) &&
         map.mapOptional("bool", state.isBool) &&
         map.mapOptional("written", state.writtenBytes) &&
         map.mapOptional("copied", state.copiedBytes) &&
         map.map("reason", state.reason) &&
         (state.policy != StatePolicy::Ring || map.map("ring", state.ring)) &&
         (state.policy != StatePolicy::Append ||
          map.map("append", state.append)) &&
         (state.policy != StatePolicy::Counter ||
          map.map("counter", state.counter)) &&
         readInitial(*value.getAsObject(), state, path);
}

} // namespace tally::isa
