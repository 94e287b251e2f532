//===- ControlFlow.cpp - recording loops and branches ---------------------===//
//
// A loop counts down, so that its end needs no other register:
//
//     counter = trips
//     if (counter == 0) skip        only if nobody knows the trips
//   head:
//     body
//     counter -= 1
//     if (counter != 0) go to head
//
// Its body is recorded once and stands for every trip. At its head only those
// staged fields are known that the caller says the body keeps: what the first
// trip finds the others need not. At its end that is checked.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/routine/Recording.h"
#include "tally/emit/routine/Scalars.h"

using namespace tally;
using namespace tally::emit;

static void runBody(Recording &recording, Scope &outer, NodeIndex node,
                    bool otherwise, const std::string &name,
                    const std::function<void(Scope &)> &body,
                    const std::function<void()> &last = nullptr) {
  recording.openBodies.push_back({node, otherwise});
  {
    Scope scope(outer.routine(), name);
    body(scope);
  }
  if (last)
    last();
  recording.openBodies.pop_back();
}

/// What is known of `fields`, and of no others.
static Staged knownOf(const Recording &recording, const StagedFields &fields) {
  Staged known;
  for (const auto &queue : recording.staged)
    known.emplace_back(queue.size());
  for (auto [queue, field] : fields)
    known[queue][field] = recording.staged[queue][field];
  return known;
}

/// EMIT-9.
static void checkKept(Recording &recording, const Staged &head,
                      const StagedFields &kept, const std::string &loop) {
  for (auto [queue, field] : kept) {
    if (head[queue][field] &&
        recording.staged[queue][field] != head[queue][field])
      return recording.fail(emitFailure(
          FailureKind::Internal, "EMIT-9",
          "loop '" + loop + "' does not keep field " + std::to_string(field) +
              " of queue " + std::to_string(queue),
          "stage at the end of its body what it holds before the loop"));
  }
}

/// The loop behind the instructions that set `counter`.
static void countDown(Scope &scope, const Scratch &counter, int64_t trips,
                      const std::string &name, const StagedFields &kept,
                      const std::function<void(Scope &)> &body, Where where) {
  Recording &recording = recordingOf(scope.routine());
  std::optional<ValueIndex> value = recording.resolve(counter, name);
  if (recording.failed())
    return;
  Node loop;
  loop.kind = NodeKind::Loop;
  loop.held = {{*value, false}};
  loop.trips = trips;
  NodeIndex node =
      recording.add(std::move(loop), "loop:" + name, placeOf(where));
  Staged head = knownOf(recording, kept);
  recording.staged = head;
  ++recording.epoch;
  std::vector<int64_t> before = recording.entries;
  runBody(recording, scope, node, false, name, body, [&] {
    scope.routine().instruction(isa::Opcode::Addi, {counter, counter, -1},
                                where);
  });
  ++recording.epoch;
  checkKept(recording, head, kept, name);
  if (trips != kUnknownTrips)
    return;
  recording.forgetStaged();
  recording.entries = before;
}

void tally::emit::loop(Scope &scope, int64_t trips, const std::string &name,
                       const std::function<void(Scope &)> &body, Where where) {
  loop(scope, trips, name, StagedFields(), body, where);
}

void tally::emit::loop(Scope &scope, int64_t trips, const std::string &name,
                       const StagedFields &kept,
                       const std::function<void(Scope &)> &body, Where where) {
  Recording &recording = recordingOf(scope.routine());
  if (recording.failed())
    return;
  if (trips < 0 || trips > INT32_MAX)
    return recording.fail(emitFailure(
        FailureKind::Internal, "EMIT-5",
        "loop '" + name + "' at " + placeOf(where) + " makes " +
            std::to_string(trips) + " trips; 0 to 2147483647 can be counted"));
  if (trips == 0)
    return;
  Scope own(scope.routine(), name);
  if (trips == 1)
    return body(own);
  Scratch counter = own.borrow("counter of loop " + name, where);
  setConstant(own, counter, static_cast<int32_t>(trips), where);
  countDown(own, counter, trips, name, kept, body, where);
}

void tally::emit::loop(Scope &scope, Operand trips, const std::string &name,
                       const std::function<void(Scope &)> &body, Where where) {
  if (recordingOf(scope.routine()).failed())
    return;
  Scope own(scope.routine(), name);
  Scratch counter = own.borrow("counter of loop " + name, where);
  scope.routine().instruction(isa::Opcode::Addi, {counter, trips, 0}, where);
  countDown(own, counter, kUnknownTrips, name, {}, body, where);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static isa::Opcode branchOf(Relation relation) {
  constexpr isa::Opcode opcodes[] = {isa::Opcode::Beq,  isa::Opcode::Bne,
                                     isa::Opcode::Blt,  isa::Opcode::Bge,
                                     isa::Opcode::Bltu, isa::Opcode::Bgeu};
  return opcodes[static_cast<size_t>(relation)];
}

/// What both ways know.
static void meet(Recording &recording, const Staged &staged,
                 const std::vector<int64_t> &entries) {
  for (size_t queue = 0; queue < staged.size(); ++queue) {
    recording.entries[queue] =
        std::min(recording.entries[queue], entries[queue]);
    for (size_t field = 0; field < staged[queue].size(); ++field)
      if (recording.staged[queue][field] != staged[queue][field])
        recording.staged[queue][field].reset();
  }
}

void tally::emit::branch(Scope &scope, Operand a, Relation relation, Operand b,
                         const std::function<void(Scope &)> &then,
                         const std::function<void(Scope &)> &otherwise,
                         Where where) {
  Recording &recording = recordingOf(scope.routine());
  if (recording.failed())
    return;
  Node node;
  node.kind = NodeKind::If;
  node.instruction.opcode = branchOf(relation);
  std::string user = "branch@" + placeOf(where);
  for (size_t at = 0; at < 2; ++at) {
    const Operand &operand = at == 0 ? a : b;
    if (operand.isZero())
      continue;
    std::optional<ValueIndex> value = recording.resolve(operand, user);
    if (!value)
      return;
    node.instruction.operands[at] = 1 + int64_t(*value);
  }
  NodeIndex index = recording.add(std::move(node), "if", placeOf(where));
  Staged staged = recording.staged;
  std::vector<int64_t> entries = recording.entries;
  runBody(recording, scope, index, false, "then", then);
  std::swap(staged, recording.staged);
  std::swap(entries, recording.entries);
  ++recording.epoch;
  if (otherwise)
    runBody(recording, scope, index, true, "else", otherwise);
  ++recording.epoch;
  meet(recording, staged, entries);
}
