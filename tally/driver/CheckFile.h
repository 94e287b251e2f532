//===- CheckFile.h - test cases in nn modules -------------------*- C++ -*-===//
//
// A test file is a module of functions. A function with the attributes
//
//   inputs = [dense<...>, ...], expected = [dense<...>, ...]
//
// is a case: it is run on its inputs by every requested executor and each
// result must equal the expected one bit for bit (NaNs equal each other).
// Codes are written as the integers that store them. `fused` is the evaluator
// on the quantized and fused function, `cpu` its code.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_CHECKFILE_H
#define TALLY_DRIVER_CHECKFILE_H

namespace tally {

/// tally-check FILE.mlir [--executor=eval[,fused][,cpu]]
/// [--numerics=ideal|onnxruntime|tflite]. Prints one line per case that
/// differs and a summary; returns 0 when all cases agree.
int checkFileMain(int argc, char **argv);

} // namespace tally

#endif // TALLY_DRIVER_CHECKFILE_H
