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

/// A remark for each state of a module whose states have places, with what a
/// call of its CPU code writes and copies.
void explainStates(mlir::ModuleOp module);

/// The same of code with these states.
void explainStates(mlir::ModuleOp module, const runtime::Interface &interface);

/// STATE-10.
Status checkStateCopies(const runtime::Interface &interface,
                        std::optional<int64_t> allowed);

} // namespace tally

#endif // TALLY_DRIVER_EXPLAINSTATES_H
