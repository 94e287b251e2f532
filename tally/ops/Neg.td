include "tally/ops/OpBase.td"

def Nn_NegOp : Nn_UnaryOp<"neg"> {
  let summary = "-x";
  let description = [{
    Floats: the sign bit is flipped, of zeros and NaN too. Integers wrap: the
    negative of INT_MIN is INT_MIN. Quantized: the exact real, one rounding;
    it saturates and does not wrap.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"0", "-0", "float">,
                  Nn_At<"-0", "0">, Nn_At<"inf", "-inf">,
                  Nn_At<"int_min", "int_min">];
  let courses = [Nn_Down<"-inf", "inf">];
  let gridNote =
      "on the input's own scale the mirrored zero point, min + max - z1, "
      "saturates nowhere";
  let blocks =
      [Nn_Xor<"min < 0 ? -1 : max">, Nn_Affine<"-s1 / s2">] # Nn_Tables;
}
