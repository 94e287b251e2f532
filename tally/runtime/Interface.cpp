//===- Interface.cpp - the self-description as JSON -----------------------===//

#include "tally/runtime/Interface.h"
#include "tally/runtime/StateRules.h"
#include "tally/runtime/TensorJson.h"
#include "tally/support/CheckedMath.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::runtime;
namespace json = llvm::json;

const char *runtime::policyName(StatePolicy policy) {
  switch (policy) {
  case StatePolicy::Flip:
    return "flip";
  case StatePolicy::InPlace:
    return "in place";
  case StatePolicy::Ring:
    return "ring";
  case StatePolicy::Keep:
    return "keep";
  case StatePolicy::Exchange:
    return "exchange";
  }
  return "";
}

size_t Interface::inputPointers() const {
  return inputs.size() + std::count_if(states.begin(), states.end(),
                                       [](const StateInterface &state) {
                                         return state.isRead;
                                       });
}

size_t Interface::outputPointers() const {
  return outputs.size() + std::count_if(states.begin(), states.end(),
                                        [](const StateInterface &state) {
                                          return state.isWritten;
                                        });
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// JSON text is UTF-8; other bytes become the replacement character.
static std::string text(const std::string &bytes) {
  return json::fixUTF8(bytes);
}

/// Bytes in base 64; those of one element when all elements are equal.
static std::string encodeInitial(const std::string &bytes,
                                 const TensorInterface &tensor) {
  auto size = static_cast<size_t>(eval::byteSize(tensor.element));
  bool isUniform = bytes.size() > size &&
                   std::equal(bytes.begin() + size, bytes.end(), bytes.begin());
  return llvm::encodeBase64(isUniform ? bytes.substr(0, size) : bytes);
}

/// JSON's numbers do not hold 64 bits everywhere.
static std::string hashText(uint64_t hash) {
  return "0x" + llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16);
}

static void writeGrid(json::OStream &os, const eval::Quantization &grid) {
  os.attributeObject("quantization", [&] {
    os.attribute("min", grid.qmin);
    os.attribute("max", grid.qmax);
    os.attribute("axis", grid.axis);
    // fp32 values are written as the doubles they equal: exact both ways.
    os.attributeArray("scales", [&] {
      for (float scale : grid.scales)
        os.value(static_cast<double>(scale));
    });
    os.attributeArray("zero_points", [&] {
      for (int64_t zeroPoint : grid.zeroPoints)
        os.value(zeroPoint);
    });
  });
}

void runtime::writeTensor(json::OStream &os, const TensorInterface &tensor) {
  os.object([&] {
    os.attribute("name", text(tensor.name));
    os.attribute("type", eval::name(tensor.element));
    os.attributeArray("shape", [&] {
      for (int64_t dim : tensor.shape)
        os.value(dim);
    });
    if (tensor.quant)
      writeGrid(os, *tensor.quant);
  });
}

static void writeStage(json::OStream &os, const StageInterface &stage) {
  os.object([&] {
    os.attribute("node", text(stage.node));
    os.attribute("op", text(stage.op));
    os.attribute("result", text(stage.result));
    os.attribute("macs", stage.macs);
    os.attribute("constant_bytes", stage.constantBytes);
    os.attribute("float", stage.isFloat);
    if (!stage.reason.empty())
      os.attribute("reason", text(stage.reason));
  });
}

static void writeState(json::OStream &os, const StateInterface &state) {
  os.object([&] {
    os.attributeBegin("tensor");
    writeTensor(os, state.tensor);
    os.attributeEnd();
    os.attribute("policy", policyName(state.policy));
    os.attribute("current", state.current);
    os.attribute("next", state.next);
    os.attribute("is_read", state.isRead);
    os.attribute("is_written", state.isWritten);
    for (auto [key, value] :
         {std::pair("advance", state.advance),
          std::pair("target", state.target), std::pair("extent", state.extent),
          std::pair("rows", state.rows), std::pair("pitch", state.pitch)})
      os.attribute(key, value);
    if (state.initial)
      os.attribute("initial", encodeInitial(*state.initial, state.tensor));
    os.attribute("written_bytes", state.writtenBytes);
    os.attribute("copied_bytes", state.copiedBytes);
    if (!state.reason.empty())
      os.attribute("reason", text(state.reason));
    if (state.most)
      os.attribute("most", *state.most);
  });
}

