//===- ExplainStates.h - where states and outputs live ----------*- C++ -*-===//
//
// Rules: STATE-10 no more states are copied than --max-state-copies allows
// (Unsupported).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_EXPLAINSTATES_H
#define TALLY_DRIVER_EXPLAINSTATES_H

#include "tally/runtime/Interface.h"

#include "mlir/IR/BuiltinOps.h"

namespace tally {

/// Remarks for a module whose states have places: where its CPU code keeps
/// tensors that are joined or cut, and what a call writes and copies of outputs
/// and states.
void explainStorage(mlir::ModuleOp module);

/// Of each output how it gets to the caller's memory: `whyCopied` is empty
/// where the operator that computes it stores it there. One whose value is a
/// state's new value, too, is a final-state output, any other a direct output.
void explainOutputs(mlir::ModuleOp module,
                    llvm::ArrayRef<std::string> whyCopied);

/// What a call writes and copies of states, of code with these.
void explainStates(mlir::ModuleOp module, const runtime::Interface &interface);

/// STATE-10.
Status checkStateCopies(const runtime::Interface &interface,
                        std::optional<int64_t> allowed);

} // namespace tally

#endif // TALLY_DRIVER_EXPLAINSTATES_H
