//===- Declare.h - inputs and outputs that are states -----------*- C++ -*-===//
//
// A streaming model in ONNX hands its state out and wants it back: an output
// of one call is an input of the next. Declared as a state, the two leave the
// interface and become nn.state_read and nn.state_write (ops/State.td).
//
// Two tensors are never paired because their shapes agree: the caller names
// them, if need be with the help of `proposedStates`, which goes by names.
//
// Rules (FailureKind::Usage):
//   STATE-5  the pair names an output and an input of the model
//   STATE-6  the two have one shape and element; when the output has codes of a
//            grid and the input plain integers, so has the state
//   STATE-7  an input becomes one state
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_STATE_DECLARE_H
#define TALLY_REWRITE_STATE_DECLARE_H

#include "tally/ops/State.h"
#include "tally/support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace tally::rewrite {

/// An output and the input of the next call that it becomes.
struct StatePair {
  std::string output, input;
  bool operator==(const StatePair &) const = default;
};

struct StateRequest {
  StatePair pair;
  /// The value before the first call, of the input's type; nothing: the caller
  /// of the compiled model gives it.
  std::optional<eval::Tensor> initial;
  bool keepsOutput = false; ///< the output stays one, too
  /// Of a number: the largest with which a call may begin.
  std::optional<int64_t> most;
};

/// Makes states of function `main`, named after the inputs, and notes their
/// hash (stateHash) on the module. STATE-5 to STATE-7; on failure the module
/// is as it was.
Status declareStates(mlir::ModuleOp module,
                     const std::vector<StateRequest> &requests);

/// Pairs of outputs and inputs of one type whose names differ only in a word
/// for "before" and "after": past and present, in and out, prev and next, h0
/// and hn, ... A name that fits two partners is in no pair. With `grows` also
/// pairs whose output is longer in one dimension.
std::vector<StatePair> proposedStates(mlir::func::FuncOp function,
                                      bool grows = false);

/// The real number 0 as a tensor of the argument's type: codes are the zero
/// point, also where the argument has plain integers and every reader takes
/// them as codes of one grid.
eval::Tensor zeroOf(mlir::BlockArgument argument);

/// Of the operations of `main`, their constants and the states: what a saved
/// state belongs to. Names of nodes and files do not count.
uint64_t stateHash(mlir::ModuleOp module);

/// Attribute (an i64) of a module with states: stateHash of the imported graph.
inline constexpr llvm::StringLiteral kStateHash = "nn.state_hash";

} // namespace tally::rewrite

#endif // TALLY_REWRITE_STATE_DECLARE_H
