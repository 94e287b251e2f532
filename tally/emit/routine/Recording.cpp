//===- Recording.cpp - who owns the scratch registers of a routine --------===//
//
// A borrow is a slot with a generation. Giving a slot back makes the next
// generation, so an operand that was copied from a handle does not match any
// more, whoever has the slot then:
//
//   borrow        slot 0, generation 0     operand {0, 0}
//   give back     slot 0, generation 1     operand {0, 0} is refused
//   borrow again  slot 0, generation 1
//
//===----------------------------------------------------------------------===//

#include "tally/emit/routine/Recording.h"

using namespace tally;
using namespace tally::emit;

Diagnostic tally::emit::emitFailure(FailureKind kind, const char *rule,
                                    std::string message, std::string hint) {
  Diagnostic failure;
  failure.kind = kind;
  failure.rule = rule;
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

std::string tally::emit::placeOf(std::source_location where) {
  std::string_view file = where.file_name();
  return std::string(file.substr(file.find_last_of('/') + 1)) + ":" +
         std::to_string(where.line());
}

Recording::Recording(const machine::Machine &machine,
                     const RoutineOptions &options)
    : machine(machine), options(options), entries(machine.queues.size()) {
  // A program starts with all fields as the table says.
  for (uint32_t queue = 0; queue < machine.queues.size(); ++queue) {
    auto fields = isa::allFields(machine.engineOf(queue).kind);
    staged.emplace_back();
    for (const isa::FieldInfo &field : fields)
      staged.back().push_back(field.initial);
  }
}

void Recording::fail(Diagnostic diagnostic) {
  if (!failed())
    failure = std::move(diagnostic);
}

Tag Recording::borrow(uint32_t scope, std::string role, std::string where) {
  if (freeSlots.empty()) {
    freeSlots.push_back(static_cast<uint32_t>(slots.size()));
    slots.emplace_back();
  }
  uint32_t slot = freeSlots.back();
  freeSlots.pop_back();
  slots[slot].isBorrowed = true;
  Tag tag{slot, slots[slot].generation};
  valueOf[tag] = static_cast<ValueIndex>(values.size());
  values.push_back({tag, scope, std::move(role), std::move(where), ""});
  scopes[scope].lent.push_back(tag);
  return tag;
}

bool Recording::isBorrowed(Tag tag) const {
  return slots[tag.slot].isBorrowed &&
         slots[tag.slot].generation == tag.generation;
}

void Recording::giveBack(Tag tag, const std::string &how) {
  if (!isBorrowed(tag))
    return;
  slots[tag.slot].isBorrowed = false;
  freeSlots.push_back(tag.slot);
  ++slots[tag.slot].generation;
  values[valueOf[tag]].ended = how;
}

std::optional<ValueIndex> Recording::resolve(const Operand &operand,
                                             const std::string &user) {
  if (operand.isGone) {
    fail(emitFailure(FailureKind::Internal, "EMIT-1",
                     "'" + user +
                         "' uses a handle that was moved away or "
                         "given back",
                     "use the handle it was moved to"));
    return std::nullopt;
  }
  if (operand.recording != this) {
    fail(emitFailure(FailureKind::Internal, "EMIT-4",
                     "'" + user + "' uses a register of another routine",
                     "pass values between routines in the context"));
    return std::nullopt;
  }
  ValueIndex value = valueOf[operand.tag];
  if (isBorrowed(operand.tag))
    return value;
  const BorrowedValue &gone = values[value];
  fail(emitFailure(FailureKind::Internal, "EMIT-1",
                   "'" + user + "' uses '" + gone.role + "' (" + gone.where +
                       "), whose borrow has ended: " + gone.ended,
                   "keep the handle in a scope that lives as long"));
  return std::nullopt;
}

Body &Recording::currentBody() {
  if (openBodies.empty())
    return body;
  Node &node = nodes[openBodies.back().node];
  return openBodies.back().otherwise ? node.otherwise : node.body;
}

NodeIndex Recording::add(Node node, std::string_view what,
                         const std::string &where) {
  NodeIndex index = static_cast<NodeIndex>(nodes.size());
  node.name = std::string(what) + "@" + where + "#" + std::to_string(index);
  node.modelNode = static_cast<uint32_t>(modelNodes.size()) - 1;
  nodes.push_back(std::move(node));
  currentBody().push_back(index);
  return index;
}

void Recording::forgetStaged() {
  for (auto &fields : staged)
    for (auto &field : fields)
      field.reset();
}
