//===- Words.cpp - how long loops and straight text are -------------------===//
//
// Straight text stages what a queue does not hold. A loop has registers to set
// and to step, and a branch.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/stream/Words.h"

#include "llvm/ADT/DenseMap.h"

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

/// To make the sum of a register and a number.
static int64_t sumWords(int64_t number) {
  if (number == 0)
    return 0;
  return fits(number, 12) ? 1 : constantWords(number) + 1;
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
  /// Words to make a field hold a number, which it does then.
  int64_t stage(uint32_t queue, uint32_t field, int64_t value) {
    auto [held, isNew] = fields.try_emplace({queue, field}, value);
    if (!isNew && held->second == value)
      return 0;
    held->second = value;
    return stageWords(value);
  }
  void forget(uint32_t queue, uint32_t field) { fields.erase({queue, field}); }

private:
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, int64_t> fields;
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

Words tally::emit::straightWords(const Stream &stream, const Repeat &repeat) {
  Held held;
  int64_t first = tripWords(stream, repeat, 0, held);
  return {first, tripWords(stream, repeat, 1, held)};
}

static int64_t placeWords(const Stream &stream, const Loop &loop, size_t place,
                          Held &held) {
  const PlannedCommand &planned = stream.commands[loop.repeat.first + place];
  const isa::Command &command = planned.command;
  const LoopPlace &changes = loop.places[place];
  int64_t words = fixedWords(stream, planned);
  for (const LoopWait &wait : changes.waits)
    words +=
        wait.form == WaitForm::Register ? sumWords(wait.threshold.plus) : 0;
  for (const SteppingField &field : changes.staged)
    words += 1 + sumWords(field.value.plus);
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

Words tally::emit::loopWords(const Stream &stream, const Loop &loop) {
  Held held;
  int64_t before = constantWords(static_cast<int64_t>(loop.repeat.trips));
  int64_t body = 2; // the counter's
  for (const Progression &induction : loop.inductions) {
    before += constantWords(induction.start);
    body += sumWords(induction.step);
  }
  for (const KeptField &field : keptFields(stream, loop.repeat))
    before += held.stage(field.queue, field.field, field.value);
  for (size_t place = 0; place < loop.repeat.period; ++place)
    body += placeWords(stream, loop, place, held);
  return {before, body};
}
