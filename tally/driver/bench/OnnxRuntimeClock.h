//===- OnnxRuntimeClock.h - the same model in onnxruntime -------*- C++ -*-===//

#ifndef TALLY_DRIVER_BENCH_ONNXRUNTIMECLOCK_H
#define TALLY_DRIVER_BENCH_ONNXRUNTIMECLOCK_H

#include "tally/driver/ModelArguments.h"
#include "tally/driver/bench/ChildProcess.h"
#include "tally/eval/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::bench {

/// onnxruntime through its Python package, in a process of its own that waits
/// between samples. With all of its graph optimizations.
///
/// Rules: BENCH-2 the Python package can be imported (System); BENCH-3 the
/// runtime accepts the model and its inputs (Unsupported); BENCH-4 the model is
/// a whole .onnx file without states (Usage).
class OnnxRuntimeClock {
public:
  /// `inputs` are one per argument of `function`, the graph as imported; on so
  /// many threads.
  static Result<OnnxRuntimeClock>
  create(const ModelArguments &model, mlir::func::FuncOp function,
         const std::vector<eval::Tensor> &inputs, int64_t threads);

  /// Seconds of one run: the mean of some in a row that take a millisecond or
  /// more, before which there is one that does not count.
  Result<double> sample();

  const std::string &version() const { return versionText; }

private:
  OnnxRuntimeClock(std::shared_ptr<const std::string> folder,
                   ChildProcess process)
      : folder(std::move(folder)), process(std::move(process)) {}
  Status greet();
  Result<double> timeRuns(int64_t count);
  tally::Diagnostic ended();

  /// Of the script and its inputs; removed with the last owner.
  std::shared_ptr<const std::string> folder;
  ChildProcess process;
  std::string versionText;
  int64_t runs = 1;
};

} // namespace tally::bench

#endif // TALLY_DRIVER_BENCH_ONNXRUNTIMECLOCK_H
