//===- Choose.cpp - which commands become loops ---------------------------===//
//
// The text before each command is as short as possible if it ends by that
// command as straight text, or by the best loop that ends there:
//
//   saved(end) = max(saved(end - 1), saved(first) + what the loop
//                    [first, end) saves)
//
// Loops with the most trips of their period are tried, from each command on. A
// period that is a multiple of one that goes as far is not. A loop that begins
// a trip later than another saves a trip less, so that a long run of tiles
// costs no more than its length.
//
// A loop runs a few instructions more in a trip than straight text. That is
// free where engines take much longer than the processor, and bounded
// elsewhere.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/stream/Choose.h"
#include "tally/emit/stream/Repeats.h"
#include "tally/emit/stream/Words.h"

#include <algorithm>

using namespace tally;
using namespace tally::emit;

/// Instructions that a loop has to save.
static constexpr int64_t kLeastSaving = 4;

namespace {
class Chooser {
public:
  Chooser(const Stream &stream, const machine::Machine &machine)
      : stream(stream), machine(machine),
        distances(distancesOf(stream, machine)),
        finder(stream, distances, machine), best(stream.commands.size() + 1),
        tried(kMostPeriod + 1) {
    addCycles();
  }
  std::vector<Loop> run();

private:
  /// The best text of the commands before a place.
  struct Prefix {
    int64_t saved = 0;
    Repeat last; ///< the loop that it ends by; no trips: straight text
  };

  /// A repeat that was looked at, and what its loop saves; nothing: there is
  /// none.
  struct Trial {
    Repeat repeat;
    std::optional<int64_t> saving;
    int64_t trip = 0; ///< what it saves less with a trip less
  };

  void addCycles();
  void extend(size_t first);
  const Trial &tryRepeat(const Repeat &repeat);
  Trial trialOf(const Repeat &repeat) const;
  bool isFastEnough(const Repeat &repeat, int64_t straight,
                    int64_t rolled) const;
  int64_t busiest(const Repeat &repeat) const;

  const Stream &stream;
  const machine::Machine &machine;
  Distances distances;
  RepeatFinder finder;
  std::vector<Prefix> best;
  /// By period, by the first command modulo that: the last trial.
  std::vector<std::vector<Trial>> tried;
  /// By queue: cycles of its commands before each place.
  std::vector<std::vector<int64_t>> cycles;
};
} // namespace

void Chooser::addCycles() {
  cycles.resize(machine.queues.size(), {0});
  for (const PlannedCommand &planned : stream.commands)
    for (uint32_t queue = 0; queue < cycles.size(); ++queue)
      cycles[queue].push_back(cycles[queue].back() +
                              (queue == planned.command.queue
                                   ? cyclesOf(planned.command, machine)
                                   : 0));
}

/// Cycles of the engine that has most to do.
int64_t Chooser::busiest(const Repeat &repeat) const {
  int64_t most = 0;
  for (const std::vector<int64_t> &before : cycles)
    most = std::max(most, before[repeat.end()] - before[repeat.first]);
  return most;
}

bool Chooser::isFastEnough(const Repeat &repeat, int64_t straight,
                           int64_t rolled) const {
  return rolled <= straight + straight / 8 ||
         2 * rolled * machine.processor.cyclesPerInstruction <= busiest(repeat);
}

Chooser::Trial Chooser::trialOf(const Repeat &repeat) const {
  Trial trial{repeat, {}, 0};
  std::optional<Loop> loop = makeLoop(stream, distances, repeat, machine);
  if (!loop)
    return trial;
  Words straight = straightWords(stream, repeat);
  Words rolled = loopWords(stream, *loop);
  auto trips = static_cast<int64_t>(repeat.trips);
  int64_t text = straight.first + straight.each * (trips - 1);
  if (isFastEnough(repeat, text, rolled.first + rolled.each * trips))
    trial.saving = text - rolled.first - rolled.each;
  trial.trip = straight.each;
  return trial;
}

const Chooser::Trial &Chooser::tryRepeat(const Repeat &repeat) {
  tried[repeat.period].resize(repeat.period);
  Trial &last = tried[repeat.period][repeat.first % repeat.period];
  bool isTripLess = last.repeat.trips != 0 &&
                    last.repeat.first + repeat.period == repeat.first &&
                    last.repeat.end() == repeat.end();
  if (!isTripLess)
    return last = trialOf(repeat);
  last.repeat = repeat;
  if (last.saving)
    *last.saving -= last.trip;
  return last;
}

void Chooser::extend(size_t first) {
  std::vector<Repeat> found;
  for (const Repeat &repeat : finder.at(first)) {
    bool isMultiple = std::ranges::any_of(found, [&](const Repeat &other) {
      return repeat.period % other.period == 0 &&
             other.end() + other.period > repeat.end();
    });
    if (isMultiple)
      continue;
    const Trial &trial = tryRepeat(repeat);
    if (!trial.saving || *trial.saving < kLeastSaving)
      continue;
    found.push_back(repeat);
    Prefix &prefix = best[repeat.end()];
    if (best[first].saved + *trial.saving > prefix.saved)
      prefix = {best[first].saved + *trial.saving, repeat};
  }
}

std::vector<Loop> Chooser::run() {
  for (size_t at = 0; at < stream.commands.size(); ++at) {
    extend(at);
    if (best[at].saved >= best[at + 1].saved)
      best[at + 1] = {best[at].saved, {}};
  }
  std::vector<Loop> loops;
  for (size_t end = stream.commands.size(); end > 0;) {
    const Repeat &last = best[end].last;
    if (last.trips != 0)
      loops.push_back(*makeLoop(stream, distances, last, machine));
    end = last.trips != 0 ? last.first : end - 1;
  }
  std::ranges::reverse(loops);
  return loops;
}

std::vector<Loop> tally::emit::chooseLoops(const Stream &stream,
                                           const machine::Machine &machine) {
  return Chooser(stream, machine).run();
}
