//===- MetadataParts.h - what both parts of the note use --------*- C++ -*-===//

#ifndef TALLY_EMIT_PROGRAM_METADATAPARTS_H
#define TALLY_EMIT_PROGRAM_METADATAPARTS_H

#include "tally/emit/program/Program.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace tally::isa {

inline constexpr std::string_view kUses[] = {"input", "output", "old-state",
                                             "new-state", "overwritten-state"};
inline constexpr std::string_view kDirections[] = {"in", "out", "both"};
inline constexpr std::string_view kSyncKinds[] = {"counter", "token", "flag"};
inline constexpr std::string_view kSyncKeys[] = {"global", "source",
                                                 "source-destination"};
inline constexpr std::string_view kCompares[] = {"absolute", "modular"};
inline constexpr std::string_view kKinds[] = {"dma", "matrix", "vector"};
inline constexpr std::string_view kTypes[] = {"i8",  "u8",  "i16", "u16",
                                              "i32", "i64", "f16", "f32"};

inline std::span<const std::string_view> namesOf(BufferUse) { return kUses; }
inline std::span<const std::string_view> namesOf(StatePolicy) {
  return policyNames();
}
inline std::span<const std::string_view> namesOf(machine::Direction) {
  return kDirections;
}
inline std::span<const std::string_view> namesOf(machine::SyncKind) {
  return kSyncKinds;
}
inline std::span<const std::string_view> namesOf(machine::SyncKey) {
  return kSyncKeys;
}
inline std::span<const std::string_view> namesOf(machine::SyncCompare) {
  return kCompares;
}
inline std::span<const std::string_view> namesOf(machine::EngineKind) {
  return kKinds;
}
inline std::span<const std::string_view> namesOf(machine::ElementType) {
  return kTypes;
}

template <typename Choice> llvm::StringRef nameOf(Choice choice) {
  return namesOf(choice)[size_t(choice)];
}

template <typename Choice>
bool readChoice(const llvm::json::Value &value, Choice &choice,
                llvm::json::Path path) {
  std::optional<llvm::StringRef> text = value.getAsString();
  for (size_t i = 0; text && i < namesOf(choice).size(); ++i)
    if (*text == llvm::StringRef(namesOf(choice)[i])) {
      choice = Choice(i);
      return true;
    }
  path.report("expected one of the format's names");
  return false;
}

/// JSON is UTF-8; what is not becomes U+FFFD.
inline std::string printable(const std::string &text) {
  return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text);
}

/// A state to the note and back.
llvm::json::Value stateToJson(const State &state);
bool fromJSON(const llvm::json::Value &value, State &state,
              llvm::json::Path path);

} // namespace tally::isa

namespace tally::machine {

inline bool fromJSON(const llvm::json::Value &value, ElementType &choice,
                     llvm::json::Path path) {
  return isa::readChoice(value, choice, path);
}

} // namespace tally::machine

#endif // TALLY_EMIT_PROGRAM_METADATAPARTS_H
