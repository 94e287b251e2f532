include "tally/ops/OpBase.td"

def Nn_StorageCastOp : Nn_Op<"storage_cast", [Nn_View, Nn_ElementwiseStage]> {
  let summary = "reads codes as plain integers, or the other way round";
  let description = [{
    The bytes stay; only the type changes between a quantized type and the
    integer that stores it, or between two quantized types of one storage.

    Rules:
      * CAST-1  both sides have the same storage element
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output);
  let hasVerifier = 1;
  let elements = "quantized types and the integers that store them";
  let specialNote = "the bytes stay";
  let examples = [
    Nn_OwnTypes<["codes 2: int_min int_max"], ["i8 2: int_min int_max"]>
  ];
  let monotone = "up between types of one sign";
  let range = "every code";
  let resultGrid = "free";
  let gridNote = "the result type states it: the same codes, other reals";
}
