include "tally/ops/OpBase.td"

def Nn_ClipOp : Nn_FloatUnaryOp<"clip"> {
  let summary = "min(max(x, low), high)";
  let description = [{
    Constant bounds; an absent one is an infinity. The result is `low` where
    x < low, and then `high` where high < that: bounds in the wrong order give
    `high` everywhere. NaN stays NaN; a zero equal to a bound keeps its sign.
    Integers, fp64 and bounds known at run time only are an nn.max and an
    nn.min.

    Quantized: exact real, one rounding; with equal grids that is the code
    between the codes of both bounds.

    Rules:
      * CLIP-1  no bound is NaN (implementations disagree about its meaning)
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$low, F32Attr:$high);
  let hasVerifier = 1;
  let specials = [Nn_At<"nan", "nan">];
  let courses = [Nn_Up<"std::min(low, high)", "high">];
  let gridNote =
      "on the input's own grid the code between the codes of both bounds";
  let blocks = [Nn_Affine<"s1 / s2", "0", "Q(std::min(low, high))",
                          "Q(high)">] # Nn_Tables;
}
