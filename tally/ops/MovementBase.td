//===- MovementBase.td - operators that only move elements --*- tablegen -*-===//
//
// Shared rules of the family:
//   MOVE-1  a per-axis grid's axis keeps its indices
//   MOVE-2  the result has the input's element type and, when quantized, its
//           grid, moved along with its axis
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_MOVEMENTBASE_TD
#define TALLY_OPS_MOVEMENTBASE_TD

include "tally/ops/OpBase.td"

/// One tensor whose elements are moved, repeated or dropped. The operator's
/// .cpp defines inferReturnTypeComponents, movedAxis and evaluate, and
/// ops/StridedMap.cpp says where each element comes from.
class Nn_MovementOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic,
            [DeclareOpInterfaceMethods<Nn_Movement, ["movedAxis"]>] # traits> {
  let results = (outs Nn_Tensor:$output);
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tally::nn::verifyMovement(*this);
    }
  }];
}

#endif // TALLY_OPS_MOVEMENTBASE_TD
