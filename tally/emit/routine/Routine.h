//===- Routine.h - recording commands with owned registers ------*- C++ -*-===//
//
// A routine records a program of the command processor: instructions, loops and
// branches, over scratch registers that have no numbers yet. Who needs a
// register borrows one from a scope; when all is recorded, finish() plans real
// registers with the life of each value over back edges and branches
// (tally/plan/registers), and the result is verified (Verifier.h).
//
//   Routine routine(machine);
//   Scope scope(routine, "copy rows");
//   Scratch base = constant(scope, 4096, "base");
//   loop(scope, 3, "rows", [&](Scope &body) { ... });
//   Result<Code> code = routine.finish();
//
// A handle is no register: it can be moved and not copied, and gives its
// register back when it dies. An Operand names a handle for an instruction; it
// can be copied, and is worthless once the handle is gone. A command that reads
// a register late keeps it until a fence covers the command, wherever the
// handle died.
//
// The first mistake is kept, what is recorded after it is void, and finish()
// returns it. Rules (Internal: a mistake of the emitter; Unsupported: the
// machine cannot):
//   EMIT-1  a handle is used while it is borrowed: not after its scope has
//           closed, its release or its move (Internal)
//   EMIT-2  a scope takes back what it has lent, once (Internal)
//   EMIT-3  the innermost scope closes first (Internal)
//   EMIT-4  a handle is used in its own routine (Internal)
//   EMIT-5  an instruction has the operands of its format, and a loop trips
//           that can be counted (Internal)
//   EMIT-6  a jump reaches its target (Unsupported)
//   EMIT-7  a sequence that is inlined declares what it destroys (Internal)
//   EMIT-8  the verifier has nothing against the code (Internal)
//   EMIT-9  the body of a loop leaves the staged fields that it is said to keep
//           (Internal)
// and ENC-* of encode/Encode.h, CMD-* of isa/Command.h, REG-6 to REG-10 of
// tally/plan/registers/Problem.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ROUTINE_ROUTINE_H
#define TALLY_EMIT_ROUTINE_ROUTINE_H

#include "tally/emit/isa/Command.h"
#include "tally/emit/routine/Code.h"
#include "tally/machine/Machine.h"
#include "tally/support/Result.h"

#include <functional>
#include <memory>
#include <source_location>
#include <variant>

namespace tally::emit {

struct Recording;
class Scope;

using Where = std::source_location;

/// Modes for tests; the program means the same in each.
struct RoutineOptions {
  /// Helpers take their longest form, whatever the numbers are.
  bool longPaths = false;
  /// Registers are chosen at random, not the lowest ones first.
  std::optional<uint32_t> seed;
  /// No more registers than the smallest number for which there is a plan.
  bool minimalPool = false;
  /// Registers that hold nothing are overwritten, at labels and when their
  /// value is needed no more.
  bool poison = false;
};

/// A loop whose trips only the running program knows, from 0 on.
inline constexpr int64_t kUnknownTrips = -1;

/// A scratch register, borrowed from a scope.
class [[nodiscard]] Scratch {
public:
  Scratch(Scratch &&other) noexcept;
  Scratch &operator=(Scratch &&other) noexcept;
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch();

  /// Gives it back now.
  void release();

private:
  friend class Scope;
  friend class Operand;
  Scratch(std::shared_ptr<Recording> recording, Tag tag);

  std::shared_ptr<Recording> recording; ///< null: moved away or given back
  Tag tag;
};

/// What an instruction reads or writes: a borrowed register, or x0.
class Operand {
public:
  Operand() = default;             ///< x0: reads 0, forgets what is written
  Operand(const Scratch &scratch); // NOLINT: handles are operands

  bool isZero() const { return !recording && !isGone; }

private:
  friend struct Recording;
  const Recording *recording = nullptr; ///< compared, never followed
  bool isGone = false; ///< made of a handle that was moved away
  Tag tag;
};

class Routine {
public:
  /// `machine` outlives the routine.
  explicit Routine(const machine::Machine &machine,
                   RoutineOptions options = {});