static void writeStates(json::OStream &os, const Interface &interface) {
  os.attributeArray("states", [&] {
    for (const StateInterface &state : interface.states)
      writeState(os, state);
  });
  for (auto [key, list] : {std::pair("slot_bytes", &interface.slotBytes),
                           std::pair("commit", &interface.commit)})
    os.attributeArray(key, [&, list = list] {
      for (int64_t value : *list)
        os.value(value);
    });
  os.attribute("state_hash", hashText(interface.stateHash));
}

static void writeMembers(json::OStream &os, const Interface &interface) {
  os.attribute("version", interface.version());
  os.attribute("producer", text(interface.producer));
  os.attribute("symbol", text(interface.symbol));
  os.attribute("model", text(interface.model));
  os.attribute("numerics", text(interface.numerics));
  os.attribute("target", text(interface.target));
  os.attributeArray("tiers", [&] {
    for (const std::string &tier : interface.tiers)
      os.value(text(tier));
  });
  if (interface.emulated)
    os.attribute("emulated", true);
  for (auto [key, list] : {std::pair("inputs", &interface.inputs),
                           std::pair("outputs", &interface.outputs)})
    os.attributeArray(key, [&, list = list] {
      for (const TensorInterface &tensor : *list)
        writeTensor(os, tensor);
    });
  os.attribute("arena_bytes", interface.arenaBytes);
  os.attribute("arena_alignment", interface.arenaAlignment);
  os.attribute("static_arena", interface.staticArena);
  if (interface.threads > 1)
    os.attribute("threads", interface.threads);
  os.attribute("self_test_bytes", interface.selfTestBytes);
  os.attribute("constant_bytes", interface.constBytes);
  os.attributeArray("stages", [&] {
    for (const StageInterface &stage : interface.stages)
      writeStage(os, stage);
  });
  os.attributeArray("peak", [&] {
    for (const PeakTensor &tensor : interface.peak)
      os.object([&] {
        os.attribute("name", text(tensor.name));
        os.attribute("bytes", tensor.bytes);
      });
  });
  if (!interface.states.empty())
    writeStates(os, interface);
}

std::string runtime::toJson(const Interface &interface) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  json::OStream os(stream);
  os.object([&] { writeMembers(os, interface); });
  return result;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool fromJSON(const json::Value &value, eval::Element &element,
                     json::Path path) {
  auto name = value.getAsString();
  for (int i = 0; name && i <= static_cast<int>(eval::Element::F64); ++i)
    if (*name == eval::name(static_cast<eval::Element>(i))) {
      element = static_cast<eval::Element>(i);
      return true;
    }
  path.report("expected the name of an element type");
  return false;
}

static bool fromJSON(const json::Value &value, eval::Quantization &grid,
                     json::Path path) {
  std::vector<double> scales;
  json::ObjectMapper map(value, path);
  if (!map || !map.map("min", grid.qmin) || !map.map("max", grid.qmax) ||
      !map.map("axis", grid.axis) || !map.map("scales", scales) ||
      !map.map("zero_points", grid.zeroPoints))
    return false;
  for (double scale : scales) {
    if (!(scale > 0) || !std::isfinite(static_cast<float>(scale))) {
      path.field("scales").report("expected positive fp32 numbers");
      return false;
    }
    grid.scales.push_back(static_cast<float>(scale));
  }
  if (grid.scales.empty() || grid.scales.size() != grid.zeroPoints.size()) {
    path.report("expected as many zero points as scales, at least one");
    return false;
  }
  return true;
}

