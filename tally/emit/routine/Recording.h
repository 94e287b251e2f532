//===- Recording.h - what a routine has recorded ----------------*- C++ -*-===//
//
// Private to this folder: the statements of a routine and who owns its scratch
// registers.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ROUTINE_RECORDING_H
#define TALLY_EMIT_ROUTINE_RECORDING_H

#include "tally/emit/routine/Routine.h"

#include <map>

namespace tally::emit {

/// Place in Recording::values: one for each borrow.
using ValueIndex = uint32_t;
/// Place in Recording::nodes.
using NodeIndex = uint32_t;
using Body = std::vector<NodeIndex>;

/// A borrowed register, for as long as anyone remembers it.
struct BorrowedValue {
  Tag tag;
  uint32_t scope = 0;
  std::string role, where;
  std::string ended; ///< how the borrow ended; empty: it has not
};

struct Slot {
  uint32_t generation = 0;
  bool isBorrowed = false;
};

struct OpenScope {
  std::string name;
  bool isOpen = true;
  std::vector<Tag> lent;
};

/// A read of a register that only keeps it: what the longest form of a helper
/// would read.
struct Held {
  ValueIndex value = 0;
  bool late = false;
};

enum class NodeKind {
  Instruction,
  Reserve, ///< nothing is emitted; `held` begin to be held
  Keep,    ///< nothing is emitted; `held` are held up to here
  Inlined, ///< `raw`, which destroys `clobbers`
  Loop,    ///< while `held`, the counter, is not 0
  If,      ///< `instruction` is the branch to `body`, with an offset of 0
};

/// Registers in `instruction` are 1 + ValueIndex, or 0 for x0.
struct Node {
  NodeKind kind = NodeKind::Instruction;
  std::string name; ///< "addi@Copy.cpp:41#12"
  isa::Instruction instruction;
  std::vector<Held> held;
  int64_t trips = kUnknownTrips;
  Body body, otherwise;
  std::vector<isa::Instruction> raw;
  uint32_t clobbers = 0;  ///< bit r: x[r]
  uint32_t modelNode = 0; ///< place in Recording::modelNodes
};

/// What is known of the staged fields of each queue.
using Staged = std::vector<std::vector<std::optional<int64_t>>>;

struct Recording {
  Recording(const machine::Machine &machine, const RoutineOptions &options);

  const machine::Machine &machine;
  RoutineOptions options;

  std::vector<BorrowedValue> values;
  std::map<Tag, ValueIndex> valueOf;
  std::vector<Slot> slots;
  std::vector<uint32_t> freeSlots;
  std::vector<OpenScope> scopes;
  std::vector<uint32_t> openScopes; ///< innermost last

  std::vector<Node> nodes;
  Body body;
  /// Where statements go, innermost last: a node's body, or its `otherwise`.
  struct OpenBody {
    NodeIndex node = 0;
    bool otherwise = false;
  };
  std::vector<OpenBody> openBodies;
  bool isFinished = false;
  /// Nodes of the model; statements that are added belong to the last one.
  std::vector<std::string> modelNodes{""};

  Staged staged;
  /// Entries put into each queue, counted along the path with the fewest.
  std::vector<int64_t> entries;
  /// Grows wherever control may come from elsewhere.
  uint64_t epoch = 0;

  Status failure; ///< the first

  void fail(Diagnostic diagnostic);
  bool failed() const { return !failure; }

  Tag borrow(uint32_t scope, std::string role, std::string where);
  /// Ends the borrow if it has not ended.
  void giveBack(Tag tag, const std::string &how);
  bool isBorrowed(Tag tag) const;
  /// The value of an operand that `user` reads or writes; EMIT-1, EMIT-4.
  std::optional<ValueIndex> resolve(const Operand &operand,
                                    const std::string &user);

  Body &currentBody();
  NodeIndex add(Node node, std::string_view what, const std::string &where);
  void forgetStaged();
};

/// What `routine` records, for the other sources of this folder.
Recording &recordingOf(const Routine &routine);

/// "Copy.cpp:41".
std::string placeOf(std::source_location where);

Diagnostic emitFailure(FailureKind kind, const char *rule, std::string message,
                       std::string hint = "");

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_RECORDING_H
