//===- OnnxRuntimeClock.cpp - the same model in onnxruntime ---------------===//

#include "tally/driver/bench/OnnxRuntimeClock.h"
#include "tally/driver/bench/OnnxRuntimeTimesScript.h"
#include "tally/driver/diff/PythonRuntime.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/Failed.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::bench;
using llvm::StringRef;

static constexpr double kSampleSeconds = 1e-3;
static constexpr double kMostRuns = 1e6;

static Status checkModel(const ModelArguments &model) {
  if (!StringRef(model.path).ends_with(".onnx") || !model.inputs.empty() ||
      !model.outputs.empty())
    return failed(FailureKind::Usage, "BENCH-4",
                  "onnxruntime runs a whole .onnx model",
                  "leave out --inputs and --outputs, or --against");
  if (!model.states.empty())
    return failed(FailureKind::Usage, "BENCH-4",
                  "onnxruntime has no states to go on from run to run",
                  "leave out --state, or --against");
  return Status::success();
}

static Result<std::shared_ptr<const std::string>> temporaryFolder() {
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("tally-bench", path))
    return failed(FailureKind::System, "BENCH-2",
                  "no temporary folder: " + error.message());
  return std::shared_ptr<const std::string>(
      new std::string(path.str()), [](const std::string *folder) {
        llvm::sys::fs::remove_directories(*folder);
        delete folder;
      });
}

static Result<std::string> interpreter() {
  std::string python = pythonProgram();
  auto found = llvm::sys::findProgramByName(python);
  if (!python.empty() && found)
    return *found;
  return failed(FailureKind::System, "BENCH-2",
                python.empty() ? "--against onnxruntime needs python3"
                               : "there is no program '" + python + "'",
                kPackagesHint);
}

Result<OnnxRuntimeClock> OnnxRuntimeClock::create(
    const ModelArguments &model, mlir::func::FuncOp function,
    const std::vector<eval::Tensor> &inputs, int64_t threads) {
  if (Status status = checkModel(model); !status)
    return status.takeError();
  auto python = interpreter();
  if (!python)
    return python.takeError();
  auto folder = temporaryFolder();
  if (!folder)
    return folder.takeError();
  std::string data = **folder + "/inputs.npz", script = **folder + "/times.py";
  if (Status status = writeRuntimeInputs(data, function, inputs); !status)
    return status.takeError();
  if (Status status = writeFileAtomically(
          script, std::string_view(kOnnxRuntimeTimesScript));
      !status)
    return status.takeError();
  auto process = ChildProcess::start(
      {*python, script, model.path, data, std::to_string(threads)},
      **folder + "/error");
  if (!process) {
    tally::Diagnostic failure = process.takeError();
    failure.hint = kPackagesHint;
    return failure;
  }
  OnnxRuntimeClock clock(std::move(*folder), std::move(*process));
  if (Status status = clock.greet(); !status)
    return status.takeError();
  return clock;
}

/// Why the process ended before its time.
tally::Diagnostic OnnxRuntimeClock::ended() {
  int status = process.finish();
  std::string said = trimmedText(*folder + "/error");
  if (status == 3)
    return failed(FailureKind::System, "BENCH-2",
                  "Python has no package '" + said + "'", kPackagesHint);
  return failed(FailureKind::Unsupported, "BENCH-3",
                "onnxruntime refuses the model: " + said);
}

/// Waits until the model is loaded, and finds how many runs make a sample.
Status OnnxRuntimeClock::greet() {
  auto line = process.readLine();
  if (!line)
    return ended();
  auto answer = llvm::json::parse(*line);
  const llvm::json::Object *about = answer ? answer->getAsObject() : nullptr;
  if (!about)
    llvm::consumeError(answer.takeError());
  else
    versionText = about->getString("version").value_or("").str();
  auto seconds = timeRuns(1);
  if (!seconds)
    return seconds.takeError();
  double wanted = std::ceil(kSampleSeconds / std::max(*seconds, 1e-9));
  runs = static_cast<int64_t>(std::clamp(wanted, 1.0, kMostRuns));
  return Status::success();
}

Result<double> OnnxRuntimeClock::timeRuns(int64_t count) {
  process.writeLine(std::to_string(count));
  auto line = process.readLine();
  int64_t nanoseconds = 0;
  if (!line || StringRef(*line).trim().getAsInteger(10, nanoseconds))
    return ended();
  return static_cast<double>(nanoseconds) * 1e-9 / static_cast<double>(count);
}

Result<double> OnnxRuntimeClock::sample() {
  if (auto first = timeRuns(1); !first)
    return first;
  return timeRuns(runs);
}
