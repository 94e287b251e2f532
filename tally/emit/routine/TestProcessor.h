//===- TestProcessor.h - runs code for tests --------------------*- C++ -*-===//

#ifndef TALLY_EMIT_ROUTINE_TESTPROCESSOR_H
#define TALLY_EMIT_ROUTINE_TESTPROCESSOR_H

#include "tally/emit/isa/Instruction.h"
#include "tally/machine/Machine.h"

#include <map>
#include <string>
#include <vector>

namespace tally::emit {

/// What a program did.
struct Trace {
  /// Every entry of a queue in the order of issue, with what it was given: the
  /// fields that `go` latched, operands, and the registers that are read late,
  /// as they were at issue; waits with their thresholds. Resets among them.
  std::vector<std::string> entries;
  std::map<uint32_t, uint32_t> context; ///< words that were written
  /// Why the run means nothing: a register that was read late has changed since
  /// the issue, a jump out of the program, no end.
  std::string fault;
  friend bool operator==(const Trace &, const Trace &) = default;
};

/// Runs up to `mostSteps` instructions. Registers start with `garbage`, words
/// of the context with 1000 + address. Late registers are looked at when they
/// are issued and again at the last moment at which the queue may read them.
Trace run(const std::vector<isa::Instruction> &program,
          const machine::Machine &machine, uint32_t garbage = 0xdeadbeef,
          size_t mostSteps = 100000);

/// Three queues (dma, matrix, vector) of 16 entries and `scratch` registers
/// from x5 on; counters, with relative waits and scalar thresholds.
machine::Machine testMachine(size_t scratch);

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_TESTPROCESSOR_H
