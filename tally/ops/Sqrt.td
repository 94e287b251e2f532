include "tally/ops/OpBase.td"

def Nn_SqrtOp : Nn_RealUnaryOp<"sqrt"> {
  let summary = "the square root";
  let description = [{
    Correctly rounded. NaN below zero, -0 stays -0. Quantized: the exact real,
    one rounding; below zero there is none, which gives the code of 0.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-1", "nan">, Nn_At<"-0", "-0">,
                  Nn_At<"inf", "inf">];
  let courses = [Nn_Up<"0", "inf">];
  let gridNote = "codes below real 0 give z2";
}
