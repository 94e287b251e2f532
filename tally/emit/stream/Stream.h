//===- Stream.h - planned commands in their order of issue ------*- C++ -*-===//
//
// What a schedule becomes once addresses and synchronization are planned: the
// commands, and what has to stand around each of them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_STREAM_STREAM_H
#define TALLY_EMIT_STREAM_STREAM_H

#include "tally/emit/isa/Command.h"
#include "tally/emit/routine/Code.h"

namespace tally::emit {

/// Before a command: until counter `reg` has reached `threshold`, a token of
/// `reg` is taken, or flag `reg` is set, whichever the machine has.
struct PlannedWait {
  uint32_t reg = 0;
  int64_t threshold = 0;
  friend bool operator==(const PlannedWait &, const PlannedWait &) = default;
};

/// An offset to which the processor adds `step` times a word of the context
/// when it issues the command. The command itself has it for the word 0.
struct MovingField {
  uint32_t field = 0;
  int64_t word = 0; ///< bytes into the context
  int64_t step = 0;
  friend bool operator==(const MovingField &, const MovingField &) = default;
};

/// Issued in this order: the drain, waits, clears, the command, signals.
struct PlannedCommand {
  isa::Command command;
  /// All queues become empty, and all registers of the stream are 0 again.
  bool drains = false;
  std::vector<PlannedWait> waits;
  std::vector<uint32_t> clears, signals;
  std::vector<MovingField> moving;
  uint32_t node = 0; ///< place in Stream::nodes
};

struct Stream {
  std::vector<PlannedCommand> commands;
  std::vector<std::string> nodes; ///< names of the model's nodes
  /// What a drain resets, and what is reset at the end.
  std::vector<uint32_t> registers, finalClears;
};

/// Instructions that issue the stream. Fails by the rules of emit/routine.
Result<Code> record(const Stream &stream, const machine::Machine &machine);

} // namespace tally::emit

#endif // TALLY_EMIT_STREAM_STREAM_H
