//===- Executable.h - something that can be run -----------------*- C++ -*-===//
//
// A graph in the evaluator, a graph compiled for this machine, or an artifact:
// `tally run` treats them alike. Its states go on from run to run.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_EXECUTABLE_H
#define TALLY_DRIVER_EXECUTABLE_H

#include "tally/cpu/CpuCompiler.h"
#include "tally/driver/tensors/StateFiles.h"
#include "tally/eval/Request.h"
#include "tally/runtime/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace tally {

struct Executable {
  std::string name; ///< "eval", "cpu"
  std::vector<runtime::TensorInterface> inputs, outputs;
  /// Runs on tensors for `inputs`; one tensor per output.
  std::function<Result<std::vector<eval::Tensor>>(
      const std::vector<eval::Tensor> &)>
      run;
  /// What goes on from run to run, and those of it that have no value before
  /// the first one.
  StatesAbout states;
  std::vector<runtime::TensorInterface> givenStates;
  /// Null without states. Values now; new values, all other states being as
  /// before the first run.
  std::function<Result<runtime::NamedTensors>()> stateValues;
  std::function<Status(const runtime::NamedTensors &)> setStateValues;
};

/// Called with every tensor the evaluator computes and its name in the model.
using Observer = std::function<void(mlir::Value, const eval::Tensor &)>;

/// `function`, which must outlive the result, in the exact evaluator.
Executable evaluatorOf(mlir::func::FuncOp function, eval::Profile profile,
                       const Observer &observer = nullptr);

/// An object in memory, linked into this process; on so many threads.
Result<Executable> jitExecutable(cpu::CompiledObject compiled, int64_t threads);

/// A shared library, object or archive that was compiled before; likewise.
Result<Executable> artifactExecutable(const std::string &path, int64_t threads);

} // namespace tally

#endif // TALLY_DRIVER_EXECUTABLE_H
