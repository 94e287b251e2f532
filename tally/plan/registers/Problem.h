//===- Problem.h - which values want a register, and when -------*- C++ -*-===//
//
// Register planning for a command stream: a structured program reads and
// writes values, and each value gets one of the machine's few registers.
//
// An operation happens in three steps: it reads, it clobbers, it writes. So a
// result may take the register of an operand that is needed no more, or one
// that the operation clobbers. A read is
//
//   latched  done when the operation is issued;
//   late     done at any time until a wait on the operation's queue covers it:
//            the register is "in flight" and must not be written. Without such
//            a wait it is in flight to the end.
//
// A queue finishes its operations in the order of issue. `wait q pending n`
// passes when at most n of them are unfinished, so it covers all but the n
// last ones issued.
//
// A loop with a counter writes it at its entry, and reads and writes it after
// each trip. What a loop uses is read at its entry and after each trip; what an
// `if` uses, at the branch.
//
// Rules (FailureKind::Model unless said otherwise):
//   REG-1  the text has the form of Text.h
//   REG-2  1 to 65,536 registers; reserved, clobbered and fixed ones are among
//          them; no value is fixed to a reserved one; slots and cost are from 0
//          to 65,536
//   REG-3  names of statements and of values are distinct; each statement is
//          part of one body, in at most 16 loops and ifs
//   REG-4  operands and queues exist; an operation writes a value once; only an
//          operation in a queue reads late
//   REG-5  a loop's counter is written by its loop alone; trips are from 0 on
//   REG-6  a value is written on every path to a read
//   REG-7  a value is not written while it is in flight
//   REG-8  at each point there are registers for all live values
//          (Unsupported), or the machine has a save area
//   REG-9  a fixed register is free while its value lives (Unsupported)
//   REG-10 every value finds one register for its whole life, or for each of
//          its parts, with moves between them (Unsupported)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_REGISTERS_PROBLEM_H
#define TALLY_PLAN_REGISTERS_PROBLEM_H

#include "tally/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tally::plan::registers {

/// Positions in RegisterProblem's `values` and `statements`.
using ValueId = uint32_t;
using StatementId = uint32_t;

/// No register, queue or counter.
inline constexpr int64_t kNone = -1;
/// A number of trips from 0 on that only the running program knows.
inline constexpr int64_t kUnknownTrips = -1;

struct Value {
  std::string name;
  std::string role;      ///< for reports, as "row pitch"; may be empty
  int64_t fixed = kNone; ///< the register it has to be in
};

/// "'NAME' (ROLE)".
std::string describe(const Value &value);

struct Use {
  ValueId value = 0;
  bool late = false;
};

enum class StatementKind { Operation, Wait, Loop, If };

/// One kind of statement uses some of the fields, as said beside them.
struct Statement {
  StatementKind kind = StatementKind::Operation;
  std::string name;
  std::vector<Use> uses;          ///< operation, loop, if
  std::vector<ValueId> defs;      ///< operation
  std::vector<uint32_t> clobbers; ///< operation: registers it destroys
  int64_t queue = kNone;          ///< operation: where it runs; wait: on whom
  int64_t pending = 0;            ///< wait
  int64_t trips = kUnknownTrips;  ///< loop
  int64_t counter = kNone;        ///< loop: a ValueId
  std::vector<StatementId> body;  ///< loop; if: the path taken when true
  std::vector<StatementId> otherwise; ///< if

  /// A loop that may run no trip, or a second one. A loop of 0 trips counts as
  /// one of unknown trips.
  bool maySkip() const { return trips <= 0; }
  bool mayRepeat() const { return trips != 1; }
};

struct RegisterFile {
  int64_t count = 1;
  std::vector<uint32_t> reserved; ///< never assigned
  int64_t slots = 0;              ///< places in the save area; 0: it has none
  int64_t transferCost = 1;       ///< of one save or reload
};

struct RegisterProblem {
  RegisterFile file;
  std::vector<std::string> queues;
  std::vector<Value> values;
  std::vector<Statement> statements;
  std::vector<StatementId> body; ///< of the whole program, in order
};

/// REG-2 to REG-6.
Status checkProblem(const RegisterProblem &problem);

/// A move between a register and the save area.
struct Transfer {
  enum Kind {
    Reload, ///< just before `statement`, which reads `value` in `reg`
    Save    ///< just after `statement`, which writes `value` to `reg`
  };
  Kind kind = Reload;
  StatementId statement = 0;
  ValueId value = 0;
  int64_t reg = kNone;
  int64_t slot = kNone;
};

/// From just before `first` to just after `last`, two statements of one body,
/// `value` is in `reg`, not where it is around them. Parts of a value lie apart
/// or within each other.
struct Part {
  ValueId value = 0;
  StatementId first = 0, last = 0;
  int64_t reg = kNone;
  bool enters = false; ///< a move to `reg` just before `first`
  bool leaves = false; ///< a move back just after `last`
};

/// registers[v] is value v's register outside its parts, or kNone: then v is
/// needed in them alone, or lives in the save area: every statement that reads
/// it has a Reload and every one that writes it a Save.
///
/// Before a statement, the moves of parts come in their order here; after it,
/// in the opposite order. A plan has transfers or parts, not both.
struct RegisterSolution {
  std::vector<int64_t> registers;
  std::vector<Transfer> transfers;
  std::vector<Part> parts;
};

/// The law that `solution` breaks, with both program points, or an empty
/// string. Shares no code with the solver: it runs the program on registers
/// that hold names of values until nothing changes (Validator.cpp). `problem`
/// keeps REG-2 to REG-5.
std::string findViolation(const RegisterProblem &problem,
                          const RegisterSolution &solution);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_PROBLEM_H
