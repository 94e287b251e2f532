//===- MovementBase.td - operators that only move elements --*- tablegen -*-===//
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_MOVEMENTBASE_TD
#define TALLY_OPS_MOVEMENTBASE_TD

include "tally/ops/OpBase.td"

def Nn_MOVE_1 : Nn_Rule<"MOVE-1", "a per-axis grid's axis keeps its indices">;
def Nn_MOVE_2 : Nn_Rule<"MOVE-2", "the result has the input's element type "
                                  "and, when quantized, its grid, moved along "
                                  "with its axis">;

/// One tensor whose elements are moved, repeated or dropped. The operator's
/// .cpp defines inferReturnTypeComponents, movedAxis and evaluate, and
/// ops/StridedMap.cpp says where each element comes from.
class Nn_MovementOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic,
            [DeclareOpInterfaceMethods<Nn_Movement, ["movedAxis"]>] # traits> {
  let results = (outs Nn_Tensor:$output);
  let hasVerifier = 1;
  let elements = "every type";
  let sharedRules = [Nn_MOVE_1, Nn_MOVE_2];
  let specialNote = "elements are copied as they are";
  let monotone = "up in every element";
  let range = "the input's range";
  let resultGrid = "same";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tally::nn::verifyMovement(*this);
    }
  }];
}

#endif // TALLY_OPS_MOVEMENTBASE_TD