/// One scale per tensor, or one per index of an axis that exists.
static bool fits(const eval::Quantization &grid, const eval::Shape &shape) {
  if (grid.axis < -1 || grid.axis >= static_cast<int64_t>(shape.size()))
    return false;
  int64_t wanted = grid.perTensor() ? 1 : shape[grid.axis];
  return static_cast<int64_t>(grid.scales.size()) == wanted;
}

bool runtime::fromJSON(const json::Value &value, TensorInterface &tensor,
                       json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("name", tensor.name) || !map.map("shape", tensor.shape))
    return false;
  const json::Object &object = *value.getAsObject();
  const json::Value *type = object.get("type");
  if (!type || !::fromJSON(*type, tensor.element, path.field("type"))) {
    if (!type)
      path.field("type").report("missing");
    return false;
  }
  auto count = checkedElementCount(tensor.shape);
  if (!count || !checkedMul(*count, eval::byteSize(tensor.element))) {
    path.field("shape").report("expected dimensions whose bytes fit 63 bits");
    return false;
  }
  const json::Value *grid = object.get("quantization");
  if (!grid)
    return true;
  json::Path gridPath = path.field("quantization");
  if (!::fromJSON(*grid, tensor.quant.emplace(), gridPath))
    return false;
  if (!fits(*tensor.quant, tensor.shape))
    gridPath.field("axis").report("axis and scales do not fit the shape");
  return fits(*tensor.quant, tensor.shape);
}

namespace tally::runtime {
/// Found by argument-dependent lookup of json::ObjectMapper.
static bool fromJSON(const json::Value &value, StageInterface &stage,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("node", stage.node) && map.map("op", stage.op) &&
         map.map("result", stage.result) && map.map("macs", stage.macs) &&
         map.map("constant_bytes", stage.constantBytes) &&
         map.map("float", stage.isFloat) &&
         map.mapOptional("reason", stage.reason);
}

static bool fromJSON(const json::Value &value, PeakTensor &tensor,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", tensor.name) && map.map("bytes", tensor.bytes);
}

static bool decodeInitial(const json::Object &object, StateInterface &state,
                          json::Path path) {
  auto text = object.getString("initial");
  if (!text)
    return true;
  std::vector<char> bytes;
  if (llvm::Error error = llvm::decodeBase64(*text, bytes)) {
    llvm::consumeError(std::move(error));
    path.field("initial").report("expected bytes in base 64");
    return false;
  }
  std::string &initial = state.initial.emplace(bytes.begin(), bytes.end());
  auto wanted = static_cast<size_t>(state.tensor.byteCount());
  if (initial.size() == size_t(eval::byteSize(state.tensor.element)))
    while (initial.size() < wanted)
      initial.append(bytes.begin(), bytes.end());
  if (initial.size() == wanted)
    return true;
  path.field("initial").report("expected one element, or the whole tensor");
  return false;
}

static bool fromJSON(const json::Value &value, StatePolicy &policy,
                     json::Path path) {
  auto name = value.getAsString();
  for (int i = 0; name && i <= static_cast<int>(StatePolicy::Exchange); ++i)
    if (*name == policyName(static_cast<StatePolicy>(i))) {
      policy = static_cast<StatePolicy>(i);
      return true;
    }
  path.report("expected the name of a policy");
  return false;
}

static bool fromJSON(const json::Value &value, StateInterface &state,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("tensor", state.tensor) &&
         map.map("policy", state.policy) && map.map("current", state.current) &&
         map.map("next", state.next) && map.map("is_read", state.isRead) &&
         map.map("is_written", state.isWritten) &&
         map.map("advance", state.advance) && map.map("target", state.target) &&
         map.map("extent", state.extent) && map.map("rows", state.rows) &&
         map.map("pitch", state.pitch) &&
         map.map("written_bytes", state.writtenBytes) &&
         map.map("copied_bytes", state.copiedBytes) &&
         map.mapOptional("reason", state.reason) &&
         map.map("most", state.most) &&
         decodeInitial(*value.getAsObject(), state, path);
}

static bool statesFromJson(const json::Value &value, Interface &interface,
                           json::Path path) {
  json::ObjectMapper map(value, path);
  std::string hash;
  if (!map || !map.map("states", interface.states) ||
      !map.map("slot_bytes", interface.slotBytes) ||
      !map.map("commit", interface.commit) || !map.map("state_hash", hash))
    return false;
  if (!llvm::StringRef(hash).getAsInteger(0, interface.stateHash))
    return true;
  path.field("state_hash").report("expected a number such as 0x1f");
  return false;
}

static bool fromJSON(const json::Value &value, Interface &interface,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("producer", interface.producer) &&
         map.map("symbol", interface.symbol) &&
         map.map("model", interface.model) &&
         map.map("numerics", interface.numerics) &&
         map.map("target", interface.target) &&
         map.map("tiers", interface.tiers) &&
         map.mapOptional("emulated", interface.emulated) &&
         map.map("inputs", interface.inputs) &&
         map.map("outputs", interface.outputs) &&
         map.map("arena_bytes", interface.arenaBytes) &&
         map.map("arena_alignment", interface.arenaAlignment) &&
         map.map("static_arena", interface.staticArena) &&
         map.mapOptional("threads", interface.threads) &&
         map.map("self_test_bytes", interface.selfTestBytes) &&
         map.map("constant_bytes", interface.constBytes) &&
         map.map("stages", interface.stages) && map.map("peak", interface.peak);
}
} // namespace tally::runtime

