//===- Record.cpp - planned commands as instructions ----------------------===//
//
// Each command: its waits, what it stages that the engine does not hold yet,
// `go`, its signals. Where a group of commands comes again and a loop around it
// is shorter, it is recorded once:
//
//   li   x6, 4096                 x6: the source's offset
//   li   x5, 7                    seven bands
// head:
//   cfg.r load0, src.offset, x6
//   go   load0, copy
//   ...
//   addi x6, x6, 512
//   addi x5, x5, -1
//   bne  x5, x0, head
//
// The queues get the same entries with the same fields in the same order, and
// waits hold for the same numbers of signals: synchronization is the plan's.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/routine/Commands.h"
#include "tally/emit/routine/Scalars.h"
#include "tally/emit/stream/Choose.h"

#include "llvm/ADT/STLFunctionalExtras.h"

using namespace tally;
using namespace tally::emit;
using isa::Opcode;

namespace {
class Recorder {
public:
  Recorder(const Stream &stream, const machine::Machine &machine)
      : stream(stream), machine(machine), routine(machine),
        loops(chooseLoops(stream, machine)) {}
  Result<Code> run();

private:
  using Registers = std::vector<Scratch>;

  void recordLoop(const Loop &loop);
  void recordPlace(Scope &scope, const Loop &loop, size_t place,
                   const Registers &registers);
  void recordCommand(const PlannedCommand &planned);
  void issueMoving(Scope &scope, const PlannedCommand &planned);
  void checkTrips(const Repeat &repeat);

  StagedFields keep(Scope &scope, const Repeat &repeat);
  /// `read` reads the number at once.
  void withNumber(Scope &scope, const InductionUse &use,
                  const Registers &registers,
                  llvm::function_ref<void(Operand)> read);
  void step(Scope &scope, const Loop &loop, const Registers &registers);
  void resetAll(Scope &scope, const std::vector<uint32_t> &registers);
  void begin(Scope &scope, const PlannedCommand &planned);
  void wait(Scope &scope, uint32_t queue, const PlannedWait &wait);
  void waitInLoop(Scope &scope, uint32_t queue, const PlannedWait &wait,
                  const LoopWait &form, const Registers &registers);
  void end(Scope &scope, const PlannedCommand &planned);

  const Stream &stream;
  const machine::Machine &machine;
  Routine routine;
  std::vector<Loop> loops;
  Status failure; ///< of a command that no trip but the first has
};
} // namespace

//===----------------------------------------------------------------------===//
// Around a command
//===----------------------------------------------------------------------===//

void Recorder::resetAll(Scope &scope, const std::vector<uint32_t> &registers) {
  fenceAll(scope);
  for (uint32_t reg : registers)
    reset(scope, reg);
}

void Recorder::begin(Scope &scope, const PlannedCommand &planned) {
  routine.beginNode(stream.nodes[planned.node]);
  if (planned.drains)
    resetAll(scope, stream.registers);
}

void Recorder::wait(Scope &scope, uint32_t queue, const PlannedWait &wait) {
  switch (machine.sync.kind) {
  case machine::SyncKind::Counter:
    // The plan keeps thresholds within an immediate (schedule/Plans.cpp).
    routine.instruction(Opcode::WaitGe,
                        {int64_t(queue), int64_t(wait.reg), wait.threshold});
    return;
  case machine::SyncKind::Token:
    (void)take(scope, queue, wait.reg);
    return;
  case machine::SyncKind::Flag:
    (void)test(scope, queue, wait.reg);
    return;
  }
}

void Recorder::end(Scope &scope, const PlannedCommand &planned) {
  for (uint32_t reg : planned.signals)
    (void)signal(scope, planned.command.queue, reg);
}

void Recorder::recordCommand(const PlannedCommand &planned) {
  Scope scope(routine, stream.nodes[planned.node]);
  uint32_t queue = planned.command.queue;
  begin(scope, planned);
  for (const PlannedWait &before : planned.waits)
    wait(scope, queue, before);
  for (uint32_t reg : planned.clears)
    (void)clear(scope, queue, reg);
  issueMoving(scope, planned);
  end(scope, planned);
}

/// register = what `moving` adds to the command's own offset, and that.
static Scratch movedOffset(Scope &scope, const PlannedCommand &planned,
                           const MovingField &moving) {
  Scratch word = scope.borrow("word of the context");
  ContextWord(scope, Operand(), static_cast<int32_t>(moving.word)).load(word);
  Scratch offset = scope.borrow("moving offset");
  scale(scope, offset, word, static_cast<int32_t>(moving.step));
  word.release();
  Scratch sum = scope.borrow("moved offset");
  addConstant(scope, sum, offset,
              static_cast<int32_t>(planned.command.config.get(moving.field)));
  return sum;
}

