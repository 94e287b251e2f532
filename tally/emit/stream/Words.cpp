//===- Words.cpp - how long loops and straight text are -------------------===//
//
// Straight text stages what a queue does not hold; its trips after the second
// are taken to be as long as the second. A loop has registers to set and to
// step, and a branch.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/stream/Words.h"
#include "tally/emit/routine/Commands.h"

#include <map>

using namespace tally;
using namespace tally::emit;

static bool fits(int64_t value, int bits) {
  int64_t half = int64_t(1) << (bits - 1);
  return -half <= value && value < half;
}

/// To make a number in a register.
static int64_t constantWords(int64_t value) {
  return fits(value, 12) || (value & 0xfff) == 0 ? 1 : 2;
}

static int64_t stageWords(int64_t value) {
  return fits(value, 14) ? 1 : constantWords(value) + 1;
}

/// All but staging.
static int64_t fixedWords(const Stream &stream, const PlannedCommand &command) {
  int64_t drain =
      command.drains ? 1 + static_cast<int64_t>(stream.registers.size()) : 0;
  return drain + 1 +
         static_cast<int64_t>(command.waits.size() + command.clears.size() +
                              command.signals.size());
}

namespace {
/// What queues hold while words are counted.
class Held {
public:
  explicit Held(const Routine &routine) : routine(routine) {}

  /// Words to make a field hold a number, which it does then.
  int64_t stage(uint32_t queue, uint32_t field, int64_t value) {
    std::optional<int64_t> &held = at(queue, field);
    if (held == value)
      return 0;
    held = value;
    return stageWords(value);
  }
  void forget(uint32_t queue, uint32_t field) { at(queue, field).reset(); }

private:
  std::optional<int64_t> &at(uint32_t queue, uint32_t field) {
    auto &fields = queues[queue];
    if (fields.empty())
      fields.resize(
          isa::allFields(routine.machine().engineOf(queue).kind).size(),
          kUnread);
    if (fields[field] == kUnread)
      fields[field] = known(routine, queue, field);
    return fields[field];
  }

  static constexpr int64_t kUnread = INT64_MIN; // no field holds that
  const Routine &routine;
  std::map<uint32_t, std::vector<std::optional<int64_t>>> queues;
};
} // namespace

static int64_t tripWords(const Stream &stream, const Repeat &repeat,
                         size_t trip, Held &held) {
  int64_t words = 0;
  for (size_t place = 0; place < repeat.period; ++place) {
    const PlannedCommand &planned =
        stream.commands[repeat.first + trip * repeat.period + place];
    const isa::Command &command = planned.command;
    words += fixedWords(stream, planned);
    auto fields = isa::allFields(command.config.kind()).size();
    for (uint32_t field = 0; field < fields; ++field)
      words += held.stage(command.queue, field, command.config.get(field));
  }
  return words;
}

Words tally::emit::straightWords(const Stream &stream, const Repeat &repeat,
                                 const Routine &routine) {
  Held held(routine);
  int64_t words = tripWords(stream, repeat, 0, held);
  words += tripWords(stream, repeat, 1, held) *
           (static_cast<int64_t>(repeat.trips) - 1);
  return {words, words};
}

static int64_t placeWords(const Stream &stream, const Loop &loop, size_t place,
                          Held &held) {
  const PlannedCommand &planned = stream.commands[loop.repeat.first + place];
  const isa::Command &command = planned.command;
  const LoopPlace &changes = loop.places[place];
  int64_t words = fixedWords(stream, planned);
  for (const LoopWait &wait : changes.waits)
    words += wait.form == WaitForm::Register && wait.threshold.plus != 0;
  for (const SteppingField &field : changes.staged)
    words += field.value.plus == 0 ? 1 : 2;
  for (uint32_t field : changes.stepping)
    held.forget(command.queue, field);
  auto stepping = changes.stepping.begin();
  auto fields = isa::allFields(command.config.kind()).size();
  for (uint32_t field = 0; field < fields; ++field)
    if (stepping != changes.stepping.end() && *stepping == field)
      ++stepping;
    else
      words += held.stage(command.queue, field, command.config.get(field));
  return words;
}

/// Fields of the body's queues that are not kept are unknown at its head.
static void enterLoop(const Stream &stream, const Loop &loop,
                      const std::vector<KeptField> &kept, Held &held) {
  for (size_t place = 0; place < loop.repeat.period; ++place) {
    const isa::Command &command =
        stream.commands[loop.repeat.first + place].command;
    auto fields = isa::allFields(command.config.kind()).size();
    for (uint32_t field = 0; field < fields; ++field)
      held.forget(command.queue, field);
  }
  for (const KeptField &field : kept)
    held.stage(field.queue, field.field, field.value);
}

Words tally::emit::loopWords(const Stream &stream, const Loop &loop,
                             const Routine &routine) {
  Held held(routine);
  auto trips = static_cast<int64_t>(loop.repeat.trips);
  int64_t before = constantWords(trips), body = 2;
  for (const Progression &induction : loop.inductions) {
    before += constantWords(induction.start);
    body += fits(induction.step, 12) ? 1 : constantWords(induction.step) + 1;
  }
  std::vector<KeptField> kept = keptFields(stream, loop.repeat);
  for (const KeptField &field : kept)
    before += held.stage(field.queue, field.field, field.value);
  enterLoop(stream, loop, kept, held);
  for (size_t place = 0; place < loop.repeat.period; ++place)
    body += placeWords(stream, loop, place, held);
  return {before + body, before + body * trips};
}
