include "tally/ops/OpBase.td"

def Nn_MatMulIntegerOp : Nn_Op<"matmul_integer",
    [Nn_FusionAnchor, AttrSizedOperandSegments]> {
  let summary = "matrix product of plain 8-bit integers in 32 bits";
  let description = [{
    `sum over k of (a' - aZeroPoint) * (b' - bZeroPoint)`, shapes, `transA`
    and `transB` as nn.matmul; the i32 result wraps. Zero points may be computed
    at run time. Absent ones are 0. One zero point serves all; else a's are one
    per row of a' (shape [M], or a's shape with K replaced by 1), b's one per
    column of b' (shape [N], or b's with K replaced by 1).

    Rules:
      * MATMULI-1  as MATMUL-1
      * MATMULI-2  as MATMUL-2
      * MATMULI-3  a and b are i8 or ui8, zero points of the same type
      * MATMULI-4  zero points have one of the shapes above
  }];
  let arguments = (ins Nn_Tensor:$a, Nn_Tensor:$b,
                       Nn_OptionalTensor:$aZeroPoint,
                       Nn_OptionalTensor:$bZeroPoint,
                       DefaultValuedAttr<BoolAttr, "false">:$transA,
                       DefaultValuedAttr<BoolAttr, "false">:$transB);
  let results = (outs Nn_Tensor:$output);
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> positionalOperands() {
      return {getA(), getB(), getAZeroPoint(), getBZeroPoint()};
    }
  }];
  let elements = "plain i8 or ui8";
  let specialNote = "i32 sums wrap";
  let examples = [
    Nn_OwnTypes<["ui8 1x2: int_max int_max", "i8 2x1: int_min int_max"],
      ["i32 1x1: -255"], "{operandSegmentSizes = array<i32: 1, 1, 0, 0>}">
  ];
  let monotone = "in an element as the sign of its factors says";
  let range = "every i32";
  let resultGrid = "none";
  let gridNote = "plain i32";
}
