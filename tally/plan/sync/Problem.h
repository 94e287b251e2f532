//===- Problem.h - operations that must wait for each other -----*- C++ -*-===//
//
// Synchronization planning. A command processor issues operations, in one total
// order, into queues; operations of different queues run at the same time and
// meet only through the registers of a synchronization file.
//
// An operation arrives at the head of its queue, passes its waits (each alone,
// at any time from then on), starts, completes, and signals. Of one queue:
//
//   in order      it arrives when the one before it has completed;
//   out of order  it arrives when the one before it has started: operations
//                 start in order and complete in any order.
//
// A queue holds `depth` operations, the running ones included; issuing waits
// while it is full.
//
// Regions make a program of it: the command processor issues the operations of
// a loop once for each trip, and those of one branch of an if. How often and
// which is known only when it runs. Commands are those of the code as written,
// equal in every trip.
//
// Rules (FailureKind::Model unless said otherwise):
//   SYNC-1  the text has the form of Text.h
//   SYNC-2  a queue has a depth of at least 1
//   SYNC-3  an operation names a queue that exists, its duration is from 0 to
//           2^32 - 1
//   SYNC-4  a dependency names operations that exist
//   SYNC-5  a dependency within one trip points forward in the issue order
//   SYNC-6  the file has 1 to 32 bits, no more than 65,536 registers, and its
//           reserved registers are among them
//   SYNC-7  without a usable register, there are drains (Unsupported)
//   SYNC-8  tokens or flags suffice for a hand-off chain, or there are drains
//           (Unsupported)
//   SYNC-9  a counter can count its signals, or there are drains (Unsupported)
//   SYNC-10 operations times columns of order, one for each queue and for each
//           operation in flight out of order, fit in 2^31; operations of a loop
//           times the trips looked at together, in 2^24 (Unsupported)
//   SYNC-11 regions nest, or lie apart; outer ones come first
//   SYNC-12 a dependency goes back 0 to 65,535 trips of a loop that holds both
//           its ends; within a trip, its ends are not in two branches of one if
//   SYNC-13 a loop's waits have a form that is equal in every trip: relative
//           waits, tokens or flags that suffice, or drains (Unsupported)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_PROBLEM_H
#define TALLY_PLAN_SYNC_PROBLEM_H

#include "tally/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tally::plan::sync {

/// Position of an operation in the issue order.
using Op = uint32_t;

struct Queue {
  std::string name;
  int64_t depth = 1;
  bool inOrder = true;
};

/// Operations stand in issue order.
struct Operation {
  std::string name;
  uint32_t queue = 0;
  int64_t duration = 1; ///< predicted; only prices depend on it
};

/// What must have happened to `from` before `to` starts.
enum class Strength : uint8_t { Issued /*started*/, Completed };

/// `to` waits for every time that `from` ran in the same trip of the innermost
/// loop that holds both; with a distance, in the trip that many before it, if
/// there was one. Without a distance, one of an operation on itself means
/// nothing.
struct Dependency {
  Op from = 0, to = 0;
  Strength strength = Strength::Completed;
  uint32_t distance = 0;
};

/// Operations [first, end) that run together: several times, or perhaps not.
struct Region {
  static constexpr int64_t kAnyTrips = -1;

  enum Kind : uint8_t {
    Loop, ///< [first, end) run from 0 to `trips` times
    If,   ///< either [first, elseAt) or [elseAt, end) run
  };
  Kind kind = Loop;
  std::string name;
  Op first = 0, end = 0;
  Op elseAt = 0;             ///< of an if
  int64_t trips = kAnyTrips; ///< of a loop: at most
};

enum class FileKind {
  Counter, ///< a signal adds 1; a wait passes from a value on
  Token,   ///< a signal adds 1; a wait passes above 0 and takes 1
  Flag,    ///< a signal sets; a wait tests; an operation clears at its start
};

/// What a register's number is unique within: a file has `count` registers
/// for each of these.
enum class FileKey { Global, Source, SourceDestination };

/// All registers are 0 at first, and have to be at the end.
struct SyncFile {
  FileKind kind = FileKind::Counter;
  FileKey key = FileKey::Global;
  int64_t count = 1;
  int64_t bits = 32; ///< of a counter or token: values end at 2^bits - 1
  int64_t waitsPerCommand = 0;    ///< 0: any number
  std::vector<uint32_t> reserved; ///< never used, as for a profiler
  /// The command processor can hold back the issue until all queues are empty
  /// and then set all registers to 0.
  bool drains = false;
  /// A counter's wait may count from the signals that have been issued before
  /// it: until at most so many of them are outstanding.
  bool relative = false;

  int64_t maxValue() const {
    return kind == FileKind::Flag ? 1 : (int64_t(1) << bits) - 1;
  }
  /// Numbers that may be used, ascending.
  std::vector<uint32_t> usable() const;
};

struct SyncProblem {
  std::vector<Queue> queues;
  std::vector<Operation> operations;
  std::vector<Dependency> dependencies;
  SyncFile file;
  std::vector<Region> regions; ///< outer ones first; none: straight-line
};

/// SYNC-2 to SYNC-6, SYNC-11, SYNC-12. A backward dependency is reported with
/// the circle of waiting that it would close.
Status checkProblem(const SyncProblem &problem);

/// SYNC-11 and SYNC-12, of a problem that is right otherwise.
Status checkRegions(const SyncProblem &problem);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_PROBLEM_H
