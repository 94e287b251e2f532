//===- PythonRuntime.h - what asking onnxruntime takes ----------*- C++ -*-===//

#ifndef TALLY_DRIVER_DIFF_PYTHONRUNTIME_H
#define TALLY_DRIVER_DIFF_PYTHONRUNTIME_H

#include "tally/eval/Tensor.h"
#include "tally/support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally {

/// What to do when the packages are missing.
inline constexpr const char *kPackagesHint =
    "install them (pip install onnxruntime onnx), or set TALLY_PYTHON to an "
    "interpreter that has them";

/// TALLY_PYTHON, or python3 of the PATH; empty when there is none.
std::string pythonProgram();

/// Writes `inputs`, one per argument of `function`, by the model's names, and
/// those that the import made constants, which the runtime still takes. No
/// inputs, no file.
Status writeRuntimeInputs(const std::string &file, mlir::func::FuncOp function,
                          const std::vector<eval::Tensor> &inputs);

/// The text of a file without blanks around it; nothing of one that is not
/// there.
std::string trimmedText(const std::string &file);

} // namespace tally

#endif // TALLY_DRIVER_DIFF_PYTHONRUNTIME_H
