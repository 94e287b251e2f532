include "tally/ops/OpBase.td"

def Nn_SubOp
    : Nn_BinaryOp<"sub", [Nn_FusionAnchor,
                          DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "a - b, broadcast";
  let description = [{
    Integers wrap. On quantized tensors: the exact difference of both reals, one
    rounding onto the result's grid.
  }];
  let specials = [Nn_Special<["inf", "inf"], "nan">,
                  Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["-0", "0"], "-0">,
                  Nn_Special<["int_min", "1"], "int_max">];
  let monotone = "up in a, down in b, but for integers that wrap";
  let range = "every real";
}