  const machine::Machine &machine() const;
  const RoutineOptions &options() const;

  /// One instruction. `operands` are those of its format in their order,
  /// registers as Operand and all others as numbers. Branches and jumps are
  /// made by loop() and branch().
  using Argument = std::variant<Operand, int64_t>;
  void instruction(isa::Opcode opcode, std::vector<Argument> operands,
                   Where where = Where::current());

  /// Instructions on real registers, without branches, that read only what they
  /// have written. `clobbers` has bit r for each x[r] that they write (EMIT-7).
  void inlined(const std::string &name,
               std::vector<isa::Instruction> instructions, uint32_t clobbers,
               Where where = Where::current());

  /// What is recorded from here on belongs to that node of the model; to none
  /// if the name is empty.
  void beginNode(const std::string &name);

  /// Nothing is emitted; `scratch` is held from here to where it is kept or
  /// held: the temporary of a longer form.
  void reserve(const Scratch &scratch, Where where = Where::current());
  void keep(const Scratch &scratch, Where where = Where::current());
  /// The last instruction keeps a register as if it read it, until it completes
  /// if `late`.
  void hold(const Operand &scratch, bool late = false);

  /// Changes wherever control may come from elsewhere: at the heads and ends of
  /// loops and branches. What a register is known to hold holds within one
  /// epoch.
  uint64_t epoch() const;

  /// The first mistake so far.
  const Status &status() const;

  /// Plans registers, lays the code out with an ecall at its end, and verifies
  /// it. All scopes are closed before; once.
  Result<Code> finish();

private:
  friend class Scope;
  friend Recording &recordingOf(const Routine &routine);
  std::shared_ptr<Recording> recording;
};

/// Lends scratch registers. A scope is opened inside the innermost one that is
/// open, and closed before it, by close() or its end.
class Scope {
public:
  Scope(Routine &routine, std::string name);
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;
  ~Scope();

  Scratch borrow(std::string role, Where where = Where::current());
  /// Takes a handle back; EMIT-2 if another scope has lent it, or EMIT-1 if it
  /// is gone. The handle is unchanged then.
  Status release(Scratch &&scratch);
  /// Takes everything back; EMIT-3 if a scope inside is open, and then nothing
  /// has changed.
  Status close();

  Routine &routine() const { return owner; }

private:
  Routine &owner;
  uint32_t id = 0;
};

/// How two registers compare.
enum class Relation : uint8_t {
  Equal,
  NotEqual,
  Less, ///< signed
  GreaterEqual,
  LessUnsigned,
  GreaterEqualUnsigned,
};

/// Records `body` once, to run `trips` times; `trips` >= 0.
void loop(Scope &scope, int64_t trips, const std::string &name,
          const std::function<void(Scope &)> &body,
          Where where = Where::current());

/// Staged fields that there are, as queue and field.
using StagedFields = std::vector<std::pair<uint32_t, uint32_t>>;

/// The same where what is known of `kept` before the loop holds again at the
/// end of the body (EMIT-9), so that the body knows it, too.
void loop(Scope &scope, int64_t trips, const std::string &name,
          const StagedFields &kept, const std::function<void(Scope &)> &body,
          Where where = Where::current());

/// The same as often as `trips` says, read as unsigned number at the start.
void loop(Scope &scope, Operand trips, const std::string &name,
          const std::function<void(Scope &)> &body,
          Where where = Where::current());

/// Records `then` for when `a relation b`, and `otherwise` for when not.
void branch(Scope &scope, Operand a, Relation relation, Operand b,
            const std::function<void(Scope &)> &then,
            const std::function<void(Scope &)> &otherwise = nullptr,
            Where where = Where::current());

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_ROUTINE_H
