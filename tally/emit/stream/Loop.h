//===- Loop.h - groups of commands as the body of a loop --------*- C++ -*-===//
//
// Private to this folder. A repeat is a group of commands that comes several
// times in a row, where numbers differ from one time to the next by constants.
// Its loop says which numbers those are, and which registers hold them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_STREAM_LOOP_H
#define TALLY_EMIT_STREAM_LOOP_H

#include "tally/emit/stream/Stream.h"

namespace tally::emit {

/// Commands [first, end()).
struct Repeat {
  size_t first = 0, period = 0, trips = 0;
  size_t end() const { return first + period * trips; }
};

/// A number of one place of the body: `start` in the first trip, `step` more in
/// each other.
struct Progression {
  int64_t start = 0, step = 0;
  bool isConstant() const { return step == 0; }
  friend bool operator==(const Progression &, const Progression &) = default;
};

/// A register of the loop's own, and what is added to it, modulo 2^32.
struct InductionUse {
  uint32_t induction = 0; ///< place in Loop::inductions
  int32_t plus = 0;
};

/// A staged field that steps.
struct SteppingField {
  uint32_t field = 0;
  InductionUse value;
};

enum class WaitForm : uint8_t {
  Same,     ///< the first trip's threshold
  Behind,   ///< by distance from the signals issued so far (wait.rel)
  Register, ///< a threshold that steps (wait.ge.r)
};

struct LoopWait {
  WaitForm form = WaitForm::Same;
  int64_t behind = 0;
  InductionUse threshold;
};

/// What differs in the body from the command of the first trip.
struct LoopPlace {
  /// Stepping fields that the queue does not hold from the place before.
  std::vector<SteppingField> staged;
  std::vector<uint32_t> stepping; ///< all stepping fields
  std::vector<LoopWait> waits;
};

struct Loop {
  Repeat repeat;
  std::vector<Progression> inductions;
  std::vector<LoopPlace> places; ///< one for each command of the body
};

/// Signals of each wait's register that are issued before it, minus its
/// threshold: by command, by wait. 0 where no counters are used.
using Distances = std::vector<std::vector<int64_t>>;
Distances distancesOf(const Stream &stream, const machine::Machine &machine);

/// Whether a wait may read a threshold that steps, and has to.
bool canStep(const machine::Machine &machine);
/// Whether two waits are one by their distance from the signals issued.
bool staysBehind(int64_t one, int64_t other, const machine::Machine &machine);

/// The numbers of place `place` of a repeat.
Progression fieldOf(const Stream &stream, const Repeat &repeat, size_t place,
                    uint32_t field);

/// Nothing where the machine has too few scratch registers.
std::optional<Loop> makeLoop(const Stream &stream, const Distances &distances,
                             const Repeat &repeat,
                             const machine::Machine &machine);

/// Fields that the body begins and ends with the same number of, with that
/// number: staged before the loop, the body need not stage them first.
struct KeptField {
  uint32_t queue = 0, field = 0;
  int64_t value = 0;
};
std::vector<KeptField> keptFields(const Stream &stream, const Repeat &repeat);

} // namespace tally::emit

#endif // TALLY_EMIT_STREAM_LOOP_H
