include "tally/ops/OpBase.td"

def Nn_SigmoidOp : Nn_FloatUnaryOp<"sigmoid"> {
  let summary = "1 / (1 + e^-x)";
  let description = [{
    The pinned function (quant/PinnedMath.h): infinities give 0 and 1.
    Quantized: the exact real, one rounding. The onnxruntime profile dequantizes,
    applies the pinned function and quantizes, all in fp32 (that runtime uses
    an approximation of its own, so that single codes near a tie may differ).
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"inf", "1">, Nn_At<"-inf", "0">];
  let courses = [Nn_Up<"0", "1">];
  let gridNote =
      "all results lie in [0, 1]; scale 1/256 from the smallest code on holds "
      "all but 1";
}
