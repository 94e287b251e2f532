include "tally/ops/OpBase.td"

def Nn_WhereOp
    : Nn_Op<"where",
        [Nn_ElementwiseStage,
         DeclareOpInterfaceMethods<Nn_Quantizable, ["hasQuantizedMeaning"]>]> {
  let summary = "x where the condition holds, else y, broadcast";
  let description = [{
    Elements are copied as they are. Quantized: the exact real of the chosen
    operand, one rounding onto the result's grid (with equal grids, the code).

    Rules:
      * WHERE-1  the condition is boolean
      * WHERE-2  x and y have one element type; codes may have any grids, per
                 tensor and of at most 16 bits
      * WHERE-3  the three shapes broadcast
  }];
  let arguments = (ins Nn_Tensor:$condition, Nn_Tensor:$x, Nn_Tensor:$y);
  let results = (outs Nn_Tensor:$output);
  let elements = "a boolean condition, and x and y of one type";
  let specialNote = "elements are copied as they are";
  let examples = [
    Nn_Example<["i1 2: true false", "2: nan 1", "2: 1 -0"], ["2: nan -0"]>
  ];
  let monotone = "up in x and in y";
  let range = "the operands' range";
  let resultGrid = "free";
}
