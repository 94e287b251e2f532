//===- Problem.h - which bytes must not be shared ---------------*- C++ -*-===//
//
// Static memory planning: every storage has a size and a time in which it is
// needed, and gets one offset in one memory. Two storages that are needed at
// one time ("meet") must not share bytes.
//
// When a storage is needed is said in one of two ways, for a whole problem:
//
//   steps     a set of half-open intervals [begin, end) of a total order; it is
//             free in between;
//   accesses  the operations that read or write it. Operations are in queues,
//             each of which completes them in order; an operation starts after
//             those of its `after` have completed. A storage may follow another
//             in the same bytes when every access of the first has completed
//             before any of the second starts, for every legal timing.
//
// A part lies at a fixed place inside of its root: a view, a slice, one operand
// of a concat. Root and parts are needed together: as long as any of them is.
//
// Rules (FailureKind::Model unless said otherwise):
//   MEM-1  the text has the form of Text.h, the table that of Csv.h
//   MEM-2  sizes are not negative; alignments and the granule are powers of two
//          up to 2^40; limits are not negative; names are distinct
//   MEM-3  intervals do not end before they begin; steps or accesses, not both;
//          accesses, queues and `after` name what is there, earlier in the text
//   MEM-4  a part lies inside of its root, which is no part of the part; it has
//          no address, bank or class of its own
//   MEM-5  one address suits the alignments of a root and of all its parts
//   MEM-6  a fixed address suits alignment and bank, and bytes that are
//          reserved or fixed for another
//   MEM-7  banks and reserved ranges are [begin, end) with 0 <= begin < end
//   MEM-8  all bytes together, with padding, are fewer than 2^60
//   MEM-9  conflicts and in-place pairs are of two storages with roots of
//          their own
//   MEM-10 the plan ends inside of what addresses can express (Unsupported)
//   MEM-11 the plan ends inside of the memory (Unsupported)
//   MEM-12 the plan ends inside of the budget (Unsupported)
//   MEM-13 a plan that no limit forbids was found (Unsupported)
//   MEM-14 every storage has a place at all (Unsupported)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_MEMORY_PROBLEM_H
#define TALLY_PLAN_MEMORY_PROBLEM_H

#include "tally/support/Result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tally::plan::memory {

/// Positions in MemoryProblem's `storages` and `operations`.
using StorageId = uint32_t;
using OpId = uint32_t;

/// No address, bank, root or operation.
inline constexpr int64_t kNone = -1;
inline constexpr int64_t kUnlimited = INT64_MAX;

/// Half-open, of steps or bytes.
struct Interval {
  int64_t begin = 0, end = 0;
  bool operator==(const Interval &) const = default;
};

enum class StorageClass {
  Transient, ///< needed when it says so
  Constant,  ///< needed always
  State,     ///< needed always: it outlives a run
  Caller,    ///< the caller's own bytes: in no one's way, at an address that is
             ///< a multiple of `alignment`; offsets are counted from there
};
const char *className(StorageClass kind);

struct Storage {
  std::string name;
  int64_t bytes = 0;
  int64_t alignment = 1; ///< of the address
  std::vector<Interval> life;
  std::vector<OpId> accesses;
  StorageClass kind = StorageClass::Transient;
  int64_t at = kNone;   ///< the address it has to have
  int64_t bank = kNone; ///< the bank it has to lie in
  int64_t root = kNone; ///< of a part: a StorageId
  int64_t rootOffset = 0;

  bool isPart() const { return root != kNone; }
};

/// Bytes [begin, end) with a name: a bank, or what is reserved.
struct Region {
  std::string name;
  int64_t begin = 0, end = 0;
};

struct Operation {
  std::string name;
  uint32_t queue = 0;
  std::vector<OpId> after; ///< operations that come earlier in the problem
};

/// `result` may take the address of `operand`, although both are needed at one
/// step or operation, at which the result's life begins and the operand's ends:
/// the owner of the problem vouches that each byte is read before it is
/// written. The planner takes the pair only if it helps.
struct InPlace {
  StorageId result = 0, operand = 0;
  int64_t operation = kNone; ///< with accesses: the one that has both
};

/// Four numbers that are often taken for one another.
struct Limits {
  int64_t encodable = kUnlimited; ///< addresses end here
  int64_t capacity = kUnlimited;  ///< the memory ends here
  int64_t budget = kUnlimited;    ///< what is granted
  int64_t granule = 1; ///< storages and the whole take multiples of it
  int64_t tightest() const;
};

struct MemoryProblem {
  Limits limits;
  std::vector<Region> banks;
  std::vector<Region> reserved; ///< never used
  std::vector<std::string> queues;
  std::vector<Operation> operations;
  std::vector<Storage> storages;
  /// These meet, whatever their lives say.
  std::vector<std::pair<StorageId, StorageId>> conflicts;
  std::vector<InPlace> inPlace;
};

/// MEM-2 to MEM-9.
Status checkProblem(const MemoryProblem &problem);

/// offsets[i] is storage i's address, counted from the caller's own for parts
/// of class Caller. It owns [offset, offset + bytes), rounded up to granules,
/// whenever it is needed.
struct MemoryPlan {
  std::vector<int64_t> offsets;
  std::vector<uint32_t> inPlace; ///< positions of the pairs that were taken
  int64_t extent = 0; ///< end of the highest storage, rounded up to a granule
};

/// What is wrong with a plan; no law: nothing.
struct Violation {
  std::string law; ///< "shape", "address", "alignment", "fixed", "bank",
                   ///< "reserved", "part", "overlap", "in place", "extent"
  std::string message;
  explicit operator bool() const { return !law.empty(); }
};

/// The law that `plan` breaks. Shares no code with the solver (Validator.cpp).
/// `problem` keeps MEM-2 to MEM-9. Limits are not laws: the report compares
/// them with the extent.
Violation findViolation(const MemoryProblem &problem, const MemoryPlan &plan);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_PROBLEM_H
