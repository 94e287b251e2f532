//===- OnnxRuntimeReference.cpp - tensors of onnxruntime's ----------------===//
//
// The runtime is asked through its Python package, in a process of its own, by
// a script that tells how it does so. All tensors with a name are asked for;
// with optimizations the runtime's graph has some of them.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/AllNodes.h"
#include "tally/driver/diff/OnnxRuntimeScript.h"
#include "tally/driver/diff/PythonRuntime.h"
#include "tally/driver/diff/Reference.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/Failed.h"
#include "tally/support/Npz.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace tally;

static std::vector<std::string> wantedNames(const ReferenceRequest &request) {
  std::vector<std::string> names;
  for (auto &[name, value] : namedTensors(request.function))
    names.push_back(name.str());
  return names;
}

static Status writeRequest(const std::string &folder,
                           const ReferenceRequest &request,
                           const std::vector<std::string> &names) {
  if (Status status = writeRuntimeInputs(folder + "/inputs.npz",
                                         request.function, request.inputs);
      !status)
    return status;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(llvm::json::Array(names));
  if (Status status = writeFileAtomically(folder + "/names.json", text);
      !status)
    return status;
  return writeFileAtomically(folder + "/script.py",
                             std::string_view(kOnnxRuntimeScript));
}

static Status runScript(const std::string &folder,
                        const ReferenceRequest &request) {
  std::string python = pythonProgram();
  if (python.empty())
    return failed(FailureKind::System, "DIFF-2",
                  "--ref onnxruntime needs python3", kPackagesHint);
  std::string script = folder + "/script.py", inputs = folder + "/inputs.npz",
              names = folder + "/names.json", error = folder + "/error";
  StringRef words[] = {python,
                       script,
                       request.model.path,
                       inputs,
                       names,
                       folder,
                       request.optimized ? "optimized" : "plain"};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(
      python, words, std::nullopt,
      {StringRef(""), StringRef(""), StringRef(error)}, 0, 0, &message);
  if (status == 0)
    return Status::success();
  if (status < 0)
    return failed(FailureKind::System, "DIFF-2",
                  "'" + python + "' does not run: " + message, kPackagesHint);
  std::string said = trimmedText(error);
  if (status == 3)
    return failed(FailureKind::System, "DIFF-2",
                  "'" + python + "' has no package '" + said + "'",
                  kPackagesHint);
  return failed(FailureKind::Unsupported, "DIFF-3",
                "onnxruntime refuses the model: " + said);
}

/// What the script says besides the tensors: their makers, and what the runtime
/// did to show them.
static void readAnswer(const llvm::json::Object &answer,
                       const std::vector<std::string> &names,
                       Reference &reference) {
  if (auto version = answer.getString("version"))
    reference.name = "onnxruntime " + version->str();
  if (const llvm::json::Object *makers = answer.getObject("makers"))
    for (const auto &[key, maker] : *makers) {
      size_t index = 0;
      if (!StringRef(key).getAsInteger(10, index) && index < names.size())
        reference.makers[names[index]] = maker.getAsString().value_or("").str();
    }
  if (const llvm::json::Array *kept = answer.getArray("unsigned"))
    for (const llvm::json::Value &entry : *kept)
      if (auto index = entry.getAsUINT64(); index && *index < names.size())
        reference.unsignedTensors.insert(names[*index]);
  if (const llvm::json::Object *outputs = answer.getObject("outputs"))
    reference.changedByShowing =
        report::Share{outputs->getInteger("different").value_or(0),
                      outputs->getInteger("count").value_or(0)};
}

static Result<Reference> runIn(const std::string &folder,
                               const ReferenceRequest &request) {
  std::vector<std::string> names = wantedNames(request);
  if (Status status = writeRequest(folder, request, names); !status)
    return status.takeError();
  if (Status status = runScript(folder, request); !status)
    return status.takeError();
  auto entries = readNpz(folder + "/result.npz");
  if (!entries)
    return entries.takeError();
  auto answer = llvm::json::parse(trimmedText(folder + "/answer.json"));
  if (!answer || !answer->getAsObject()) {
    llvm::consumeError(answer.takeError());
    return failed(FailureKind::Internal, "", "the script's answer is no JSON");
  }
  Reference reference;
  reference.isOnnxRuntime = true;
  readAnswer(*answer->getAsObject(), names, reference);
  reference.name += request.optimized ? ", optimized" : ", optimizations off";
  for (NpzEntry &entry : *entries) {
    size_t index = 0;
    if (!StringRef(entry.name).drop_front().getAsInteger(10, index) &&
        index < names.size())
      reference.tensors.emplace(names[index], std::move(entry.array));
  }
  return reference;
}

Result<Reference> tally::onnxruntimeReference(const ReferenceRequest &request) {
  if (!StringRef(request.model.path).ends_with(".onnx") ||
      !request.model.inputs.empty())
    return failed(FailureKind::Usage, "DIFF-1",
                  "onnxruntime runs a whole .onnx model",
                  "leave out --inputs, or compare with a .npz");
  if (!request.model.states.empty())
    return failed(FailureKind::Usage, "DIFF-1",
                  "onnxruntime has no states to begin a call with",
                  "leave out --state: the states' inputs and outputs are "
                  "compared then");
  llvm::SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("tally-diff", folder))
    return failed(FailureKind::System, "DIFF-2",
                  "no temporary folder: " + error.message());
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(folder); });
  return runIn(folder.str().str(), request);
}
