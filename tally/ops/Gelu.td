include "tally/ops/OpBase.td"

def Nn_GeluOp : Nn_FloatUnaryOp<"gelu"> {
  let summary = "x times the normal distribution function";
  let description = [{
    x/2 (1 + erf(x / sqrt 2)), or with `tanh` the approximation
    x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). Floats: the pinned functions
    geluErf and geluTanh (quant/PinnedMath.h); -inf gives NaN (-inf * 0).
    Quantized: the exact real of the chosen formula, one rounding; the two
    forms are different tables.
  }];
  let arguments = (ins Nn_Tensor:$input, BoolAttr:$tanh);
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-inf", "nan">,
                  Nn_At<"inf", "inf">];
  let courses = [Nn_Valley<"-0.7525", "-0.17005", "inf", "tanh">,
                 Nn_Valley<"-0.7518", "-0.16998", "inf">];
}
