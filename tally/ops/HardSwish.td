include "tally/ops/OpBase.td"

def Nn_HardSwishOp : Nn_RealUnaryOp<"hard_swish"> {
  let summary = "x between 0 and x, by x/6 + 1/2";
  let description = [{
    Float order: y = x * c + 0.5 with c the number 1/6 in the element's type,
    each step rounded; 0 where y < 0 and 1 where y > 1; then x * y. NaN stays
    NaN, -inf gives NaN (-inf * 0). Quantized: x clamp(x/6 + 1/2, 0, 1) with
    the exact 1/6, one rounding.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-inf", "nan">,
                  Nn_At<"inf", "inf">];
  let courses = [Nn_Valley<"-1.5", "-0.375", "inf">];
}
