include "tally/ops/OpBase.td"

def Nn_SeluOp : Nn_FloatUnaryOp<"selu", [Nn_FiniteParameters]> {
  let summary = "gamma times Elu";
  let description = [{
    `gamma * (x > 0 ? x : alpha * expm1(x))` with the pinned expm1
    (quant/PinnedMath.h), products rounded from the inside out; NaN stays NaN.
    Quantized: the exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha, F32Attr:$gamma);
  let sharedRules = [Nn_ELEM_3, Nn_ELEM_4];
  let specials = [Nn_At<"nan", "nan">];
  let courses = [Nn_Up<"-alpha * gamma", "inf", "gamma > 0 && alpha > 0">,
                 Nn_Valley<"0", "0", "inf", "gamma > 0">,
                 Nn_Down<"-inf", "-alpha * gamma", "alpha > 0">,
                 Nn_Hill<"0", "-inf", "0">];
}
