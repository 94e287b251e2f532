//===- OnnxRuntimeTimesScript.h - the Python helper, built in ---*- C++ -*-===//

#ifndef TALLY_DRIVER_BENCH_ONNXRUNTIMETIMESSCRIPT_H
#define TALLY_DRIVER_BENCH_ONNXRUNTIMETIMESSCRIPT_H

namespace tally {

/// The text of onnxruntime_times.py.
extern const char kOnnxRuntimeTimesScript[];

} // namespace tally

#endif // TALLY_DRIVER_BENCH_ONNXRUNTIMETIMESSCRIPT_H
