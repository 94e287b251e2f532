include "tally/ops/OpBase.td"

def Nn_PowOp
    : Nn_Op<"pow",
        [Nn_ElementwiseStage,
         DeclareOpInterfaceMethods<Nn_Quantizable, ["hasQuantizedMeaning"]>]> {
  let summary = "a to the power of b, broadcast; the result has a's type";
  let description = [{
    Float base: the exponent is converted to fp32 with one rounding, then the
    pinned pow (quant/PinnedMath.h), whose special values are those of C.

    Integer base: an integral exponent, of either kind of number, is a product
    that wraps; negative ones give the quotient 1 / product truncated toward
    zero, and 0 for a zero base. Any other exponent: the pinned pow of both
    numbers in fp32, truncated toward zero and saturated, NaN giving 0.

    Quantized: a base of one grid per tensor with one constant f32 exponent:
    the exact real, one rounding. Zero to a negative power gives the highest
    code, a negative base without a real power the code of 0.

    Rules:
      * POW-1  the shapes broadcast
      * POW-2  plain numbers but not an fp64 base, or codes with an f32
               exponent of one element
  }];
  let arguments = (ins Nn_Tensor:$base, Nn_Tensor:$exponent);
  let results = (outs Nn_Tensor:$output);
  let elementKinds = "kFloat | kInteger | kCodes";
  let sharedRules = [Nn_ELEM_1];
  let specials = [Nn_Special<["nan", "0"], "1">, Nn_Special<["1", "nan"], "1">,
                  Nn_Special<["0", "-1"], "inf", "float">,
                  Nn_Special<["-0", "-1"], "-inf">,
                  Nn_Special<["-1", "inf"], "1">,
                  Nn_Special<["-2", "0.5"], "nan">, Nn_Special<["0", "0"], "1">,
                  Nn_Special<["0", "-1"], "0", "integer">];
  let monotone =
      "in the base: up for exponents above 0, down below, over positive bases";
  let range = "every real";
  let resultGrid = "free";
  let gridNote = "for one constant exponent";
  let blocks = Nn_Tables;
}
