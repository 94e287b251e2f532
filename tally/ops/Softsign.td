include "tally/ops/OpBase.td"

def Nn_SoftsignOp : Nn_RealUnaryOp<"softsign"> {
  let summary = "x / (1 + |x|)";
  let description = [{
    Float order: the sum, then the quotient. NaN stays NaN, infinities give
    NaN (inf / inf), -0 stays. Quantized: the exact real, one rounding.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"inf", "nan">,
                  Nn_At<"-inf", "nan">, Nn_At<"-0", "-0">];
  let courses = [Nn_Up<"-1", "1">];
  let gridNote = "all results lie in [-1, 1]";
}
