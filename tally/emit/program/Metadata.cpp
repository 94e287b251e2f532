//===- Metadata.cpp - the note of a program file --------------------------===//
//
// JSON both ways with LLVM's object mapper, whose paths say where a text is at
// fault: "program.buffers[0].bytes: expected integer".
//
//===----------------------------------------------------------------------===//

#include "tally/emit/program/MetadataParts.h"
#include "tally/emit/program/ProgramFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <array>

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

static Array toJson(const std::vector<machine::ElementType> &types) {
  Array array;
  for (machine::ElementType type : types)
    array.push_back(nameOf(type));
  return array;
}

static Value toJson(const Buffer &buffer) {
  Object object{
      {"name", printable(buffer.name)}, {"use", nameOf(buffer.use)},
      {"bytes", buffer.bytes},          {"alignment", buffer.alignment},
      {"type", nameOf(buffer.type)},    {"shape", Array(buffer.shape)},
      {"scale", buffer.scale},          {"zero", buffer.zero}};
  if (buffer.isBool)
    object["bool"] = true;
  return object;
}

static Value toJson(const State &state) { return stateToJson(state); }

static Value toJson(const RuntimeScalar &scalar) {
  return Object{{"name", printable(scalar.name)},
                {"offset", scalar.offset},
                {"least", scalar.least},
                {"greatest", scalar.greatest}};
}

static Value toJson(const Symbol &symbol) {
  return Object{{"name", printable(symbol.name)},
                {"space", symbol.space},
                {"offset", symbol.offset},
                {"bytes", symbol.bytes}};
}

static Value toJson(const NodeRange &node) {
  return Object{{"first", node.first},
                {"count", node.count},
                {"name", printable(node.name)}};
}

static Value toJson(const SourceLine &line) {
  return Object{{"first", line.first}, {"line", line.line}};
}

static Value toJson(const QueueNeed &queue) {
  return Object{
      {"number", queue.number},      {"name", printable(queue.name)},
      {"kind", nameOf(queue.kind)},  {"direction", nameOf(queue.direction)},
      {"in-order", queue.inOrder},   {"depthwise", queue.depthwise},
      {"types", toJson(queue.types)}};
}

static Value toJson(const machine::RequantizeUnit &unit) {
  return Object{{"result-bits", unit.resultBits},
                {"multiplier-bits", unit.multiplierBits},
                {"offset-bits", unit.offsetBits}};
}

template <typename T> static Array listToJson(const std::vector<T> &list) {
  Array array;
  for (const T &each : list)
    array.push_back(toJson(each));
  return array;
}

static Value toJson(const Requirements &needs) {
  return Object{{"machine", printable(needs.machine)},
                {"isa", needs.isa},
                {"scalar-registers", needs.scalarRegisters},
                {"multiply", needs.multiply},
                {"latched-operands", needs.latchedOperands},
                {"queues", listToJson(needs.queues)},
                {"sync-kind", nameOf(needs.syncKind)},
                {"sync-key", nameOf(needs.syncKey)},
                {"sync-compare", nameOf(needs.syncCompare)},
                {"sync-registers", needs.syncRegisters},
                {"sync-bits", needs.syncBits},
                {"multiple-waiters", needs.multipleWaiters},
                {"relative-waits", needs.relativeWaits},
                {"scalar-thresholds", needs.scalarThresholds},
                {"requantize", listToJson(needs.requantize)},
                {"sram-bytes", needs.sramBytes},
                {"accumulator-bytes", needs.accumulatorBytes}};
}

/// What a program without states has nothing of.
static void addStates(const Program &program, Object &root) {
  if (program.states.empty())
    return;
  root["states"] = listToJson(program.states);
  root["slots"] = Array(program.slots);
  root["commit"] = Array(program.commit);
  root["state-hash"] = llvm::utohexstr(program.stateHash);
}

/// The lowest one of readers that know all of the program.
static int64_t versionOf(const Program &program) {
  auto has = [&](StatePolicy policy) {
    return std::ranges::count(program.states, policy, &State::policy) > 0;
  };
  bool movesDown = std::ranges::any_of(
      program.states, [](const State &state) { return state.ring.down; });
  if (movesDown || has(StatePolicy::Append) || has(StatePolicy::Counter))
    return 4;
  if (has(StatePolicy::Ring))
    return 3;
  return program.states.empty() ? 1 : 2;
}

std::string tally::isa::metadataToJson(const Program &program) {
  Object root{{"version", versionOf(program)},
              {"producer", printable(program.producer)},
              {"requirements", toJson(program.requirements)},
              {"arena-bytes", program.arenaBytes},
              {"arena-alignment", program.arenaAlignment},
              {"buffers", listToJson(program.buffers)},
              {"scalars", listToJson(program.scalars)},
              {"symbols", listToJson(program.symbols)},
              {"nodes", listToJson(program.nodes)},
              {"source", printable(program.sourceFile)},
              {"lines", listToJson(program.lines)}};
  addStates(program, root);
  std::string text;
  llvm::raw_string_ostream(text) << Value(std::move(root));
  return text;
}

//===----------------------------------------------------------------------===//
// From JSON
//===----------------------------------------------------------------------===//

