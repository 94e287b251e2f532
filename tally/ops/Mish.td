include "tally/ops/OpBase.td"

def Nn_MishOp : Nn_FloatUnaryOp<"mish"> {
  let summary = "x tanh(log(1 + e^x))";
  let description = [{
    `x * tanh(softplus(x))` with the pinned functions (quant/PinnedMath.h);
    NaN stays NaN, -inf gives NaN (-inf * 0). Quantized: the exact real, one rounding.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-inf", "nan">,
                  Nn_At<"inf", "inf">];
  let courses = [Nn_Valley<"-1.19247", "-0.30885", "inf">];
}
