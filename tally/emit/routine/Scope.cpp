//===- Scope.cpp - handles and the scopes that lend them ------------------===//

#include "tally/emit/routine/Recording.h"

#include <algorithm>

using namespace tally;
using namespace tally::emit;

static Diagnostic internal(const char *rule, std::string message,
                           std::string hint) {
  return emitFailure(FailureKind::Internal, rule, std::move(message),
                     std::move(hint));
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

Scratch::Scratch(std::shared_ptr<Recording> recording, Tag tag)
    : recording(std::move(recording)), tag(tag) {}

Scratch::Scratch(Scratch &&other) noexcept
    : recording(std::move(other.recording)), tag(other.tag) {
  other.recording = nullptr;
}

Scratch &Scratch::operator=(Scratch &&other) noexcept {
  if (this == &other)
    return *this;
  release();
  recording = std::move(other.recording);
  tag = other.tag;
  other.recording = nullptr;
  return *this;
}

Scratch::~Scratch() { release(); }

void Scratch::release() {
  if (recording)
    recording->giveBack(tag, "its handle gave it back");
  recording = nullptr;
}

Operand::Operand(const Scratch &scratch)
    : recording(scratch.recording.get()), isGone(!scratch.recording),
      tag(scratch.tag) {}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

Scope::Scope(Routine &routine, std::string name) : owner(routine) {
  Recording &recording = recordingOf(routine);
  id = static_cast<uint32_t>(recording.scopes.size());
  recording.scopes.push_back({std::move(name)});
  recording.openScopes.push_back(id);
}

Scope::~Scope() {
  Recording &recording = recordingOf(owner);
  if (!recording.scopes[id].isOpen)
    return;
  if (Status status = close(); !status)
    recording.fail(status.takeError());
}

Scratch Scope::borrow(std::string role, Where where) {
  Recording &recording = recordingOf(owner);
  const OpenScope &scope = recording.scopes[id];
  if (!scope.isOpen)
    recording.fail(internal("EMIT-1",
                            "'" + role + "' (" + placeOf(where) +
                                ") is borrowed from scope '" + scope.name +
                                "', which is closed",
                            "borrow from a scope that is open"));
  Tag tag = recording.borrow(id, std::move(role), placeOf(where));
  return Scratch(owner.recording, tag);
}

Status Scope::release(Scratch &&scratch) {
  Recording &recording = recordingOf(owner);
  const std::string &name = recording.scopes[id].name;
  if (!scratch.recording)
    return internal("EMIT-1",
                    "scope '" + name +
                        "' is given a handle that was moved "
                        "away or given back",
                    "release a handle once");
  if (scratch.recording.get() != &recording)
    return internal("EMIT-4",
                    "scope '" + name + "' is given a handle of another routine",
                    "release it in the routine that lent it");
  const BorrowedValue &value = recording.values[recording.valueOf[scratch.tag]];
  if (!value.ended.empty())
    return internal("EMIT-1",
                    "scope '" + name + "' is given '" + value.role + "' (" +
                        value.where +
                        "), whose borrow has ended: " + value.ended,
                    "release a handle once");
  if (value.scope != id)
    return internal("EMIT-2",
                    "scope '" + name + "' is given '" + value.role + "' (" +
                        value.where + "), which scope '" +
                        recording.scopes[value.scope].name + "' has lent",
                    "release it there");
  scratch.release();
  return Status::success();
}

Status Scope::close() {
  Recording &recording = recordingOf(owner);
  OpenScope &scope = recording.scopes[id];
  if (!scope.isOpen)
    return internal("EMIT-3", "scope '" + scope.name + "' is closed twice",
                    "close it once");
  if (recording.openScopes.back() != id)
    return internal("EMIT-3",
                    "scope '" + scope.name + "' is closed while '" +
                        recording.scopes[recording.openScopes.back()].name +
                        "', opened inside, is open",
                    "close the inner one first");
  recording.openScopes.pop_back();
  scope.isOpen = false;
  for (Tag tag : scope.lent)
    recording.giveBack(tag, "scope '" + scope.name + "' has closed");
  return Status::success();
}
