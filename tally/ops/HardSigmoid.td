include "tally/ops/OpBase.td"

def Nn_HardSigmoidOp : Nn_RealUnaryOp<"hard_sigmoid", [Nn_FiniteParameters]> {
  let summary = "alpha x + beta, between 0 and 1";
  let description = [{
    Float order: y = alpha * x, y = y + beta, each rounded; then 0 where y < 0
    and 1 where y > 1. NaN stays NaN. Quantized: the exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha, F32Attr:$beta);
  let sharedRules = [Nn_ELEM_3, Nn_ELEM_4];
  let specials = [Nn_At<"nan", "nan">];
  let courses = [Nn_Up<"0", "1", "alpha >= 0">, Nn_Down<"0", "1">];
  let gridNote = "all results lie in [0, 1]";
  let blocks =
      [Nn_Affine<"alpha * s1 / s2", "beta / s2", "z2", "Q(1)">] # Nn_Tables;
}
