//===- SegmentFile.cpp - a model in segments ------------------------------===//

#include "tally/runtime/SegmentFile.h"
#include "tally/runtime/TensorJson.h"
#include "tally/support/ReadFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <fstream>

using namespace tally;
using namespace tally::runtime;
namespace json = llvm::json;

static constexpr const char *kManifest = "manifest.json";

static tally::Diagnostic broken(const char *rule, std::string message,
                                FailureKind kind = FailureKind::Model) {
  tally::Diagnostic failure;
  failure.kind = kind;
  failure.rule = rule;
  failure.message = "model in segments: " + std::move(message);
  return failure;
}

static llvm::StringRef text(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

bool runtime::beginsLikeSegments(std::span<const uint8_t> bytes) {
  llvm::StringRef rest = text(bytes);
  return rest.consume_front("!<arch>\n") && rest.consume_front(kManifest) &&
         rest.starts_with("/");
}

bool runtime::looksLikeSegments(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  char head[64] = {};
  file.read(head, sizeof head);
  return beginsLikeSegments(
      {reinterpret_cast<uint8_t *>(head), static_cast<size_t>(file.gcount())});
}

std::vector<TensorInterface>
SegmentFile::interfaceOf(const std::vector<Port> &ports) const {
  std::vector<TensorInterface> result;
  for (const Port &port : ports) {
    result.push_back(tensors[static_cast<size_t>(port.tensor)]);
    result.back().name = port.name;
  }
  return result;
}

size_t SegmentFile::ownInputs() const {
  return inputs.size() - static_cast<size_t>(llvm::count_if(
                             states.states, [](const StateInterface &state) {
                               return state.isRead;
                             }));
}

size_t SegmentFile::ownOutputs() const {
  return outputs.size() - static_cast<size_t>(llvm::count_if(
                              states.states, [](const StateInterface &state) {
                                return state.isWritten;
                              }));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writePorts(json::OStream &os, const char *key,
                       const std::vector<Port> &ports) {
  os.attributeArray(key, [&] {
    for (const Port &port : ports)
      os.object([&] {
        os.attribute("name", json::fixUTF8(port.name));
        os.attribute("tensor", port.tensor);
      });
  });
}

/// Of code, in hexadecimal digits: JSON's numbers do not hold 64 bits.
static std::string hashOf(llvm::StringRef code) {
  return "0x" + llvm::utohexstr(llvm::xxh3_64bits(code), /*LowerCase=*/true,
                                /*Width=*/16);
}

static void writeSegment(json::OStream &os, const Segment &segment) {
  os.attribute("target", segment.target);
  os.attribute("member", segment.member);
  if (segment.isHost())
    os.attribute("hash", hashOf(text(segment.code)));
  os.attributeArray("nodes", [&] {
    for (const std::string &node : segment.nodes)
      os.value(json::fixUTF8(node));
  });
  for (auto [key, list] : {std::pair("inputs", &segment.inputs),
                           std::pair("outputs", &segment.outputs)})
    os.attributeArray(key, [&, list = list] {
      for (int64_t tensor : *list)
        os.value(tensor);
    });
  os.attributeArray("reasons", [&] {
    for (const HostReason &reason : segment.reasons)
      os.object([&] {
        os.attribute("node", json::fixUTF8(reason.node));
        os.attribute("rule", reason.rule);
        os.attribute("message", json::fixUTF8(reason.message));
      });
  });
}

static std::string manifestOf(const SegmentFile &file) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  json::OStream os(stream, 1);
  os.object([&] {
    os.attribute("version", kSegmentsVersion);
    os.attribute("producer", json::fixUTF8(file.producer));
    os.attribute("model", json::fixUTF8(file.model));
    os.attributeArray("tensors", [&] {
      for (const TensorInterface &tensor : file.tensors)
        writeTensor(os, tensor);
    });
    writePorts(os, "inputs", file.inputs);
    writePorts(os, "outputs", file.outputs);
    os.attributeArray("segments", [&] {
      for (const Segment &segment : file.segments)
        os.object([&] { writeSegment(os, segment); });
    });
    if (!file.states.states.empty()) {
      os.attributeBegin("states");
      os.rawValue(llvm::StringRef(toJson(file.states)).trim());
      os.attributeEnd();
    }
  });
  stream << "\n";
  return result;
}

Result<std::vector<uint8_t>> runtime::writeSegments(const SegmentFile &file) {
  std::string manifest = manifestOf(file);
  std::vector<llvm::NewArchiveMember> members;
  members.emplace_back(llvm::MemoryBufferRef(manifest, kManifest));
  for (const Segment &segment : file.segments)
    members.emplace_back(
        llvm::MemoryBufferRef(text(segment.code), segment.member));
  // A table of symbols would come before the manifest.
  auto archive = llvm::writeArchiveToBuffer(
      members, llvm::SymtabWritingMode::NoSymtab, llvm::object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return broken("SEG-1", llvm::toString(archive.takeError()),
                  FailureKind::Internal);
  llvm::StringRef bytes = (*archive)->getBuffer();
  return std::vector<uint8_t>(bytes.bytes_begin(), bytes.bytes_end());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace tally::runtime {
/// Found by argument-dependent lookup of json::ObjectMapper.
static bool fromJSON(const json::Value &value, Port &port, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", port.name) && map.map("tensor", port.tensor);
}

static bool fromJSON(const json::Value &value, HostReason &reason,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("node", reason.node) && map.map("rule", reason.rule) &&
         map.map("message", reason.message);
}

static bool fromJSON(const json::Value &value, Segment &segment,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("target", segment.target) &&
         map.map("member", segment.member) && map.map("nodes", segment.nodes) &&
         map.map("inputs", segment.inputs) &&
         map.map("outputs", segment.outputs) &&
         map.map("reasons", segment.reasons);
}

static bool fromJSON(const json::Value &value, SegmentFile &file,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("producer", file.producer) &&
         map.map("model", file.model) && map.map("tensors", file.tensors) &&
         map.map("inputs", file.inputs) && map.map("outputs", file.outputs) &&
         map.map("segments", file.segments);
}
} // namespace tally::runtime

/// None when the manifest has none.
static Status readStates(const json::Value *value, SegmentFile &file) {
  if (!value)
    return Status::success();
  std::string text;
  llvm::raw_string_ostream(text) << *value;
  auto states = interfaceFromJson(text);
  if (!states)
    return states.takeError();
  file.states = std::move(*states);
  return Status::success();
}

/// The manifest's JSON, of this version.
static Result<json::Value> readManifest(llvm::StringRef manifest) {
  if (nestsTooDeep(manifest))
    return broken("SEG-2", "the manifest nests too deeply");
  auto value = json::parse(manifest);
  if (!value)
    return broken("SEG-2", llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  auto version = object ? object->getInteger("version") : std::nullopt;
  if (!version)
    return broken("SEG-2", "the manifest has no version");
  if (*version != kSegmentsVersion)
    return broken("SEG-3",
                  "made in format version " + std::to_string(*version) +
                      ", this is version " + std::to_string(kSegmentsVersion),
                  FailureKind::Unsupported);
  return std::move(*value);
}

static Result<SegmentFile> fileFrom(const json::Value &manifest) {
  SegmentFile file;
  json::Path::Root root("manifest");
  if (!fromJSON(manifest, file, root))
    return broken("SEG-2", llvm::toString(root.getError()));
  if (Status status = readStates(manifest.getAsObject()->get("states"), file);
      !status)
    return status.takeError();
  return file;
}

namespace {
/// Follows the tensors through the segments: SEG-4.
class TensorUse {
public:
  explicit TensorUse(size_t tensors) : isMade(tensors) {}

  Status make(int64_t tensor) {
    if (isIn(tensor) && !isMade[static_cast<size_t>(tensor)]) {
      isMade[static_cast<size_t>(tensor)] = true;
      return Status::success();
    }
    return broken("SEG-4", "tensor " + std::to_string(tensor) +
                               " is made twice, or there is none");
  }
  Status read(int64_t tensor) const {
    if (isIn(tensor) && isMade[static_cast<size_t>(tensor)])
      return Status::success();
    return broken("SEG-4", "tensor " + std::to_string(tensor) +
                               " is read before it is made");
  }

private:
  bool isIn(int64_t tensor) const {
    return tensor >= 0 && tensor < static_cast<int64_t>(isMade.size());
  }
  std::vector<bool> isMade;
};
} // namespace

static Status checkUse(const SegmentFile &file) {
  TensorUse use(file.tensors.size());
  for (const Port &port : file.inputs)
    if (Status status = use.make(port.tensor); !status)
      return status;
  for (const Segment &segment : file.segments) {
    for (int64_t tensor : segment.inputs)
      if (Status status = use.read(tensor); !status)
        return status;
    for (int64_t tensor : segment.outputs)
      if (Status status = use.make(tensor); !status)
        return status;
  }
  for (const Port &port : file.outputs)
    if (Status status = use.read(port.tensor); !status)
      return status;
  return Status::success();
}

/// SEG-6: the ports of old, or new, values hold them.
static Status checkPorts(const SegmentFile &file,
                         const std::vector<Port> &ports, const char *what,
                         bool StateInterface::*isUsed) {
  std::vector<const StateInterface *> used;
  for (const StateInterface &state : file.states.states)
    if (state.*isUsed)
      used.push_back(&state);
  if (used.size() > ports.size())
    return broken("SEG-6", std::to_string(used.size()) + " states have " +
                               std::to_string(ports.size()) + " " + what);
  for (size_t i = 0; i < used.size(); ++i) {
    const Port &port = ports[ports.size() - used.size() + i];
    const TensorInterface &tensor =
        file.tensors[static_cast<size_t>(port.tensor)];
    if (tensor.element != used[i]->tensor.element ||
        tensor.shape != used[i]->tensor.shape)
      return broken("SEG-6", "state '" + used[i]->tensor.name +
                                 "' is no tensor '" + tensor.name + "'");
  }
  return Status::success();
}

static Status checkStatePorts(const SegmentFile &file) {
  for (const StateInterface &state : file.states.states)
    if (state.isOverwritten())
      return broken("SEG-6", "state '" + state.tensor.name +
                                 "' is written over its old value");
  if (Status status =
          checkPorts(file, file.inputs, "inputs", &StateInterface::isRead);
      !status)
    return status;
  return checkPorts(file, file.outputs, "outputs", &StateInterface::isWritten);
}

using Members = llvm::StringMap<llvm::StringRef>;

/// Adds a member of the archive; what is wrong with it, or nothing.
static std::optional<std::string>
addMember(const llvm::object::Archive::Child &child, Members &members) {
  auto name = child.getName();
  if (!name)
    return llvm::toString(name.takeError());
  auto contents = child.getBuffer();
  if (!contents)
    return llvm::toString(contents.takeError());
  if (!members.try_emplace(*name, *contents).second)
    return "two members are called '" + name->str() + "'";
  return std::nullopt;
}

static Result<Members> membersOf(llvm::StringRef bytes) {
  llvm::Error error = llvm::Error::success();
  llvm::object::Archive archive(llvm::MemoryBufferRef(bytes, "archive"), error);
  if (error)
    return broken("SEG-1", llvm::toString(std::move(error)));
  Members members;
  for (const auto &child : archive.children(error))
    if (auto problem = addMember(child, members)) {
      llvm::consumeError(std::move(error));
      return broken("SEG-1", *problem);
    }
  if (error)
    return broken("SEG-1", llvm::toString(std::move(error)));
  return members;
}

/// SEG-7: whether `code` is what the manifest was made for.
static Status checkCode(const Segment &segment, const json::Object &listed,
                        llvm::StringRef code) {
  if (!segment.isHost() || listed.getString("hash") == hashOf(code))
    return Status::success();
  tally::Diagnostic failure =
      broken("SEG-7", "the code in '" + segment.member +
                          "' is not what was written: it is damaged, or "
                          "another tool changed it");
  failure.hint = "compile the model again";
  return failure;
}

/// Each segment gets its member's bytes: SEG-4, SEG-7.
static Status fillCode(SegmentFile &file, const json::Array &listed,
                       Members &members) {
  for (auto [i, segment] : llvm::enumerate(file.segments)) {
    auto member = members.find(segment.member);
    if (member == members.end())
      return broken("SEG-4",
                    "no member '" + segment.member + "' is left for a segment");
    llvm::StringRef bytes = member->second;
    if (Status status = checkCode(segment, *listed[i].getAsObject(), bytes);
        !status)
      return status;
    segment.code.assign(bytes.bytes_begin(), bytes.bytes_end());
    members.erase(member);
  }
  return Status::success();
}

static Result<SegmentFile> parse(std::span<const uint8_t> bytes) {
  if (!beginsLikeSegments(bytes))
    return broken("SEG-1", "it is no archive that begins with manifest.json");
  auto members = membersOf(text(bytes));
  if (!members)
    return members.takeError();
  auto manifest = readManifest(members->lookup(kManifest));
  if (!manifest)
    return manifest.takeError();
  auto file = fileFrom(*manifest);
  if (!file)
    return file;
  members->erase(kManifest);
  if (Status status = checkUse(*file); !status)
    return status.takeError();
  if (Status status = checkStatePorts(*file); !status)
    return status.takeError();
  const json::Array &listed = *manifest->getAsObject()->getArray("segments");
  if (Status status = fillCode(*file, listed, *members); !status)
    return status.takeError();
  return file;
}

Result<SegmentFile> runtime::parseSegments(std::span<const uint8_t> bytes,
                                           const std::string &name) {
  auto file = parse(bytes);
  if (file)
    return file;
  tally::Diagnostic failure = file.takeError();
  failure.file = name;
  return failure;
}

Result<SegmentFile> runtime::readSegments(const std::string &path) {
  auto bytes = readFile(path);
  return bytes ? parseSegments(*bytes, path) : bytes.takeError();
}
