include "tally/ops/OpBase.td"

def Nn_IntegerSoftmaxOp : Nn_Op<"integer_softmax", [Nn_AlongAxis]> {
  let summary = "softmax on codes, in integers";
  let description = [{
    For a model's own integer softmax (QLinearSoftmax). Per line along `axis`,
    with m the largest code and s the input's scale:

        t[i] = RHE(2^30 * exp(-s * (m - code[i])))     exact, a table of 256
        S    = sum of t                                64 bits
        y[i] = sat(RHE(t[i] / (S * resultScale)) + resultZeroPoint)

    where the last quotient is the exact rational, rounded once. The share
    t / S differs from the real softmax by less than (n + 1) * 2^-31 on a line
    of n codes. This is Tally's definition under the ideal and tflite profiles.
    Under onnxruntime that runtime's kernel: fp32 exponentials added in order,
    shares in fp64 (eval/OnnxRuntimeKernels.h).

    Rules:
      * ISOFTMAX-1  the axis is a dimension
      * ISOFTMAX-2  the input is quantized per tensor with at most 8 bits, the
                    result per tensor
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$axis);
  let results = (outs Nn_Tensor:$output);
  let hasVerifier = 1;
  let elements = "codes per tensor of at most 8 bits";
  let specialNote = "codes have none";
  let monotone = "up in the element itself, down in every other of its line";
  let range = "[0, 1]";
  let resultGrid = "free";
  let gridNote = "scale 1/256 from the smallest code on holds all but 1";
}
