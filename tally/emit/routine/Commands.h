//===- Commands.h - commands of engines and their order ---------*- C++ -*-===//
//
// Helpers that stage, issue and order commands. A Pending is what has been put
// into a queue; a fence that covers it frees the registers that it reads late.
// Dropping a Pending frees nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ROUTINE_COMMANDS_H
#define TALLY_EMIT_ROUTINE_COMMANDS_H

#include "tally/emit/routine/Routine.h"

namespace tally::emit {

/// An entry of a queue.
struct Pending {
  uint32_t queue = 0;
  /// Entries of the queue before it, counted along the path with the fewest.
  int64_t number = 0;
};

/// Staged field `field` of `queue` = value, unless it is known to be. Beyond 14
/// bits by a temporary.
void configure(Scope &scope, uint32_t queue, uint32_t field, int64_t value,
               Where where = Where::current());
/// The same with what a register holds, which is read at once.
void configure(Scope &scope, uint32_t queue, uint32_t field, Operand value,
               Where where = Where::current());

/// A field that is known at run time: value + plus, as the offset in a region.
/// Reserves what a far `plus` takes.
struct RuntimeField {
  uint32_t field = 0;
  Operand value;
  int32_t plus = 0;
  /// The caller has staged it; the other two mean nothing then.
  bool isStaged = false;
};

/// Bytes that `go` adds to an operand's offset: nothing, a register, or a
/// number in a register of its own.
class Addend {
public:
  Addend() = default;
  // NOLINTBEGIN: registers are addends
  Addend(Operand value) : operand(value) {}
  Addend(const Scratch &value) : operand(value) {}
  // NOLINTEND
  /// A register with `bytes`, which is reserved for 0 too.
  static Addend of(Scope &scope, int32_t bytes, Where where = Where::current());

private:
  friend Pending issue(Scope &, const isa::Command &,
                       const std::vector<RuntimeField> &, const Addend &,
                       const Addend &, Where);
  Operand operand;
  std::shared_ptr<Scratch> own; ///< behind `operand`, or reserved
  bool isReserved = false;
};

/// Stages all fields of `command` that are not known to hold what it says, and
/// issues it. Fields of `runtime` come from registers; the command has values
/// for them that stand for all. Addends are read late, and added to the offset
/// of the first operand and of the result beside the command's own, which are
/// 0.
Pending issue(Scope &scope, const isa::Command &command,
              const std::vector<RuntimeField> &runtime = {},
              const Addend &first = {}, const Addend &result = {},
              Where where = Where::current());

/// One side of a copy: bytes from one index of each dimension to the next.
struct CopySide {
  int64_t space = 0, offset = 0;
  std::array<int64_t, 4> strides{};
};

/// A DMA of sizes[0] x ... x sizes[3] elements of `elementBytes` bytes each;
/// a field's rule (ISA-FIELD, CMD-*) is checked by issue().
Result<isa::Command> copyCommand(uint32_t queue,
                                 const std::array<int64_t, 4> &sizes,
                                 int64_t elementBytes, const CopySide &source,
                                 const CopySide &destination);

/// Entries of the queue for the synchronization register `sync`.
Pending signal(Scope &scope, uint32_t queue, uint32_t sync,
               Where where = Where::current());
/// Until the counter has reached `threshold`. Beyond 10 bits by a register that
/// the queue reads late, if the machine can; it is reserved where it can.
Pending waitReached(Scope &scope, uint32_t queue, uint32_t sync,
                    int64_t threshold, Where where = Where::current());
/// Until at most `behind` of the signals issued so far are missing.
Pending waitBehind(Scope &scope, uint32_t queue, uint32_t sync, int64_t behind,
                   Where where = Where::current());
Pending take(Scope &scope, uint32_t queue, uint32_t sync,
             Where where = Where::current());
Pending test(Scope &scope, uint32_t queue, uint32_t sync,
             Where where = Where::current());
Pending clear(Scope &scope, uint32_t queue, uint32_t sync,
              Where where = Where::current());

/// The processor sets `sync` to 0: after a fence, when nobody waits for it.
void reset(Scope &scope, uint32_t sync, Where where = Where::current());

/// The processor waits until at most `pending` entries of `queue` are
/// unfinished: no polling.
void fence(Scope &scope, uint32_t queue, int64_t pending,
           Where where = Where::current());
void fenceAll(Scope &scope, Where where = Where::current());
/// The weakest fence that covers `pending` on every path.
void waitFor(Scope &scope, const Pending &pending,
             Where where = Where::current());

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_COMMANDS_H