static tally::Diagnostic malformed(std::string message) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "IFC-1";
  failure.message = "interface description: " + std::move(message);
  return failure;
}

static tally::Diagnostic otherVersion(int64_t version) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "IFC-2";
  failure.message = "made for interface version " + std::to_string(version) +
                    ", this is version " + std::to_string(kInterfaceVersion);
  failure.hint = "compile the model again with this version of tally";
  return failure;
}

/// What the JSON types leave open: an arena that can be allocated, a number of
/// threads.
static Status checkArena(const Interface &interface) {
  int64_t alignment = interface.arenaAlignment;
  if (alignment < 1 || alignment > (1 << 21) || (alignment & (alignment - 1)))
    return malformed("arena_alignment " + std::to_string(alignment) +
                     " is not a power of two up to 2 MiB");
  if (interface.arenaBytes < 0 || interface.constBytes < 0 ||
      interface.selfTestBytes < 0)
    return malformed("a negative size");
  if (interface.threads < 1 || interface.threads > kMostThreads)
    return malformed("threads " + std::to_string(interface.threads) +
                     " is not 1 ... " + std::to_string(kMostThreads));
  return Status::success();
}

/// Strings are skipped.
bool runtime::nestsTooDeep(std::string_view text) {
  constexpr int kMaxDepth = 16;
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size() && depth <= kMaxDepth; ++i) {
    char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString)
      i += c == '\\'; // what is escaped ends nothing
    else if (c == '[' || c == '{')
      ++depth;
    else if (c == ']' || c == '}')
      --depth;
  }
  return depth > kMaxDepth;
}

Result<Interface> runtime::interfaceFromJson(std::string_view text) {
  if (nestsTooDeep(text))
    return malformed("nested too deeply");
  auto value = json::parse(llvm::StringRef(text.data(), text.size()));
  if (!value)
    return malformed(llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  auto version = object ? object->getInteger("version") : std::nullopt;
  if (!version)
    return malformed("no version");
  // The version is looked at first: nothing else is promised across versions.
  if (*version < 1 || *version > kInterfaceVersion)
    return otherVersion(*version);
  Interface interface;
  json::Path::Root root("interface");
  if (!fromJSON(*value, interface, root) ||
      (*version > 1 && !statesFromJson(*value, interface, root)))
    return malformed(llvm::toString(root.getError()));
  if (Status status = checkArena(interface); !status)
    return status.takeError();
  if (Status status = checkStates(interface); !status)
    return status.takeError();
  return interface;
}