namespace tally::machine {

static bool fromJSON(const Value &value, Direction &choice, Path path) {
  return readChoice(value, choice, path);
}
static bool fromJSON(const Value &value, EngineKind &choice, Path path) {
  return readChoice(value, choice, path);
}
static bool fromJSON(const Value &value, SyncKind &choice, Path path) {
  return readChoice(value, choice, path);
}
static bool fromJSON(const Value &value, SyncKey &choice, Path path) {
  return readChoice(value, choice, path);
}
static bool fromJSON(const Value &value, SyncCompare &choice, Path path) {
  return readChoice(value, choice, path);
}

static bool fromJSON(const Value &value, RequantizeUnit &unit, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("result-bits", unit.resultBits) &&
         map.map("multiplier-bits", unit.multiplierBits) &&
         map.map("offset-bits", unit.offsetBits);
}

} // namespace tally::machine

namespace tally::isa {

static bool fromJSON(const Value &value, BufferUse &choice, Path path) {
  return readChoice(value, choice, path);
}

static bool fromJSON(const Value &value, Buffer &buffer, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("name", buffer.name) && map.map("use", buffer.use) &&
         map.map("bytes", buffer.bytes) &&
         map.map("alignment", buffer.alignment) &&
         map.map("type", buffer.type) && map.map("shape", buffer.shape) &&
         map.map("scale", buffer.scale) && map.map("zero", buffer.zero) &&
         map.mapOptional("bool", buffer.isBool);
}

static bool readHash(const std::string &text, uint64_t &hash, Path path) {
  if (!llvm::StringRef(text).getAsInteger(16, hash))
    return true;
  path.report("expected hexadecimal digits");
  return false;
}

static bool mapStates(ObjectMapper &map, Program &program, Path path) {
  std::string hash;
  return map.map("states", program.states) && map.map("slots", program.slots) &&
         map.map("commit", program.commit) && map.map("state-hash", hash) &&
         readHash(hash, program.stateHash, path.field("state-hash"));
}

static bool fromJSON(const Value &value, RuntimeScalar &scalar, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("name", scalar.name) &&
         map.map("offset", scalar.offset) && map.map("least", scalar.least) &&
         map.map("greatest", scalar.greatest);
}

static bool fromJSON(const Value &value, Symbol &symbol, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("name", symbol.name) &&
         map.map("space", symbol.space) && map.map("offset", symbol.offset) &&
         map.map("bytes", symbol.bytes);
}

static bool fromJSON(const Value &value, NodeRange &node, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("first", node.first) && map.map("count", node.count) &&
         map.map("name", node.name);
}

static bool fromJSON(const Value &value, SourceLine &line, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("first", line.first) && map.map("line", line.line);
}

static bool fromJSON(const Value &value, QueueNeed &queue, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("number", queue.number) &&
         map.map("name", queue.name) && map.map("kind", queue.kind) &&
         map.map("direction", queue.direction) &&
         map.map("in-order", queue.inOrder) &&
         map.map("depthwise", queue.depthwise) && map.map("types", queue.types);
}

static bool mapSync(ObjectMapper &map, Requirements &needs) {
  return map.map("sync-kind", needs.syncKind) &&
         map.map("sync-key", needs.syncKey) &&
         map.map("sync-compare", needs.syncCompare) &&
         map.map("sync-registers", needs.syncRegisters) &&
         map.map("sync-bits", needs.syncBits) &&
         map.map("multiple-waiters", needs.multipleWaiters) &&
         map.map("relative-waits", needs.relativeWaits) &&
         map.map("scalar-thresholds", needs.scalarThresholds);
}

static bool fromJSON(const Value &value, Requirements &needs, Path path) {
  ObjectMapper map(value, path);
  return map && map.map("machine", needs.machine) &&
         map.map("isa", needs.isa) &&
         map.map("scalar-registers", needs.scalarRegisters) &&
         map.map("multiply", needs.multiply) &&
         map.map("latched-operands", needs.latchedOperands) &&
         map.map("queues", needs.queues) && mapSync(map, needs) &&
         map.map("requantize", needs.requantize) &&
         map.map("sram-bytes", needs.sramBytes) &&
         map.map("accumulator-bytes", needs.accumulatorBytes);
}

static bool fromJSON(const Value &value, Program &program, Path path) {
  ObjectMapper map(value, path);
  int64_t version = 0;
  return map && map.map("version", version) &&
         map.map("producer", program.producer) &&
         map.map("requirements", program.requirements) &&
         map.map("arena-bytes", program.arenaBytes) &&
         map.map("arena-alignment", program.arenaAlignment) &&
         map.map("buffers", program.buffers) &&
         map.map("scalars", program.scalars) &&
         map.map("symbols", program.symbols) &&
         map.map("nodes", program.nodes) &&
         map.map("source", program.sourceFile) &&
         map.map("lines", program.lines) &&
         (version == 1 || mapStates(map, program, path));
}

} // namespace tally::isa

static Diagnostic unreadable(const std::string &why) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "PROG-2";
  failure.message = "the program's note cannot be read: " + why;
  return failure;
}

Status tally::isa::metadataFromJson(std::string_view text, Program &program) {
  llvm::Expected<Value> value = llvm::json::parse({text.data(), text.size()});
  if (!value)
    return unreadable(llvm::toString(value.takeError()));
  const Object *object = value->getAsObject();
  std::optional<int64_t> version =
      object ? object->getInteger("version") : std::nullopt;
  if (!version || *version < 1 || *version > kProgramVersion)
    return unreadable("its format is version " +
                      (version ? std::to_string(*version) : "(none)") +
                      ", this program reads versions up to " +
                      std::to_string(kProgramVersion));
  Path::Root root("program");
  if (!fromJSON(*value, program, root))
    return unreadable(llvm::toString(root.getError()));
  return Status::success();
}
