include "tally/ops/OpBase.td"

def Nn_QuantizeRuntimeOp : Nn_Op<"quantize_runtime"> {
  let summary = "real numbers to plain codes with a scale known when run";
  let description = [{
    `code = sat(RHE(x / scale) + zeroPoint)` with an fp32 division; NaN gives
    the smallest code. `element` is the type of the result; a missing zero
    point is 0. `bits`, when not 0, narrows the codes to that many bits of the
    element's sign, still one per element.

    Scale and zero point have one shape: a single number; one entry per index
    of `axis`; or, when blockSize is positive, the input's shape with dimension
    `axis` replaced by ceil(D / blockSize), one entry per run of indices.

    Rules:
      * RTQ-1  input and scale are f32
      * RTQ-2  scale and zero point have one of the shapes above
      * RTQ-3  the result is an 8 or 16-bit integer, the zero point's type, and
               bits is 0 or from 2 to the element's
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$scale,
                       Nn_OptionalTensor:$zeroPoint, TypeAttr:$element,
                       I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$blockSize,
                       DefaultValuedAttr<I64Attr, "0">:$bits);
  let results = (outs Nn_Tensor:$output);
  let elements = "f32";
  let specialNote = "NaN gives the smallest code; infinities saturate";
  let examples = [
    Nn_OwnTypes<["f32 4: nan inf -inf -0", "f32 scalar: 1"],
      ["i8 4: int_min int_max int_min 0"], "{element = i8, axis = 0 : i64}">
  ];
  let monotone = "up for a positive scale";
  let range = "every code of `bits` bits";
  let resultGrid = "none";
  let gridNote = "plain codes";
}
