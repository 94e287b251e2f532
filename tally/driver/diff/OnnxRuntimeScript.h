//===- OnnxRuntimeScript.h - the Python helper, built in --------*- C++ -*-===//

#ifndef TALLY_DRIVER_DIFF_ONNXRUNTIMESCRIPT_H
#define TALLY_DRIVER_DIFF_ONNXRUNTIMESCRIPT_H

namespace tally {

/// The text of onnxruntime_tensors.py.
extern const char kOnnxRuntimeScript[];

} // namespace tally

#endif // TALLY_DRIVER_DIFF_ONNXRUNTIMESCRIPT_H
