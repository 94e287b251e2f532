include "tally/ops/OpBase.td"

def Nn_PReluOp
    : Nn_Op<"prelu",
        [Nn_ElementwiseStage,
         DeclareOpInterfaceMethods<Nn_Quantizable, ["hasQuantizedMeaning"]>]> {
  let summary = "x below zero times a slope";
  let description = [{
    `x < 0 ? slope * x : x`; NaN and -0 stay. Integers wrap. The slope is
    broadcast to the input.

    Quantized: codes of one grid per tensor with a constant slope, a real f32
    or codes of any grid: the exact real, one rounding.

    Rules:
      * PRELU-1  the slope broadcasts to the input's shape
      * PRELU-2  input and slope have one element type, or the input is codes
                 and the slope is f32 or codes
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$slope);
  let results = (outs Nn_Tensor:$output);
  let elementKinds = "kNumber | kCodes";
  let specials = [Nn_Special<["nan", "2"], "nan">,
                  Nn_Special<["-0", "2"], "-0">,
                  Nn_Special<["-inf", "0"], "nan">,
                  Nn_Special<["int_min", "2"], "0">];
  let monotone =
      "up where the slope is not negative, else falling to 0, then rising";
  let range = "every real; from 0 on where the slope is not positive";
  let resultGrid = "free";
  let gridNote = "for a constant slope";
  let blocks = [Nn_TwoSlope<"slope * s1 / s2", "s1 / s2">] # Nn_Tables;
}
