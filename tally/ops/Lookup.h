//===- Lookup.h - codes by a table ------------------------------*- C++ -*-===//
//
// nn.lookup, whose rules are in Lookup.td. It is apart from the operators of
// Ops.h: no model has it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_LOOKUP_H
#define TALLY_OPS_LOOKUP_H

#include "tally/graph/Dialect.h"
#include "tally/graph/Interfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tally/ops/Lookup.h.inc"

namespace tally::nn {

/// Whether a tensor's elements are codes of 8 bits of one grid that has all 256
/// of them.
bool hasAllBytes(mlir::Type tensor);

} // namespace tally::nn

#endif // TALLY_OPS_LOOKUP_H
