//===- ExplainStates.h - where states live, as remarks ----------*- C++ -*-===//
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
/// tensors that are joined or cut, and what a call writes and copies of states.
void explainStorage(mlir::ModuleOp module);

/// The latter, of code with these states.
void explainStates(mlir::ModuleOp module, const runtime::Interface &interface);

/// STATE-10.
Status checkStateCopies(const runtime::Interface &interface,
                        std::optional<int64_t> allowed);

} // namespace tally

#endif // TALLY_DRIVER_EXPLAINSTATES_H
