//===- Commands.cpp - commands of engines and their order -----------------===//

#include "tally/emit/routine/Commands.h"

#include "tally/emit/routine/Recording.h"
#include "tally/emit/routine/Scalars.h"

#include <algorithm>

using namespace tally;
using namespace tally::emit;
using isa::Opcode;

//===----------------------------------------------------------------------===//
// Staged fields
//===----------------------------------------------------------------------===//

/// Whether `cfg.i` can say `value`.
static bool fitsImmediate(int64_t value) {
  return -8192 <= value && value < 8192;
}

static bool isKnown(const Recording &recording, uint32_t queue, uint32_t field,
                    int64_t value) {
  return queue < recording.staged.size() &&
         field < recording.staged[queue].size() &&
         recording.staged[queue][field] == value &&
         !recording.options.longPaths;
}

/// By `far` if the value is beyond 14 bits.
static void stage(Scope &scope, uint32_t queue, uint32_t field, int64_t value,
                  const Scratch &far, Where where) {
  Routine &routine = scope.routine();
  Recording &recording = recordingOf(routine);
  if (isKnown(recording, queue, field, value))
    return;
  if (fitsImmediate(value) && !routine.options().longPaths)
    return routine.instruction(Opcode::CfgI, {queue, field, value}, where);
  setConstant(scope, far, static_cast<int32_t>(value), where);
  configure(scope, queue, field, Operand(far), where);
  if (!recording.failed())
    recording.staged[queue][field] = value;
}

void tally::emit::configure(Scope &scope, uint32_t queue, uint32_t field,
                            int64_t value, Where where) {
  Scratch far = scope.borrow("wide field", where);
  scope.routine().reserve(far, where);
  stage(scope, queue, field, value, far, where);
  scope.routine().keep(far, where);
}

