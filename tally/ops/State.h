//===- State.h - values that outlive a call ---------------------*- C++ -*-===//
//
// nn.state, nn.state_read, nn.state_write and nn.shift_in; their rules are in
// State.td. They are apart from the operators of Ops.h: no model has them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_STATE_H
#define TALLY_OPS_STATE_H

#include "tally/eval/Tensor.h"
#include "tally/graph/Dialect.h"
#include "tally/graph/Interfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>
#include <string>

#define GET_OP_CLASSES
#include "tally/ops/State.h.inc"

namespace tally::nn {

/// The states of the module that `function` is in, in order.
llvm::SmallVector<StateOp> statesOf(mlir::func::FuncOp function);

/// How a state's new value gets to where the next call reads the old one; the
/// same as runtime::StatePolicy, by the same names. The last one is for targets
/// whose caller counts: the new value is min(old + step, last).
enum class StatePolicy { Flip, InPlace, Ring, Keep, Exchange, Counter };

/// Where a state lives, decided before code is generated (rewrite/state). Slots
/// are entries of the block's list (runtime/StateLayout.h).
struct StatePlace {
  StatePolicy policy = StatePolicy::Flip;
  int64_t current = 0, next = 0; ///< entries of the old and the new value
  bool isRead = false, isWritten = false;
  /// Ring, in bytes: from the old value to the new one, and to the memory that
  /// is written. The value is `rows` equal parts, each `pitch` behind the last.
  int64_t advance = 0, target = 0, rows = 1, pitch = 0;
  int64_t step = 0, last = 0; ///< Counter
  std::string reason; ///< why the policy is not a better one; may be empty
};

/// Where `state` lives; nothing before that was decided.
std::optional<StatePlace> placeOf(StateOp state);
void setPlace(StateOp state, const StatePlace &place);

/// A number that the caller counts up (StatePolicy::Counter): in [0, most] when
/// a call begins.
struct Counter {
  mlir::BlockArgument argument;
  StateOp state;
  int64_t most = 0;
};
/// Those among the arguments of `function`, in order.
llvm::SmallVector<Counter> countersOf(mlir::func::FuncOp function);

/// Attributes of a module whose states have places: the bytes of each slot, and
/// the entry that each entry becomes after a call (DenseI64ArrayAttr).
inline constexpr llvm::StringLiteral kSlotBytes = "nn.slot_bytes";
inline constexpr llvm::StringLiteral kCommit = "nn.commit";

/// Attribute (a symbol) of an argument or result of `main` that is a state's
/// old or new value. They come last.
inline constexpr llvm::StringLiteral kStateOfValue = "nn.state";

/// How many arguments and results of `function` are the model's own.
unsigned ownArguments(mlir::func::FuncOp function);
unsigned ownResults(mlir::func::FuncOp function);

/// A state's initial value; nothing when the caller gives it.
std::optional<eval::Tensor> initialValue(StateOp state);

} // namespace tally::nn

#endif // TALLY_OPS_STATE_H