void Recorder::issueMoving(Scope &scope, const PlannedCommand &planned) {
  std::vector<RuntimeField> staged;
  for (const MovingField &moving : planned.moving) {
    configure(scope, planned.command.queue, moving.field,
              movedOffset(scope, planned, moving));
    staged.push_back({.field = moving.field, .isStaged = true});
  }
  (void)issue(scope, planned.command, staged);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Fields that hold the same at each head, staged before the loop: those of
/// queues that are not in it, and those that the body leaves as it finds them.
StagedFields Recorder::keep(Scope &scope, const Repeat &repeat) {
  StagedFields kept;
  for (const KeptField &field : keptFields(stream, repeat)) {
    configure(scope, field.queue, field.field, field.value);
    kept.push_back({field.queue, field.field});
  }
  std::vector<bool> isUsed(machine.queues.size());
  for (size_t place = 0; place < repeat.period; ++place)
    isUsed[stream.commands[repeat.first + place].command.queue] = true;
  for (uint32_t queue = 0; queue < isUsed.size(); ++queue) {
    auto fields = isa::allFields(machine.engineOf(queue).kind).size();
    for (uint32_t field = 0; field < fields && !isUsed[queue]; ++field)
      kept.push_back({queue, field});
  }
  return kept;
}

/// issue() sees the first trip's commands.
void Recorder::checkTrips(const Repeat &repeat) {
  for (size_t i = repeat.period; i < repeat.period * repeat.trips; ++i)
    if (failure)
      failure =
          checkCommand(stream.commands[repeat.first + i].command, machine);
}

/// to = from + number, with no other register.
static void addTo(Scope &scope, const Scratch &to, Operand from,
                  int32_t number) {
  bool fits = -2048 <= number && number < 2048;
  if (fits)
    return scope.routine().instruction(Opcode::Addi, {to, from, number});
  setConstant(scope, to, number);
  add(scope, to, to, from);
}

void Recorder::withNumber(Scope &scope, const InductionUse &use,
                          const Registers &registers,
                          llvm::function_ref<void(Operand)> read) {
  const Scratch &induction = registers[use.induction];
  if (use.plus == 0)
    return read(induction);
  Scratch sum = scope.borrow("sum");
  addTo(scope, sum, induction, use.plus);
  read(sum);
}

void Recorder::waitInLoop(Scope &scope, uint32_t queue, const PlannedWait &wait,
                          const LoopWait &form, const Registers &registers) {
  switch (form.form) {
  case WaitForm::Same:
    return this->wait(scope, queue, wait);
  case WaitForm::Behind:
    (void)waitBehind(scope, queue, wait.reg, form.behind);
    return;
  case WaitForm::Register:
    return withNumber(scope, form.threshold, registers, [&](Operand number) {
      routine.instruction(Opcode::WaitGeR,
                          {int64_t(queue), int64_t(wait.reg), number});
    });
  }
}

void Recorder::recordPlace(Scope &scope, const Loop &loop, size_t place,
                           const Registers &registers) {
  const PlannedCommand &planned = stream.commands[loop.repeat.first + place];
  const LoopPlace &changes = loop.places[place];
  uint32_t queue = planned.command.queue;
  begin(scope, planned);
  for (size_t i = 0; i < planned.waits.size(); ++i)
    waitInLoop(scope, queue, planned.waits[i], changes.waits[i], registers);
  for (uint32_t reg : planned.clears)
    (void)clear(scope, queue, reg);
  for (const SteppingField &field : changes.staged)
    withNumber(scope, field.value, registers, [&](Operand number) {
      configure(scope, queue, field.field, number);
    });
  std::vector<RuntimeField> stepping;
  for (uint32_t field : changes.stepping)
    stepping.push_back({.field = field, .isStaged = true});
  (void)issue(scope, planned.command, stepping);
  end(scope, planned);
}

void Recorder::step(Scope &scope, const Loop &loop,
                    const Registers &registers) {
  for (size_t i = 0; i < registers.size(); ++i)
    addConstant(scope, registers[i], registers[i],
                static_cast<int32_t>(loop.inductions[i].step));
}

void Recorder::recordLoop(const Loop &loop) {
  const Repeat &repeat = loop.repeat;
  const std::string &node = stream.nodes[stream.commands[repeat.first].node];
  routine.beginNode(node);
  checkTrips(repeat);
  Scope scope(routine, node);
  StagedFields kept = keep(scope, repeat);
  Registers registers;
  for (const Progression &induction : loop.inductions)
    registers.push_back(constant(scope, static_cast<int32_t>(induction.start),
                                 "stepping number"));
  emit::loop(scope, static_cast<int64_t>(repeat.trips), node, kept,
             [&](Scope &body) {
               for (size_t place = 0; place < repeat.period; ++place)
                 recordPlace(body, loop, place, registers);
               step(body, loop, registers);
             });
}

Result<Code> Recorder::run() {
  size_t at = 0;
  auto recordUpTo = [&](size_t end) {
    for (; at < end; ++at)
      recordCommand(stream.commands[at]);
  };
  for (const Loop &loop : loops) {
    recordUpTo(loop.repeat.first);
    recordLoop(loop);
    at = loop.repeat.end();
  }
  recordUpTo(stream.commands.size());
  if (!failure)
    return failure.takeError();
  routine.beginNode("");
  if (!stream.finalClears.empty()) {
    Scope scope(routine, "end");
    resetAll(scope, stream.finalClears);
  }
  return routine.finish();
}

Result<Code> tally::emit::record(const Stream &stream,
                                 const machine::Machine &machine) {
  return Recorder(stream, machine).run();
}
