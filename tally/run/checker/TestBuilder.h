//===- TestBuilder.h - programs for tests, written short --------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_TESTBUILDER_H
#define TALLY_RUN_CHECKER_TESTBUILDER_H

#include "tally/emit/isa/Command.h"
#include "tally/run/checker/Subject.h"

#include <initializer_list>

namespace tally::checker {

/// A place in a memory or region.
struct At {
  int64_t space;
  int64_t offset;
};
inline At sram(int64_t offset) { return {isa::kSram, offset}; }

/// A machine with `vectors` vector engines and a DMA engine both ways as the
/// last queue, all of `depth` entries, in order; 8 absolute counters of 8 bits;
/// 64 bytes of SRAM; RV32E.
machine::Machine testMachine(uint32_t vectors, int64_t depth = 4);

/// A machine of four queues of `depth` entries: 0 "load" and 1 "store" (DMA
/// both ways), 2 "matrix" and 3 "vector"; sync registers as above; 128 bytes of
/// SRAM and of accumulators.
machine::Machine pipelineMachine(int64_t depth = 4);

/// Appends instructions to a subject's text.
class Builder {
public:
  /// With constants, arena and context of no bytes.
  explicit Builder(machine::Machine machine);

  Builder &op(isa::Opcode opcode, std::initializer_list<int64_t> operands);
  /// x[reg] = value, for values of 12 signed bits.
  Builder &li(int64_t reg, int64_t value);
  Builder &cfg(int64_t queue, isa::VectorField field, int64_t value);
  Builder &cfg(int64_t queue, isa::DmaField field, int64_t value);
  Builder &cfg(int64_t queue, isa::MatrixField field, int64_t value);
  /// The field becomes x[reg], read now.
  Builder &cfgR(int64_t queue, int64_t field, int64_t reg);
  /// bytes from one place to another, by a vector or DMA queue; x[rs1] is added
  /// to the first place, x[rs2] to the second.
  Builder &copy(int64_t queue, At from, At to, int64_t bytes, int64_t rs1 = 0,
                int64_t rs2 = 0);
  /// to = a + b, elements of one byte, by a vector queue.
  Builder &add(int64_t queue, int64_t a, int64_t b, int64_t to, int64_t bytes);
  Builder &signal(int64_t queue, int64_t sync);
  Builder &wait(int64_t queue, int64_t sync, int64_t value);
  /// Until at most `behind` signals issued so far have not happened.
  Builder &waitRel(int64_t queue, int64_t sync, int64_t behind);
  Builder &take(int64_t queue, int64_t sync);
  Builder &test(int64_t queue, int64_t sync);
  Builder &clear(int64_t queue, int64_t sync);
  Builder &reset(int64_t sync);
  Builder &fence();
  Builder &fence(int64_t queue, int64_t pending);
  Builder &end();

  /// The place of the next instruction.
  int64_t here() const { return static_cast<int64_t>(subject.text.size()); }
  /// A branch (bne, blt, ...) back or forth to `target`.
  Builder &branch(isa::Opcode opcode, int64_t rs1, int64_t rs2, int64_t target);

  /// How large a region is of those that every program has.
  Builder &size(int64_t region, int64_t bytes);
  /// A buffer of the caller's; its number as a space.
  int64_t buffer(std::string name, RegionRole role, int64_t bytes);

  Subject subject;
};

/// The same as a program file has it; constants and context are bytes that
/// count up.
isa::Program programOf(const Subject &subject);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_TESTBUILDER_H