void tally::emit::configure(Scope &scope, uint32_t queue, uint32_t field,
                            Operand value, Where where) {
  scope.routine().instruction(Opcode::CfgR, {queue, field, value}, where);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

Addend Addend::of(Scope &scope, int32_t bytes, Where where) {
  Addend result;
  result.own = std::make_shared<Scratch>(scope.borrow("addend", where));
  result.isReserved = bytes == 0 && !scope.routine().options().longPaths;
  if (result.isReserved) {
    scope.routine().reserve(*result.own, where);
    return result;
  }
  setConstant(scope, *result.own, bytes, where);
  result.operand = *result.own;
  return result;
}

/// The entry that the next instruction puts into `queue`.
static Pending next(Scope &scope, uint32_t queue) {
  const Recording &recording = recordingOf(scope.routine());
  if (queue >= recording.entries.size())
    return {queue, 0}; // refused by the instruction
  return {queue, recording.entries[queue]};
}

static bool isRuntime(const std::vector<RuntimeField> &runtime,
                      uint32_t field) {
  return std::ranges::count(runtime, field, &RuntimeField::field) != 0;
}

/// All fields that are not known to hold what the command says; one temporary
/// serves them all.
static void stageAll(Scope &scope, const isa::Command &command,
                     const std::vector<RuntimeField> &runtime, Where where) {
  Scratch far = scope.borrow("wide field", where);
  scope.routine().reserve(far, where);
  auto fields = isa::allFields(command.info().kind);
  for (uint32_t field = 0; field < fields.size(); ++field)
    if (!isRuntime(runtime, field))
      stage(scope, command.queue, field, command.config.get(field), far, where);
  scope.routine().keep(far, where);
  for (const RuntimeField &field : runtime) {
    if (field.isStaged)
      continue;
    Scratch sum = scope.borrow("field at run time", where);
    addConstant(scope, sum, field.value, field.plus, where);
    configure(scope, command.queue, field.field, sum, where);
  }
}

Pending tally::emit::issue(Scope &scope, const isa::Command &command,
                           const std::vector<RuntimeField> &runtime,
                           const Addend &first, const Addend &result,
                           Where where) {
  Routine &routine = scope.routine();
  Recording &recording = recordingOf(routine);
  uint32_t queue = command.queue;
  if (recording.failed())
    return {queue, 0};
  if (command.firstAddend != 0 || command.resultAddend != 0)
    recording.fail(emitFailure(FailureKind::Internal, "EMIT-5",
                               "the command issued at " + placeOf(where) +
                                   " has addends of its own",
                               "give them to issue() as registers"));
  if (queue < recording.machine.queues.size())
    if (Status status = checkCommand(command, recording.machine); !status) {
      Diagnostic failure = status.takeError();
      failure.message += ", issued at " + placeOf(where);
      recording.fail(std::move(failure));
      return {queue, 0};
    }
  stageAll(scope, command, runtime, where);
  Pending pending = next(scope, queue);
  routine.instruction(
      Opcode::Go, {queue, int64_t(command.code), first.operand, result.operand},
      where);
  for (const Addend *addend : {&first, &result})
    if (addend->isReserved)
      routine.hold(*addend->own, /*late=*/true);
  return pending;
}

Result<isa::Command>
tally::emit::copyCommand(uint32_t queue, const std::array<int64_t, 4> &sizes,
                         int64_t elementBytes, const CopySide &source,
                         const CopySide &destination) {
  using isa::DmaField;
  isa::Command command;
  command.queue = queue;
  auto set = [&](DmaField first, size_t place, int64_t value) {
    return command.config.set(
        static_cast<uint32_t>(first) + static_cast<uint32_t>(place), value);
  };
  Status status = set(DmaField::Element, 0, elementBytes);
  const std::pair<DmaField, const CopySide *> sides[] = {
      {DmaField::SrcSpace, &source}, {DmaField::DstSpace, &destination}};
  for (auto [space, side] : sides) {
    if (status)
      status = set(space, 0, side->space);
    if (status)
      status = set(space, 1, side->offset);
    for (size_t dimension = 0; dimension < 4 && status; ++dimension)
      status = set(space, 2 + dimension, side->strides[dimension]);
  }
  for (size_t dimension = 0; dimension < 4 && status; ++dimension)
    status = set(DmaField::Size0, dimension, sizes[dimension]);
  if (!status)
    return status.takeError();
  return command;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static Pending entry(Scope &scope, Opcode opcode, uint32_t queue,
                     std::vector<Routine::Argument> operands, Where where) {
  Pending pending = next(scope, queue);
  operands.insert(operands.begin(), int64_t(queue));
  scope.routine().instruction(opcode, std::move(operands), where);
  return pending;
}

Pending tally::emit::signal(Scope &scope, uint32_t queue, uint32_t sync,
                            Where where) {
  return entry(scope, Opcode::Signal, queue, {sync}, where);
}

Pending tally::emit::waitReached(Scope &scope, uint32_t queue, uint32_t sync,
                                 int64_t threshold, Where where) {
  Routine &routine = scope.routine();
  bool hasLong = routine.machine().sync.scalarThresholds;
  if (!hasLong)
    return entry(scope, Opcode::WaitGe, queue, {sync, threshold}, where);
  Scratch far = scope.borrow("threshold", where);
  if (threshold < 1024 && !routine.options().longPaths) {
    routine.reserve(far, where);
    Pending pending =
        entry(scope, Opcode::WaitGe, queue, {sync, threshold}, where);
    routine.hold(far, /*late=*/true);
    return pending;
  }
  setConstant(scope, far, static_cast<int32_t>(threshold), where);
  return entry(scope, Opcode::WaitGeR, queue, {sync, far}, where);
}

Pending tally::emit::waitBehind(Scope &scope, uint32_t queue, uint32_t sync,
                                int64_t behind, Where where) {
  return entry(scope, Opcode::WaitRel, queue, {sync, behind}, where);
}

Pending tally::emit::take(Scope &scope, uint32_t queue, uint32_t sync,
                          Where where) {
  return entry(scope, Opcode::Take, queue, {sync}, where);
}

Pending tally::emit::test(Scope &scope, uint32_t queue, uint32_t sync,
                          Where where) {
  return entry(scope, Opcode::Test, queue, {sync}, where);
}

Pending tally::emit::clear(Scope &scope, uint32_t queue, uint32_t sync,
                           Where where) {
  return entry(scope, Opcode::Clear, queue, {sync}, where);
}

void tally::emit::reset(Scope &scope, uint32_t sync, Where where) {
  scope.routine().instruction(Opcode::Reset, {sync}, where);
}

void tally::emit::fence(Scope &scope, uint32_t queue, int64_t pending,
                        Where where) {
  scope.routine().instruction(Opcode::FenceQueue, {queue, pending}, where);
}

void tally::emit::fenceAll(Scope &scope, Where where) {
  scope.routine().instruction(Opcode::Fence, {}, where);
}

void tally::emit::waitFor(Scope &scope, const Pending &pending, Where where) {
  const Recording &recording = recordingOf(scope.routine());
  if (recording.failed())
    return;
  bool inOrder = recording.machine.engineOf(pending.queue).inOrder;
  int64_t behind = recording.entries[pending.queue] - pending.number - 1;
  // The operand has 10 bits.
  fence(scope, pending.queue,
        inOrder ? std::clamp<int64_t>(behind, 0, 1023) : 0, where);
}
